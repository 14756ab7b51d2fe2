use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use partsight_api::{ApiState, ServerAddresses, serve};
use partsight_app::Settings;
use tokio::net::TcpStream;
use tokio::sync::oneshot;
use tokio::task::JoinSet;

use crate::{TestApp, pictures};

const ANY_PORT: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 0);

#[tokio::test]
async fn a_stopping_server_finishes_what_runs_and_takes_nothing_new() {
    let app = TestApp::stalled(1, |_| {}).await;
    let client = app.sign_up_with_vehicle("ann").await;
    let state = ApiState::new(app.use_cases.clone(), &Settings::default());
    let ((listening, is_listening), (stop, stopped)) = (oneshot::channel(), oneshot::channel::<()>());
    let mut tasks = JoinSet::new();
    let until_stopped = async move { stopped.await.unwrap_or_default() };
    let addresses = ServerAddresses::bind(ANY_PORT, None).unwrap();
    tasks.spawn(serve(state, addresses, move |address| listening.send(address).unwrap(), until_stopped));
    let client = client.at(is_listening.await.unwrap());
    let address = client.address();
    let mut scans = JoinSet::new();
    scans.spawn(async move { client.identify(&pictures::plain()).await.status });
    app.gate().wait_for_images(1).await;

    stop.send(()).unwrap();
    while TcpStream::connect(address).await.is_ok() {
        tokio::task::yield_now().await;
    }
    app.gate().open();
    assert_eq!(scans.join_all().await, [200]);
    tasks.join_next().await.unwrap().unwrap().unwrap();
}
