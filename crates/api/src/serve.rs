//! Listens, accepts connections within their limits, and shuts down gracefully.

mod addresses;
mod connection;
mod deadline_stream;
mod places;

use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use partsight_app::TrustedProxies;
use partsight_app::metrics::OpenConnections;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use self::addresses::Listeners;
pub use self::addresses::ServerAddresses;
use self::places::Places;
use crate::routes::metrics_router;
use crate::{ApiState, ConnectionLimits, router};

/// How long running requests may take to finish after shutdown begins.
const SHUTDOWN_LIMIT: Duration = Duration::from_secs(20);
/// Pause after the system failed to accept a connection, for example for lack of file descriptors. Without it the
/// loop would retry at once and keep a core busy.
const ACCEPT_PAUSE: Duration = Duration::from_millis(200);

/// Why the server did not start.
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
    #[error("cannot listen on {address}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// Cause.
        source: io::Error,
    },
    /// The address for `/metrics` cannot be listened on.
    #[error("cannot listen on {address}, which `metrics_listen` names")]
    Metrics {
        /// The address.
        address: SocketAddr,
        /// Cause.
        source: io::Error,
    },
}

/// Serves at `addresses` until `stop` completes, then accepts no more requests, finishes the running ones and
/// closes the app. `listening` is called with the address just before requests are accepted.
pub async fn serve(
    state: ApiState,
    addresses: ServerAddresses,
    listening: impl FnOnce(SocketAddr) + Send,
    stop: impl Future<Output = ()> + Send + 'static,
) -> Result<(), ServeError> {
    let Listeners { address, front: front_listener, metrics: metrics_listener } = addresses.listen()?;
    let app = state.app.clone();
    let (stopping, _) = watch::channel(false);
    let front = Server::new(router(state.clone()), &state, stopping.subscribe());
    let metrics = Server::new(metrics_router(state.clone()), &state, stopping.subscribe());
    listening(address);

    let serving = async {
        let metrics = async {
            if let Some(listener) = metrics_listener {
                metrics.run(listener).await;
            }
        };
        tokio::join!(front.run(front_listener), metrics);
    };
    tokio::pin!(serving);
    tokio::select! {
        () = &mut serving => {}
        () = stop => {
            // First, because the streams that this ends count as running requests.
            app.operations.begin_draining();
            tracing::info!("stopping: running requests are finished, new ones are not taken");
            stopping.send_replace(true);
            if timeout(SHUTDOWN_LIMIT, serving).await.is_err() {
                tracing::warn!(
                    "some requests were still running after {} s and are cut off",
                    SHUTDOWN_LIMIT.as_secs()
                );
            }
        }
    }
    // After the connections, which still need the database.
    app.close().await;
    Ok(())
}

/// What all connections to one listener share.
struct Server {
    router: Router,
    limits: ConnectionLimits,
    trusted_proxies: TrustedProxies,
    places: Arc<Places>,
    stopping: watch::Receiver<bool>,
    connections: JoinSet<()>,
    n_open: OpenConnections,
}

impl Server {
    fn new(router: Router, state: &ApiState, stopping: watch::Receiver<bool>) -> Self {
        Self {
            router,
            limits: state.limits.clone(),
            trusted_proxies: state.trusted_proxies.clone(),
            places: Places::new(&state.limits),
            stopping,
            connections: JoinSet::new(),
            n_open: state.app.operations.metrics().connections().clone(),
        }
    }

    /// Accepts connections until the server stops, then waits for the open ones.
    async fn run(mut self, listener: TcpListener) {
        let mut stopping = self.stopping.clone();
        loop {
            tokio::select! {
                // In this order: a stopping server accepts no further connection, and ended connections are removed
                // before new ones are accepted.
                biased;
                () = until_stopped(&mut stopping) => break,
                Some(ended) = self.connections.join_next() => log_panic(ended),
                accepted = listener.accept() => match accepted {
                    Ok((stream, peer)) => self.take(stream, peer),
                    Err(error) => pause_after(&error).await,
                },
            }
        }
        // Closed before waiting, so that new clients are refused at once instead of waiting in the system's queue.
        drop(listener);
        while let Some(ended) = self.connections.join_next().await {
            log_panic(ended);
        }
    }

    fn take(&mut self, stream: TcpStream, peer: SocketAddr) {
        let is_proxy = self.trusted_proxies.contains(peer.ip());
        let Some(place) = Places::take(&self.places, peer.ip(), is_proxy) else {
            return connection::refuse(stream);
        };
        let limits = &self.limits;
        let headers = if is_proxy { limits.proxy_headers } else { limits.headers };
        let connection =
            connection::answer(stream, peer, self.router.clone(), headers, limits, self.stopping.clone());
        let held = (place, self.n_open.open());
        self.connections.spawn(async move {
            connection.await;
            // Moved into the task, so the place is released when the connection ends.
            drop(held);
        });
    }
}

/// Completes when the server stops.
async fn until_stopped(stopping: &mut watch::Receiver<bool>) {
    // The sender is dropped only with the server.
    let _ = stopping.wait_for(|stopping| *stopping).await;
}

/// A connection that closed before it was accepted needs no pause. Any other error means that the system lacks a
/// resource, which takes time to pass.
async fn pause_after(error: &io::Error) {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    if matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset) {
        return;
    }
    tracing::error!(%error, "no connection can be taken at this moment");
    sleep(ACCEPT_PAUSE).await;
}

fn log_panic(ended: Result<(), tokio::task::JoinError>) {
    if let Err(error) = ended {
        tracing::error!(%error, "a connection was cut off");
    }
}
