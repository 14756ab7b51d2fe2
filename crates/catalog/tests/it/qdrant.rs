use std::time::Duration;

use partsight_catalog::{EmbeddingSpace, IndexError, QdrantIndex, QdrantOptions, SearchFilter, VectorIndex};
use partsight_domain::ServiceUrl;
use qdrant_client::qdrant::HnswConfigDiff;
use tokio::time::timeout;
use uuid::Uuid;

use crate::contract;
use crate::references::{Drawer, space, tenant};
use partsight_test_support::PATIENCE;
use partsight_test_support::qdrant_server::{Layout, QdrantServer};

/// The gRPC address of a real server, for the test that needs one.
const REAL_SERVER: &str = "PARTSIGHT_TEST_QDRANT_URL";

fn options(server: &QdrantServer) -> QdrantOptions {
    // So long that a running server answers in time even on a busy machine.
    let deadline = Duration::from_hours(1);
    let (search_deadline, write_deadline) = (deadline, deadline);
    QdrantOptions { search_deadline, write_deadline, ..QdrantOptions::new(server.url(), "parts") }
}

async fn open(server: &QdrantServer, dimension: usize) -> Result<QdrantIndex, IndexError> {
    QdrantIndex::open(space(dimension), options(server)).await
}

#[tokio::test]
async fn the_index_on_a_server_keeps_the_contract() {
    let server = QdrantServer::start();
    contract::check(&open(&server, contract::DIMENSION).await.unwrap()).await;
}

#[tokio::test]
async fn the_index_on_a_real_server_keeps_the_contract() {
    let Ok(url) = std::env::var(REAL_SERVER) else {
        println!("skipped: {REAL_SERVER} names no Qdrant server");
        return;
    };
    let collection = format!("partsight-test-{}", Uuid::now_v7().simple());
    let options = QdrantOptions::new(&url, &collection);
    let index = QdrantIndex::open(space(contract::DIMENSION), options.clone()).await.unwrap();
    contract::check(&index).await;
    let other = EmbeddingSpace { model_sha256: "another".to_owned(), ..space(contract::DIMENSION) };
    let result = QdrantIndex::open(other, options).await;
    assert!(matches!(result, Err(IndexError::OtherModel { .. })), "{result:?}");
    let client = qdrant_client::Qdrant::from_url(&url).build().unwrap();
    client.delete_collection(&collection).await.unwrap();
}

#[tokio::test]
async fn a_collection_is_made_as_the_settings_say_and_found_again() {
    let server = QdrantServer::start();
    let made = QdrantOptions { shards: 3, replicas: 2, quantised: false, on_disk: true, ..options(&server) };
    let index = QdrantIndex::open(space(8), made).await.unwrap();
    let fields = [
        "category",
        "kind",
        "label",
        "parts[].excluded[].first_year",
        "parts[].excluded[].last_year",
        "parts[].excluded[].make",
        "parts[].excluded[].model",
        "parts[].is_complete",
        "parts[].listed[].first_year",
        "parts[].listed[].last_year",
        "parts[].listed[].make",
        "parts[].listed[].model",
        "parts[].listed[].model_starts",
        "shows_part",
        "tenant_id",
    ];
    // 3,840 KB are 120,000 vectors of eight numbers.
    let graph = HnswConfigDiff {
        m: Some(32),
        ef_construct: Some(200),
        full_scan_threshold: Some(3_840),
        ..HnswConfigDiff::default()
    };
    let layout = Layout {
        shards: Some(3),
        replicas: Some(2),
        graph: Some(graph),
        is_quantised: false,
        is_on_disk: true,
        indexed_fields: fields.map(str::to_owned).to_vec(),
    };
    assert_eq!(server.layout("parts"), layout);
    index.upsert(vec![Drawer::new(8, 1, 1.0, 1).plain_entry(1)]).await.unwrap();

    let again = open(&server, 8).await.unwrap();
    assert_eq!(again.count().await.unwrap(), 1);
    assert_eq!(server.layout("parts"), layout);
}

#[tokio::test]
async fn a_thin_graph_is_improved_once_and_what_somebody_set_higher_stays() {
    let server = QdrantServer::start();
    open(&server, 8).await.unwrap();
    let made = server.layout("parts").graph.unwrap();
    let of_an_earlier_version =
        HnswConfigDiff { m: Some(16), ef_construct: Some(100), full_scan_threshold: Some(10), ..made };
    let with_more_links = HnswConfigDiff { m: Some(64), ..of_an_earlier_version };
    for (found, expected) in
        [(of_an_earlier_version, made), (with_more_links, HnswConfigDiff { m: Some(64), ..made })]
    {
        server.set_graph("parts", found);
        open(&server, 8).await.unwrap();
        assert_eq!(server.layout("parts").graph, Some(expected));
        let n_writes = server.n_writes();
        open(&server, 8).await.unwrap();
        assert_eq!(server.n_writes(), n_writes);
    }
}

#[tokio::test]
async fn a_collection_states_what_it_was_told_and_is_not_written_to_when_it_is_opened_again() {
    let server = QdrantServer::start();
    let index = QdrantIndex::new(space(8), options(&server)).unwrap();
    let standing = index.prepare().await.unwrap();
    assert_eq!((standing.revision, standing.was_made), (None, true));
    index.upsert(vec![Drawer::new(8, 1, 1.0, 1).plain_entry(1)]).await.unwrap();
    index.state_revision(7).await.unwrap();

    let n_writes = server.n_writes();
    let again = QdrantIndex::new(space(8), options(&server)).unwrap();
    let standing = again.prepare().await.unwrap();
    assert_eq!((standing.revision, standing.was_made), (Some(7), false));
    assert_eq!(server.n_writes(), n_writes);

    server.lose_collection("parts");
    let query = Drawer::new(8, 1, 1.0, 1).embedding();
    let error = index.search(&query, &SearchFilter::of_tenant(tenant(0)), 1).await.unwrap_err();
    assert!(
        matches!(&error, IndexError::CollectionMissing { collection } if collection == "parts"),
        "{error:?}"
    );
    let standing = index.prepare().await.unwrap();
    assert_eq!((standing.revision, standing.was_made), (None, true));
}

#[tokio::test]
async fn the_references_of_a_collection_are_listed_in_the_order_of_their_ids() {
    let server = QdrantServer::start();
    let index = open(&server, 8).await.unwrap();
    let mut drawer = Drawer::new(8, 1, 1.0, 1);
    assert_eq!(index.list_held(None, 10).await.unwrap(), (Vec::new(), None));
    index.upsert([3, 1, 2, 5, 4].map(|number| drawer.plain_entry(number)).to_vec()).await.unwrap();
    let (mut ids, mut from) = (Vec::new(), None);
    loop {
        let (held, next) = index.list_held(from, 2).await.unwrap();
        assert!(held.iter().all(|one| one.revision == 1));
        ids.extend(held.into_iter().map(|one| one.id.0.as_u128()));
        from = next;
        if from.is_none() {
            break;
        }
    }
    assert_eq!(ids, [1, 2, 3, 4, 5]);
}

/// The error of opening a collection if the server answers `reply` to HTTP/1 requests, and 400 to others.
async fn opened_beside(reply: &str) -> IndexError {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let serve = async move {
        loop {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut request = [0; 1024];
            let _ = tokio::io::AsyncReadExt::read(&mut stream, &mut request).await;
            // HTTP/2 starts with another method.
            let refusal = "HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n";
            let reply = if request.starts_with(b"GET ") { reply } else { refusal };
            let _ = tokio::io::AsyncWriteExt::write_all(&mut stream, reply.as_bytes()).await;
        }
    };
    tokio::select! {
        opened = QdrantIndex::open(space(8), QdrantOptions::new(&url, "parts")) => opened.unwrap_err(),
        () = serve => unreachable!("the server of the test goes on"),
    }
}

#[tokio::test]
async fn a_port_of_something_else_is_named_in_plain_words() {
    for (answer, expected) in [
        (r#"{"title":"qdrant - vector search engine","version":"1.19.0"}"#, "Qdrant's HTTP interface"),
        ("It works!", "a web server that is not Qdrant"),
    ] {
        let reply = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{answer}", answer.len());
        let error = opened_beside(&reply).await;
        let text = error.to_string();
        assert!(matches!(error, IndexError::WrongPort { .. }) && text.contains(expected), "{text}");
        assert!(text.contains("qdrant_url") && text.contains("6334"), "{text}");
    }
}

#[tokio::test]
async fn a_proxy_whose_qdrant_is_away_is_no_wrong_port() {
    let error = opened_beside("HTTP/1.1 503 Service Unavailable\r\ncontent-length: 0\r\n\r\n").await;
    assert!(matches!(error, IndexError::Unavailable { .. }), "{error}");
}

#[tokio::test]
async fn two_servers_that_start_at_once_share_the_collection() {
    let server = QdrantServer::start();
    let (first, second) = tokio::join!(open(&server, 8), open(&server, 8));
    first.unwrap().upsert(vec![Drawer::new(8, 1, 1.0, 1).plain_entry(1)]).await.unwrap();
    assert_eq!(second.unwrap().count().await.unwrap(), 1);
}

#[tokio::test]
async fn a_collection_of_something_else_is_refused_and_left_as_it_is() {
    let server = QdrantServer::start();
    let index = open(&server, 8).await.unwrap();
    index.upsert(vec![Drawer::new(8, 1, 1.0, 1).plain_entry(1)]).await.unwrap();

    let error = open(&server, 16).await.unwrap_err();
    assert!(matches!(error, IndexError::OtherDimension { expected: 16, found: 8, .. }), "{error:?}");
    assert!(error.to_string().contains("choose another `qdrant_collection`"), "{error}");

    let other = EmbeddingSpace { model_sha256: "another".to_owned(), ..space(8) };
    let error = QdrantIndex::open(other, options(&server)).await.unwrap_err();
    assert!(matches!(&error, IndexError::OtherModel { expected, .. } if expected == "another"), "{error:?}");

    server.forget_metadata("parts");
    let error = open(&server, 8).await.unwrap_err();
    assert!(matches!(error, IndexError::OtherModel { .. }), "{error:?}");
    assert_eq!(index.count().await.unwrap(), 1);
}

#[tokio::test]
async fn settings_that_no_server_could_follow_are_refused_before_one_is_asked() {
    let server = QdrantServer::start();
    let base = options(&server);
    for (options, setting) in [
        (QdrantOptions { shards: 0, ..base.clone() }, "qdrant_shards"),
        (QdrantOptions { replicas: 0, ..base.clone() }, "qdrant_replicas"),
        (QdrantOptions { collection: "a/b".to_owned(), ..base.clone() }, "qdrant_collection"),
        (QdrantOptions { url: ServiceUrl::new("not an address"), ..base }, "qdrant_url"),
    ] {
        let error = QdrantIndex::open(space(8), options).await.unwrap_err();
        assert!(matches!(&error, IndexError::InvalidSetting { name, .. } if *name == setting), "{error:?}");
    }
    assert_eq!(server.n_calls(), 0);
}

#[tokio::test]
async fn a_server_that_is_away_at_the_start_is_named() {
    let mut server = QdrantServer::start();
    server.stop();
    let error = open(&server, 8).await.unwrap_err();
    assert!(matches!(&error, IndexError::Unavailable { url, .. } if *url == server.url()), "{error:?}");
    assert!(error.to_string().contains("check that Qdrant runs there"), "{error}");
}

#[tokio::test]
async fn a_server_that_goes_away_costs_the_calls_in_between_and_nothing_else() {
    let mut server = QdrantServer::start();
    let index = open(&server, 8).await.unwrap();
    let entry = Drawer::new(8, 1, 1.0, 1).plain_entry(1);
    index.upsert(vec![entry.clone()]).await.unwrap();
    let filter = SearchFilter::of_tenant(tenant(0));

    server.stop();
    let search = timeout(PATIENCE, index.search(&entry.embedding, &filter, 1));
    let result = search.await.expect("it does not try until the deadline");
    assert!(matches!(result, Err(IndexError::Unavailable { .. })), "{result:?}");

    server.start_again();
    let found = index.search(&entry.embedding, &filter, 1).await.unwrap();
    assert_eq!(found[0].id, entry.id);
}

#[tokio::test]
async fn a_call_is_made_again_when_the_server_is_busy_for_a_moment() {
    let server = QdrantServer::start();
    let index = open(&server, 8).await.unwrap();
    let entry = Drawer::new(8, 1, 1.0, 1).plain_entry(1);
    server.fail_next(2);
    index.upsert(vec![entry.clone()]).await.unwrap();
    server.fail_next(2);
    let found = index.search(&entry.embedding, &SearchFilter::of_tenant(tenant(0)), 1).await.unwrap();
    assert_eq!(found[0].id, entry.id);

    server.fail_next(1000);
    let before = server.n_calls();
    let result = index.count().await;
    assert!(matches!(result, Err(IndexError::Unavailable { .. })), "{result:?}");
    // The client retries once by itself at each attempt.
    assert!(server.n_calls() - before <= 8, "{}", server.n_calls() - before);
}

#[test]
fn the_key_of_the_server_is_not_shown() {
    let options = QdrantOptions {
        api_key: Some("very secret".to_owned()),
        ..QdrantOptions::new("http://localhost:6334", "parts")
    };
    assert!(!format!("{options:?}").contains("secret"));
}
