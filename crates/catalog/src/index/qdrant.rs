//! The index on a Qdrant server, for catalogues that several servers share or that do not fit in memory.
//!
//! A collection has the embeddings of one model, which its metadata names: another model has another collection.
//! Among more than 120,000 references searches use Qdrant's graph (HNSW), which may miss a neighbour; results are
//! scored in full precision. Every call is idempotent, so it is retried when the server does not answer.
//!
//! The metadata also states the last synced revision. A server that starts writes only the changes after it.

mod collection;
mod payload;
mod port;
mod retry;
mod settings;

use std::time::Duration;

use partsight_domain::{Category, PartLabel, ReferenceId, ServiceUrl};
use qdrant_client::Qdrant;
use qdrant_client::config::QdrantConfig;
use qdrant_client::qdrant::{
    CountPointsBuilder, DeletePointsBuilder, Filter, PayloadIncludeSelector, PointId, PointStruct,
    PointsIdsList, QuantizationSearchParamsBuilder, QueryPointsBuilder, ScoredPoint, SearchParamsBuilder,
    UpsertPointsBuilder, Value, point_id::PointIdOptions, vector_output::Vector,
};

use super::{
    DIMENSIONS, EmbeddingSpace, IndexEntry, IndexError, IndexFuture, Neighbour, SearchFilter, VectorIndex,
};
use payload::{CATEGORY, LABEL};
use retry::Retry;

pub use collection::{HeldReference, Standing};
pub use settings::QdrantSettings;

/// Points per request: 2 MB with 512 numbers; Qdrant's limit is 64 MB.
const POINTS_A_REQUEST: usize = 512;
/// Number of candidates from quantised vectors, as a multiple of the requested number, before they are scored in
/// full precision.
const OVERSAMPLING: f64 = 2.0;
/// Maximum number of attempts of a call that changes nothing.
const FEW_ATTEMPTS: u32 = 4;
/// Time limit of such a call if no scan waits for it.
const ASKING: Duration = Duration::from_secs(5);

/// The address of the server, and the options of a new collection.
#[derive(Clone)]
pub struct QdrantOptions {
    /// Address of its gRPC interface, such as `http://localhost:6334`.
    pub url: ServiceUrl,
    /// API key of the server, if it requires one.
    pub api_key: Option<String>,
    /// Name of the collection; created if missing.
    pub collection: String,
    /// Shards of a new collection, 1 or more.
    pub shards: u32,
    /// Replicas of each shard of a new collection, 1 or more.
    pub replicas: u32,
    /// Whether a new collection is searched in int8, which is faster and needs less memory.
    pub quantised: bool,
    /// Whether a new collection keeps its full vectors on disk.
    pub on_disk: bool,
    /// Time limit of a search, including retries.
    pub search_deadline: Duration,
    /// Time limit of a change, including retries.
    pub write_deadline: Duration,
}

impl QdrantOptions {
    /// One shard, one replica, quantised, in memory; 1 s for a search and 30 s for a change.
    pub fn new(url: impl Into<String>, collection: impl Into<String>) -> Self {
        Self {
            url: ServiceUrl::new(url),
            api_key: None,
            collection: collection.into(),
            shards: 1,
            replicas: 1,
            quantised: true,
            on_disk: false,
            search_deadline: Duration::from_secs(1),
            write_deadline: Duration::from_secs(30),
        }
    }

    fn check(&self) -> Result<(), IndexError> {
        let invalid =
            |name, found: String, expected| Err(IndexError::InvalidSetting { name, found, expected });
        if self.shards == 0 {
            return invalid("qdrant_shards", self.shards.to_string(), "1 or more");
        }
        if self.replicas == 0 {
            return invalid("qdrant_replicas", self.replicas.to_string(), "1 or more");
        }
        let is_named = (1..=200).contains(&self.collection.len())
            && self.collection.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_".contains(&b));
        if !is_named {
            let expected = "1 to 200 letters, digits, `-` and `_`";
            return invalid("qdrant_collection", self.collection.clone(), expected);
        }
        Ok(())
    }
}

// Without the key, so that it is never logged.
partsight_domain::debug_fields!(QdrantOptions { url, collection });

/// An index on a Qdrant server.
pub struct QdrantIndex {
    space: EmbeddingSpace,
    client: Qdrant,
    options: QdrantOptions,
}

impl QdrantIndex {
    /// Checks the settings, without a request to the server: see [`prepare`](Self::prepare).
    ///
    /// # Errors
    /// [`IndexError::InvalidSetting`], [`IndexError::UnusableDimension`].
    pub fn new(space: EmbeddingSpace, options: QdrantOptions) -> Result<Self, IndexError> {
        options.check()?;
        if !DIMENSIONS.contains(&space.dimension) {
            return Err(IndexError::UnusableDimension { dimension: space.dimension });
        }
        // The client's own limit is the longest; each call has a shorter one in `Retry`.
        let mut config = QdrantConfig::from_url(&options.url)
            .timeout(options.write_deadline)
            .connect_timeout(options.search_deadline)
            // The check would print to the terminal, and too old a server refuses unknown requests anyway.
            .skip_compatibility_check();
        config.api_key.clone_from(&options.api_key);
        let client = config.build().map_err(|source| match source {
            qdrant_client::QdrantError::InvalidUri(_) => IndexError::InvalidSetting {
                name: "qdrant_url",
                found: options.url.to_string(),
                expected: "an address such as `http://localhost:6334`",
            },
            source => IndexError::Refused {
                url: options.url.to_string(),
                action: "be connected",
                source: source.into(),
            },
        })?;
        Ok(Self { space, client, options })
    }

    /// [`new`](Self::new) and [`prepare`](Self::prepare).
    ///
    /// # Errors
    /// Those of both.
    pub async fn open(space: EmbeddingSpace, options: QdrantOptions) -> Result<Self, IndexError> {
        let index = Self::new(space, options)?;
        index.prepare().await?;
        Ok(index)
    }

    fn neighbour(&self, point: ScoredPoint) -> Result<Neighbour, IndexError> {
        let id = point.id.and_then(reference_id);
        let label =
            point.payload.get(LABEL).and_then(Value::as_str).and_then(|label| PartLabel::new(label).ok());
        let category =
            point.payload.get(CATEGORY).and_then(Value::as_str).and_then(|name| Category::from_name(name));
        let embedding = point.vectors.and_then(|vectors| match vectors.get_vector() {
            Some(Vector::Dense(vector)) => Some(vector.data),
            _ => None,
        });
        Ok(Neighbour {
            category,
            id: id.ok_or_else(|| self.incomplete("the id of a reference"))?,
            label: label.ok_or_else(|| self.incomplete("the label of a reference"))?,
            score: point.score,
            embedding: embedding.ok_or_else(|| self.incomplete("the vector of a reference"))?,
        })
    }

    fn incomplete(&self, missing: &'static str) -> IndexError {
        IndexError::IncompleteAnswer { url: self.options.url.to_string(), missing }
    }

    fn retry(&self, deadline: Duration, attempts: u32) -> Retry<'_> {
        Retry { url: &self.options.url, collection: &self.options.collection, deadline, attempts }
    }

    /// For calls that a scan waits for.
    fn searching(&self) -> Retry<'_> {
        self.retry(self.options.search_deadline, FEW_ATTEMPTS)
    }

    /// For other calls that only read; the caller can retry.
    fn asking(&self) -> Retry<'_> {
        self.retry(self.options.search_deadline.max(ASKING), FEW_ATTEMPTS)
    }

    /// For changes, where half a change would be worse than waiting.
    fn writing(&self) -> Retry<'_> {
        self.retry(self.options.write_deadline, u32::MAX)
    }
}

impl VectorIndex for QdrantIndex {
    fn space(&self) -> &EmbeddingSpace {
        &self.space
    }

    fn upsert(&self, entries: Vec<IndexEntry>) -> IndexFuture<'_, ()> {
        Box::pin(async move {
            for entry in &entries {
                self.space.check(&entry.embedding)?;
            }
            for entries in entries.chunks(POINTS_A_REQUEST) {
                self.writing()
                    .run("take references", || {
                        let points: Vec<PointStruct> = entries.iter().map(payload::point).collect();
                        // `wait`: the response comes after the change is applied, so that a later search sees it.
                        let request = UpsertPointsBuilder::new(&self.options.collection, points).wait(true);
                        // Rebuilt for each attempt, since the client consumes the request.
                        self.client.upsert_points(request)
                    })
                    .await?;
            }
            Ok(())
        })
    }

    fn delete(&self, ids: Vec<ReferenceId>) -> IndexFuture<'_, ()> {
        Box::pin(async move {
            for ids in ids.chunks(POINTS_A_REQUEST) {
                self.writing()
                    .run("delete references", || {
                        let ids = ids.iter().map(|id| PointId::from(id.to_string())).collect();
                        let request = DeletePointsBuilder::new(&self.options.collection)
                            .points(PointsIdsList { ids })
                            .wait(true);
                        self.client.delete_points(request)
                    })
                    .await?;
            }
            Ok(())
        })
    }

    fn search<'a>(
        &'a self,
        query: &'a [f32],
        filter: &'a SearchFilter,
        k: usize,
    ) -> IndexFuture<'a, Vec<Neighbour>> {
        Box::pin(async move {
            self.space.check(query)?;
            if k == 0 {
                return Ok(Vec::new());
            }
            let response = self
                .searching()
                .run("search", || {
                    let rescoring =
                        QuantizationSearchParamsBuilder::default().rescore(true).oversampling(OVERSAMPLING);
                    let request = QueryPointsBuilder::new(&self.options.collection)
                        .query(query.to_vec())
                        .filter(payload::filter(filter))
                        .limit(k as u64)
                        .params(SearchParamsBuilder::default().quantization(rescoring))
                        // A part is scored by the mean direction of its nearest references, which needs their
                        // vectors.
                        .with_vectors(true)
                        .with_payload(PayloadIncludeSelector {
                            fields: vec![LABEL.to_owned(), CATEGORY.to_owned()],
                        });
                    self.client.query(request)
                })
                .await?;
            let points = response.result.into_iter();
            let mut found = points.map(|point| self.neighbour(point)).collect::<Result<Vec<_>, _>>()?;
            // The server does not guarantee an order of equal scores; both kinds of index return the same order.
            found.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.id.cmp(&b.id)));
            Ok(found)
        })
    }

    fn count(&self) -> IndexFuture<'_, u64> {
        Box::pin(async move {
            let response = self
                .asking()
                .run("count references", || {
                    self.client.count(CountPointsBuilder::new(&self.options.collection).exact(true))
                })
                .await?;
            Ok(response.result.ok_or_else(|| self.incomplete("a count"))?.count)
        })
    }

    fn clear(&self) -> IndexFuture<'_, ()> {
        Box::pin(async move {
            self.writing()
                .run("delete references", || {
                    // A filter without conditions matches every point.
                    let request = DeletePointsBuilder::new(&self.options.collection)
                        .points(Filter::default())
                        .wait(true);
                    self.client.delete_points(request)
                })
                .await?;
            Ok(())
        })
    }
}

partsight_domain::debug_fields!(QdrantIndex { space, options });

/// The reference of a point; `None` for a point that is not ours.
fn reference_id(id: PointId) -> Option<ReferenceId> {
    match id.point_id_options {
        Some(PointIdOptions::Uuid(id)) => id.parse().ok(),
        _ => None,
    }
}
