use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::time::timeout;

use crate::{ApiState, router};

/// How long running requests may take to finish once the server is told to stop.
const SHUTDOWN_LIMIT: Duration = Duration::from_secs(20);

/// Why the server did not start or stopped by itself.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// Another program listens there.
    #[error("port {} of {} is taken by another program; stop it, or choose another with --listen", address.port(), address.ip())]
    PortTaken {
        /// The address.
        address: SocketAddr,
    },
    /// The address cannot be listened on.
    #[error("listen on {address}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// Why not.
        source: io::Error,
    },
    /// The listener failed while serving.
    #[error("serve requests")]
    Serve {
        /// Why.
        source: io::Error,
    },
}

/// Serves until `stop` completes, then takes no more requests, finishes the running ones and closes
/// everything. `listening` is called with the address once requests are answered.
pub async fn serve(
    state: ApiState,
    address: SocketAddr,
    listening: impl FnOnce(SocketAddr) + Send,
    stop: impl Future<Output = ()> + Send + 'static,
) -> Result<(), ServeError> {
    let listener = TcpListener::bind(address).await.map_err(|source| match source.kind() {
        io::ErrorKind::AddrInUse => ServeError::PortTaken { address },
        _ => ServeError::Listen { address, source },
    })?;
    let address = listener.local_addr().map_err(|source| ServeError::Listen { address, source })?;
    let app = state.app.clone();
    let (stopping, stopped) = oneshot::channel::<()>();
    let server = axum::serve(listener, router(state).into_make_service_with_connect_info::<SocketAddr>())
        .with_graceful_shutdown(async move {
            stop.await;
            tracing::info!("stopping: running requests are finished, new ones are not taken");
            // The receiver is gone only when the server has ended by itself.
            let _ = stopping.send(());
        });
    listening(address);

    let serving = async { server.await.map_err(|source| ServeError::Serve { source }) };
    tokio::pin!(serving);
    let result = tokio::select! {
        result = &mut serving => result,
        _ = stopped => timeout(SHUTDOWN_LIMIT, serving).await.unwrap_or_else(|_| {
            tracing::warn!("some requests were still running after {} s and are cut off", SHUTDOWN_LIMIT.as_secs());
            Ok(())
        }),
    };
    app.close().await;
    result
}
