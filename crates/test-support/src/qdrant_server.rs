//! A server that speaks Qdrant's protocol and searches by looking at every point.
//!
//! It checks what the real one checks: that a collection exists, that vectors have its width, that a filtered
//! field is indexed. Calls that the index does not make are answered with "unimplemented".

mod filters;
mod service;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::net::SocketAddr;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

use ::qdrant_client::qdrant::collections_server::CollectionsServer;
use ::qdrant_client::qdrant::points_server::PointsServer;
use ::qdrant_client::qdrant::vectors_config::Config;
use ::qdrant_client::qdrant::{CreateCollection, Filter, HnswConfigDiff, Value, VectorParams};
use tokio::runtime::Runtime;
use tonic::Status;
use tonic::transport::Server;
use tonic::transport::server::TcpIncoming;

use filters::{fields, passes};
use service::Service;

/// A server on a port of its own, which can be stopped and started again with what it holds.
pub struct QdrantServer {
    shared: Arc<Shared>,
    address: SocketAddr,
    runtime: Option<Runtime>,
}

#[derive(Default)]
struct Shared {
    collections: Mutex<BTreeMap<String, Collection>>,
    failures: AtomicU32,
    calls: AtomicU32,
    writes: AtomicU32,
}

/// Points by their ids, each with its vector and payload.
pub type Points = BTreeMap<String, (Vec<f32>, HashMap<String, Value>)>;

struct Collection {
    made_as: CreateCollection,
    indexed_fields: BTreeSet<String>,
    points: Points,
}

/// What a collection looks like from outside.
#[derive(Debug, PartialEq)]
pub struct Layout {
    pub shards: Option<u32>,
    pub replicas: Option<u32>,
    pub graph: Option<HnswConfigDiff>,
    pub is_quantised: bool,
    pub is_on_disk: bool,
    pub indexed_fields: Vec<String>,
}

impl QdrantServer {
    pub fn start() -> Self {
        // Its own, so that the port is free when it starts again.
        let mut server = Self { shared: Arc::default(), address: crate::free_address(), runtime: None };
        server.start_again();
        server
    }

    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Breaks all connections and listens no more.
    pub fn stop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            // A runtime that is dropped waits for its tasks, and may not where a test is async.
            runtime.shutdown_background();
        }
    }

    pub fn start_again(&mut self) {
        // A runtime of its own, which can be ended with all its connections while the test's goes on.
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
        let runtime = runtime.unwrap();
        let _guard = runtime.enter();
        // Bound here and not in the task: whoever started the server may connect at once.
        let listener = std::net::TcpListener::bind(self.address).unwrap();
        listener.set_nonblocking(true).unwrap();
        self.address = listener.local_addr().unwrap();
        let incoming = TcpIncoming::from(tokio::net::TcpListener::from_std(listener).unwrap());
        let serving = Server::builder()
            .add_service(CollectionsServer::new(Service(Arc::clone(&self.shared))))
            .add_service(PointsServer::new(Service(Arc::clone(&self.shared))))
            .serve_with_incoming(incoming);
        runtime.spawn(serving);
        self.runtime = Some(runtime);
    }

    /// Answers the next `n` calls with "unavailable".
    pub fn fail_next(&self, n: u32) {
        self.shared.failures.store(n, Ordering::SeqCst);
    }

    pub fn n_calls(&self) -> u32 {
        self.shared.calls.load(Ordering::SeqCst)
    }

    /// Calls that changed something, or would have.
    pub fn n_writes(&self) -> u32 {
        self.shared.writes.load(Ordering::SeqCst)
    }

    /// Deletes a collection, as somebody does who has the wrong one.
    pub fn lose_collection(&self, collection: &str) {
        self.shared.collections.lock().unwrap().remove(collection);
    }

    /// Loses one point of a collection.
    pub fn lose_a_point(&self, collection: &str) {
        self.shared.collections.lock().unwrap().get_mut(collection).unwrap().points.pop_last();
    }

    /// The names of the collections.
    pub fn names(&self) -> Vec<String> {
        self.shared.collections.lock().unwrap().keys().cloned().collect()
    }

    /// How many points a collection holds.
    pub fn n_points(&self, collection: &str) -> usize {
        self.shared.collections.lock().unwrap()[collection].points.len()
    }

    /// Loses the points of a collection, as a server does that is put back to an older state.
    pub fn lose_points(&self, collection: &str) {
        self.shared.collections.lock().unwrap().get_mut(collection).unwrap().points.clear();
    }

    /// Puts a snapshot back: points of earlier, beside the metadata of now.
    pub fn put_back(&self, collection: &str, points: Points) {
        self.shared.collections.lock().unwrap().get_mut(collection).unwrap().points = points;
    }

    /// The points of a collection.
    pub fn snapshot(&self, collection: &str) -> Points {
        self.shared.collections.lock().unwrap()[collection].points.clone()
    }

    /// Makes a collection one of vectors of `size` numbers.
    pub fn set_dimension(&self, collection: &str, size: u64) {
        let mut collections = self.shared.collections.lock().unwrap();
        let vectors = collections.get_mut(collection).unwrap().made_as.vectors_config.as_mut().unwrap();
        if let Some(Config::Params(params)) = &mut vectors.config {
            params.size = size;
        }
    }

    /// Makes a collection state that it was told no more than `revision`, as one is that was being told when its server
    /// was stopped.
    pub fn set_revision(&self, collection: &str, revision: i64) {
        let mut collections = self.shared.collections.lock().unwrap();
        let metadata = &mut collections.get_mut(collection).unwrap().made_as.metadata;
        metadata.insert("revision".to_owned(), Value::from(revision));
    }

    /// Takes away what the metadata of a collection says.
    pub fn forget_metadata(&self, collection: &str) {
        let mut collections = self.shared.collections.lock().unwrap();
        collections.get_mut(collection).unwrap().made_as.metadata.clear();
    }

    /// Makes a collection's graph another one.
    pub fn set_graph(&self, collection: &str, graph: HnswConfigDiff) {
        let mut collections = self.shared.collections.lock().unwrap();
        collections.get_mut(collection).unwrap().made_as.hnsw_config = Some(graph);
    }

    pub fn layout(&self, collection: &str) -> Layout {
        let collections = self.shared.collections.lock().unwrap();
        let collection = &collections[collection];
        Layout {
            shards: collection.made_as.shard_number,
            replicas: collection.made_as.replication_factor,
            graph: collection.made_as.hnsw_config,
            is_quantised: collection.made_as.quantization_config.is_some(),
            is_on_disk: collection.is_on_disk(),
            indexed_fields: collection.indexed_fields.iter().cloned().collect(),
        }
    }
}

impl Drop for QdrantServer {
    fn drop(&mut self) {
        self.stop();
    }
}

impl Collection {
    fn vector(&self) -> Option<&VectorParams> {
        match self.made_as.vectors_config.as_ref()?.config.as_ref()? {
            Config::Params(params) => Some(params),
            Config::ParamsMap(_) => None,
        }
    }

    #[expect(deprecated, reason = "what took its place is unknown to servers before 1.19")]
    fn is_on_disk(&self) -> bool {
        self.vector().and_then(|vector| vector.on_disk).unwrap_or(false)
    }

    fn checked(&self, vector: Vec<f32>) -> Result<Vec<f32>, Status> {
        let size = self.vector().map_or(0, |params| params.size);
        if vector.len() as u64 == size {
            return Ok(vector);
        }
        let text = format!("Wrong input: Vector dimension error: expected dim: {size}, got {}", vector.len());
        Err(Status::invalid_argument(text))
    }

    fn passing(&self, filter: Option<&Filter>) -> Result<Vec<String>, Status> {
        let mut ids = Vec::new();
        for (id, (_, payload)) in &self.points {
            if filter.is_none_or(|filter| passes(filter, payload)) {
                ids.push(id.clone());
            }
        }
        let unindexed =
            filter.into_iter().flat_map(fields).find(|field| !self.indexed_fields.contains(field));
        match unindexed {
            // Only in strict mode does the real server refuse this; it would be slow in any.
            Some(field) => Err(Status::invalid_argument(format!("Index required but not found for {field}"))),
            None => Ok(ids),
        }
    }
}
