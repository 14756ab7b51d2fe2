//! Listens, takes connections within their limits, and ends in order.

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

/// How long running requests may take to finish once the server is told to stop.
const SHUTDOWN_LIMIT: Duration = Duration::from_secs(20);
/// How long no connection is taken after the system could not give one, such as for want of open files. Without a
/// pause the loop would try again at once and keep a core busy.
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

/// Serves at `addresses` until `stop` completes, then takes no more requests, finishes the running ones and closes
/// everything. `listening` is called with the address once requests are answered.
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
            // First, so that `/ready` sends a load balancer elsewhere while running requests are finished.
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
    // After the connections: what they still do needs the database.
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

    /// Takes connections until the server stops, then waits for those that are left.
    async fn run(mut self, listener: TcpListener) {
        let mut stopping = self.stopping.clone();
        loop {
            tokio::select! {
                // In this order: a server that stops takes no further connection, and ended ones are counted off before
                // new ones.
                biased;
                () = until_stopped(&mut stopping) => break,
                Some(ended) = self.connections.join_next() => log_panic(ended),
                accepted = listener.accept() => match accepted {
                    Ok((stream, peer)) => self.take(stream, peer),
                    Err(error) => pause_after(&error).await,
                },
            }
        }
        // Closed before waiting, so that new clients are refused at once instead of hanging in the queue of the system.
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
            // The place is given back when the connection has ended, not when its future was made.
            drop(held);
        });
    }
}

/// Completes once the server stops.
async fn until_stopped(stopping: &mut watch::Receiver<bool>) {
    // The sender is gone only when the server is.
    let _ = stopping.wait_for(|stopping| *stopping).await;
}

/// A connection that went away before it was taken is nothing; anything else is a want of the system, which takes
/// time to pass.
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
