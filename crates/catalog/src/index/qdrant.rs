//! The index on a Qdrant server, for catalogues that many servers share or that memory does not hold.
//!
//! A collection holds the embeddings of one model, named in its metadata: another model is another collection.
//! Searches go through Qdrant's graph (HNSW), which may miss a neighbour; those found are scored in full
//! precision. Every call is one that may be made twice, so each is made again when the server does not answer.

mod payload;
mod retry;
mod settings;

use std::time::Duration;

use partsight_domain::{Category, PartLabel, ReferenceId};
use qdrant_client::Qdrant;
use qdrant_client::config::QdrantConfig;
use qdrant_client::qdrant::vectors_config::Config as VectorsConfigKind;
use qdrant_client::qdrant::{
    CollectionInfo, CountPointsBuilder, CreateCollectionBuilder, CreateFieldIndexCollectionBuilder,
    DeletePointsBuilder, Distance, FieldType, Filter, IntegerIndexParamsBuilder, KeywordIndexParamsBuilder,
    PayloadIncludeSelector, PointId, PointStruct, PointsIdsList, QuantizationSearchParamsBuilder,
    QuantizationType, QueryPointsBuilder, ScalarQuantizationBuilder, ScoredPoint, SearchParamsBuilder,
    UpsertPointsBuilder, Value, VectorParamsBuilder, point_id::PointIdOptions, vector_output::Vector,
};

use super::{
    DIMENSIONS, EmbeddingSpace, IndexEntry, IndexError, IndexFuture, Neighbour, SearchFilter, VectorIndex,
};
use payload::{CATEGORY, LABEL, TENANT};
use retry::Retry;

pub use settings::QdrantSettings;

/// Points in one request: 2 MB at 512 numbers, where Qdrant takes up to 64.
const POINTS_A_REQUEST: usize = 512;
/// The key of the collection's metadata that names the model.
const MODEL: &str = "model_sha256";
/// Candidates that are looked up by their quantised form, in multiples of those wanted, before they are scored
/// again in full precision.
const OVERSAMPLING: f64 = 2.0;

/// Where the server is and how a collection is laid out when it is made.
#[derive(Clone)]
pub struct QdrantOptions {
    /// Address of its gRPC interface, such as `http://localhost:6334`.
    pub url: String,
    /// What it asks of its clients, if anything.
    pub api_key: Option<String>,
    /// Name of the collection; made when missing.
    pub collection: String,
    /// Shards of a new collection, 1 or more.
    pub shards: u32,
    /// Copies of each shard of a new collection, 1 or more.
    pub replicas: u32,
    /// Whether a new collection is searched by one byte a number, which is quicker and takes less memory.
    pub quantised: bool,
    /// Whether a new collection leaves its full vectors on disk.
    pub on_disk: bool,
    /// How long a search may take, all attempts together.
    pub search_deadline: Duration,
    /// How long a change may take, all attempts together.
    pub write_deadline: Duration,
}

impl QdrantOptions {
    /// One shard, one copy, quantised, in memory; a second for a search and half a minute for a change.
    pub fn new(url: impl Into<String>, collection: impl Into<String>) -> Self {
        Self {
            url: url.into(),
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

// Without the key, so that it gets into no log.
partsight_domain::debug_fields!(QdrantOptions { url, collection });

/// An index on a Qdrant server.
pub struct QdrantIndex {
    space: EmbeddingSpace,
    client: Qdrant,
    options: QdrantOptions,
}

impl QdrantIndex {
    /// Connects, and makes the collection when it is missing.
    ///
    /// # Errors
    /// [`IndexError::InvalidSetting`]; [`IndexError::Unavailable`] when no server answers;
    /// [`IndexError::OtherDimension`], [`IndexError::OtherDistance`] and [`IndexError::OtherModel`] for a
    /// collection that holds something else, which is left as it is; [`IndexError::Refused`].
    pub async fn open(space: EmbeddingSpace, options: QdrantOptions) -> Result<Self, IndexError> {
        options.check()?;
        if !DIMENSIONS.contains(&space.dimension) {
            return Err(IndexError::UnusableDimension { dimension: space.dimension });
        }
        let mut config = QdrantConfig::from_url(&options.url)
            .timeout(options.write_deadline)
            .connect_timeout(options.search_deadline)
            // The check would print to the terminal, and what is too old refuses what it does not know.
            .skip_compatibility_check();
        config.api_key.clone_from(&options.api_key);
        let client = config.build().map_err(|source| match source {
            qdrant_client::QdrantError::InvalidUri(_) => IndexError::InvalidSetting {
                name: "qdrant_url",
                found: options.url.clone(),
                expected: "an address such as `http://localhost:6334`",
            },
            source => IndexError::Refused {
                url: options.url.clone(),
                action: "be connected",
                source: source.into(),
            },
        })?;
        let index = Self { space, client, options };
        if !index.exists().await? {
            // Another server may be making it at this moment; what counts is what is there afterwards.
            if let Err(error) = index.create().await
                && !index.exists().await?
            {
                return Err(error);
            }
        }
        index.check_collection().await?;
        index.create_payload_indexes().await?;
        Ok(index)
    }

    async fn exists(&self) -> Result<bool, IndexError> {
        let name = &self.options.collection;
        self.writing().run("look for the collection", || self.client.collection_exists(name)).await
    }

    async fn create(&self) -> Result<(), IndexError> {
        let options = &self.options;
        self.writing()
            .run("make the collection", || {
                let vectors = VectorParamsBuilder::new(self.space.dimension as u64, Distance::Dot)
                    .on_disk(options.on_disk);
                let mut request = CreateCollectionBuilder::new(&options.collection)
                    .vectors_config(vectors)
                    .shard_number(options.shards)
                    .replication_factor(options.replicas);
                if options.quantised {
                    request = request.quantization_config(
                        ScalarQuantizationBuilder::default()
                            .r#type(QuantizationType::Int8.into())
                            .always_ram(true),
                    );
                }
                let mut request = request.build();
                request.metadata.insert(MODEL.to_owned(), self.space.model_sha256.as_str().into());
                self.client.create_collection(request)
            })
            .await?;
        Ok(())
    }

    async fn check_collection(&self) -> Result<(), IndexError> {
        let collection = self.options.collection.clone();
        let response = self
            .writing()
            .run("describe the collection", || self.client.collection_info(&collection))
            .await?;
        let info = response.result.ok_or_else(|| self.incomplete("a description of the collection"))?;
        let (size, distance) = vector_params(&info);
        if size != self.space.dimension as u64 {
            let expected = self.space.dimension;
            return Err(IndexError::OtherDimension { collection, expected, found: size });
        }
        if distance != Distance::Dot {
            return Err(IndexError::OtherDistance { collection, found: distance.as_str_name().to_owned() });
        }
        let found = info.config.as_ref().and_then(|config| config.metadata.get(MODEL)?.as_str().cloned());
        if found.as_deref() == Some(self.space.model_sha256.as_str()) {
            return Ok(());
        }
        Err(IndexError::OtherModel {
            collection,
            expected: self.space.model_sha256.clone(),
            found: found.unwrap_or_else(|| "that its metadata does not name".to_owned()),
        })
    }

    /// So that filters do not read every point. An index that is there is left as it is.
    async fn create_payload_indexes(&self) -> Result<(), IndexError> {
        for (field, kind) in payload::indexed_fields() {
            self.writing()
                .run("index a field", || {
                    let request =
                        CreateFieldIndexCollectionBuilder::new(&self.options.collection, &field, kind)
                            .wait(true);
                    let request = match kind {
                        FieldType::Keyword => request.field_index_params(
                            KeywordIndexParamsBuilder::default().is_tenant(field == TENANT),
                        ),
                        FieldType::Integer => {
                            request.field_index_params(IntegerIndexParamsBuilder::new(false, true))
                        }
                        _ => request,
                    };
                    self.client.create_field_index(request)
                })
                .await?;
        }
        Ok(())
    }

    fn neighbour(&self, point: ScoredPoint) -> Result<Neighbour, IndexError> {
        let id = match point.id.and_then(|id| id.point_id_options) {
            Some(PointIdOptions::Uuid(id)) => id.parse::<ReferenceId>().ok(),
            _ => None,
        };
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
        IndexError::IncompleteAnswer { url: self.options.url.clone(), missing }
    }

    fn searching(&self) -> Retry<'_> {
        Retry { url: &self.options.url, deadline: self.options.search_deadline }
    }

    fn writing(&self) -> Retry<'_> {
        Retry { url: &self.options.url, deadline: self.options.write_deadline }
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
                        let request = UpsertPointsBuilder::new(&self.options.collection, points).wait(true);
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
                        .with_vectors(true)
                        .with_payload(PayloadIncludeSelector {
                            fields: vec![LABEL.to_owned(), CATEGORY.to_owned()],
                        });
                    self.client.query(request)
                })
                .await?;
            let points = response.result.into_iter();
            let mut found = points.map(|point| self.neighbour(point)).collect::<Result<Vec<_>, _>>()?;
            found.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.id.cmp(&b.id)));
            Ok(found)
        })
    }

    fn count(&self) -> IndexFuture<'_, u64> {
        Box::pin(async move {
            let response = self
                .writing()
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
                    // A filter without conditions holds for every point.
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

/// Width and distance of a collection's one vector; 0 and unknown where it has none or several.
fn vector_params(info: &CollectionInfo) -> (u64, Distance) {
    let params = info.config.as_ref().and_then(|config| config.params.as_ref());
    let vectors = params.and_then(|params| params.vectors_config.as_ref()?.config.as_ref());
    match vectors {
        Some(VectorsConfigKind::Params(vector)) => (vector.size, vector.distance()),
        _ => (0, Distance::UnknownDistance),
    }
}
