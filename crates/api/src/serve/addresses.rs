//! Binds addresses before there is anything to serve: a server takes seconds to start, and an address in use should
//! be reported at once.

use std::io;
use std::net::SocketAddr;

use tokio::net::{TcpListener, TcpSocket};

use super::ServeError;

/// Connections that the system queues until they are accepted.
const BACKLOG: u32 = 1024;

/// The bound addresses of a server. Until it listens, connections are refused as if no server were there.
#[derive(Debug)]
pub struct ServerAddresses {
    front: Bound,
    metrics: Option<Bound>,
}

#[derive(Debug)]
struct Bound {
    address: SocketAddr,
    socket: TcpSocket,
}

/// The listeners on the addresses.
pub(super) struct Listeners {
    pub(super) address: SocketAddr,
    pub(super) front: TcpListener,
    pub(super) metrics: Option<TcpListener>,
}

impl ServerAddresses {
    /// Binds the server's address, and the separate one for `/metrics` if there is one.
    pub fn bind(front: SocketAddr, metrics: Option<SocketAddr>) -> Result<Self, ServeError> {
        Ok(Self {
            front: Bound::new(front).map_err(|source| front_error(front, source))?,
            metrics: metrics
                .map(|address| Bound::new(address).map_err(|source| ServeError::Metrics { address, source }))
                .transpose()?,
        })
    }

    /// Listens. This can fail if another program has begun to listen meanwhile, since an address can be bound
    /// twice.
    pub(super) fn listen(self) -> Result<Listeners, ServeError> {
        let address = self.front.address;
        let front = self.front.listen().map_err(|source| front_error(address, source))?;
        let address = front.local_addr().map_err(|source| front_error(address, source))?;
        let metrics = self.metrics.map(|bound| {
            let address = bound.address;
            bound.listen().map_err(|source| ServeError::Metrics { address, source })
        });
        Ok(Listeners { address, front, metrics: metrics.transpose()? })
    }
}

impl Bound {
    fn new(address: SocketAddr) -> io::Result<Self> {
        let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
        // A restarted server must not wait for the connections of its predecessor. On Windows this option would
        // share the address with a program that already listens.
        #[cfg(not(windows))]
        socket.set_reuseaddr(true)?;
        socket.bind(address)?;
        Ok(Self { address, socket })
    }

    fn listen(self) -> io::Result<TcpListener> {
        self.socket.listen(BACKLOG)
    }
}

fn front_error(address: SocketAddr, source: io::Error) -> ServeError {
    match source.kind() {
        io::ErrorKind::AddrInUse => ServeError::PortTaken { address },
        _ => ServeError::Listen { address, source },
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use tokio::net::TcpStream;

    use super::*;

    #[tokio::test]
    async fn nobody_can_connect_before_it_listens() {
        let any_port = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        let addresses = ServerAddresses::bind(any_port, Some(any_port)).unwrap();
        let address = addresses.front.socket.local_addr().unwrap();
        TcpStream::connect(address).await.unwrap_err();
        let listeners = addresses.listen().unwrap();
        assert_eq!(listeners.address, address);
        TcpStream::connect(address).await.unwrap();
        TcpStream::connect(listeners.metrics.unwrap().local_addr().unwrap()).await.unwrap();
    }

    #[tokio::test]
    async fn an_address_that_was_taken_meanwhile_is_said_to_be() {
        let any_port = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        let addresses = ServerAddresses::bind(any_port, None).unwrap();
        let address = addresses.front.socket.local_addr().unwrap();
        let quicker = TcpSocket::new_v4().unwrap();
        quicker.set_reuseaddr(true).unwrap();
        quicker.bind(address).unwrap();
        let _listening = quicker.listen(1).unwrap();
        assert!(matches!(addresses.listen(), Err(ServeError::PortTaken { .. })));
    }
}
