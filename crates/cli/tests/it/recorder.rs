//! What the mail server that is shared with other tests listens on; here nobody asks what came.

use std::net::{Ipv4Addr, SocketAddr};

use tokio::net::TcpListener;

pub(crate) struct Record {
    pub(crate) address: SocketAddr,
}

pub(crate) async fn listen() -> (TcpListener, Record) {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    (listener, Record { address })
}
