//! The collection as a whole: creating it, its metadata, and listing its references.

use std::collections::HashMap;

use futures_util::future::try_join_all;
use partsight_domain::ReferenceId;
use qdrant_client::qdrant::vectors_config::Config as VectorsConfigKind;
use qdrant_client::qdrant::{
    CollectionInfo, CreateCollectionBuilder, CreateFieldIndexCollectionBuilder, Distance, FieldType,
    HnswConfigDiff, HnswConfigDiffBuilder, IntegerIndexParamsBuilder, KeywordIndexParamsBuilder,
    PayloadIncludeSelector, PointId, QuantizationType, ScalarQuantizationBuilder, ScrollPointsBuilder,
    UpdateCollection, Value, VectorParamsBuilder,
};

use super::super::IndexError;
use super::payload::{self, REVISION, TENANT};
use super::{QdrantIndex, port, reference_id};

/// Metadata key of the model's hash.
const MODEL: &str = "model_sha256";
/// Metadata key of the last synced revision.
const TOLD: &str = "revision";
/// Links of a point in the graph, and the candidates among which they are chosen. With Qdrant's own (16 and 100), the
/// graph misses up to a third of the references that resemble no other: `benches/README.md`, "Compared with a
/// Qdrant server".
const LINKS: u64 = 32;
const LINK_CANDIDATES: u64 = 200;
/// Up to so many references that a search may find, every one is compared, in int8 if the collection is quantised: no
/// graph leads to a reference that is further from all others than these are from each other.
const COMPARED_WHOLE: u64 = 120_000;

/// The state of a collection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Standing {
    /// The last revision up to which it was completely synced; `None` if it never was.
    pub revision: Option<i64>,
    /// Whether it was missing and has just been created, by this or another server.
    pub was_made: bool,
}

/// A reference in a collection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HeldReference {
    /// The reference.
    pub id: ReferenceId,
    /// The revision with which it was inserted; 0 if it was inserted before revisions were stored.
    pub revision: i64,
}

impl QdrantIndex {
    /// Checks the collection, and creates what is missing. A complete collection is not modified. If its graph is
    /// one of an earlier version, the server builds it anew in the background, and searches go on meanwhile.
    ///
    /// # Errors
    /// [`IndexError::Unavailable`] if no server answers, [`IndexError::WrongPort`] if another service does;
    /// [`IndexError::OtherDimension`], [`IndexError::OtherDistance`] and [`IndexError::OtherModel`] for a
    /// collection with other contents, which is not modified; [`IndexError::Refused`].
    pub async fn prepare(&self) -> Result<Standing, IndexError> {
        let (info, was_made) = match self.describe().await {
            Err(IndexError::CollectionMissing { .. }) => {
                // Another server may be creating it at the same time, so the result is checked afterwards.
                let made = self.create().await;
                match self.describe().await {
                    Err(IndexError::CollectionMissing { .. }) => {
                        // No other server has created it either, so our failure is the error to report.
                        made?;
                        (self.describe().await?, true)
                    }
                    info => (info?, true),
                }
            }
            // Most often the setting has the HTTP port; this is checked only after a failure.
            Err(error @ IndexError::Unavailable { .. }) => {
                return Err(port::explain(&self.options.url, error).await);
            }
            info => (info?, false),
        };
        self.check(&info)?;
        self.improve_graph(&info).await?;
        self.create_payload_indexes(&info).await?;
        let metadata = info.config.as_ref().map(|config| &config.metadata);
        let revision = metadata.and_then(|metadata| metadata.get(TOLD)?.as_integer());
        Ok(Standing { revision, was_made })
    }

    /// Stores the last synced revision; 0 before a sync from the start.
    ///
    /// # Errors
    /// [`IndexError::Unavailable`], [`IndexError::Refused`], [`IndexError::CollectionMissing`].
    pub async fn state_revision(&self, revision: i64) -> Result<(), IndexError> {
        self.writing()
            .run("note what it was told", || {
                self.client.update_collection(UpdateCollection {
                    collection_name: self.options.collection.clone(),
                    // The server merges it with the existing metadata: the model's hash stays.
                    metadata: HashMap::from([(TOLD.to_owned(), Value::from(revision))]),
                    ..UpdateCollection::default()
                })
            })
            .await?;
        Ok(())
    }

    /// Up to `limit` of its references in order of their ids, starting at `from`, and the id at which the next page
    /// starts; `None` at the end.
    ///
    /// # Errors
    /// [`IndexError::Unavailable`], [`IndexError::Refused`], [`IndexError::CollectionMissing`],
    /// [`IndexError::IncompleteAnswer`] for a point that is not a reference.
    pub async fn list_held(
        &self,
        from: Option<ReferenceId>,
        limit: u32,
    ) -> Result<(Vec<HeldReference>, Option<ReferenceId>), IndexError> {
        let response = self
            .asking()
            .run("list references", || {
                let request = ScrollPointsBuilder::new(&self.options.collection)
                    .limit(limit)
                    // Ids and revisions are enough for the comparison, and a page of 1,000 stays small.
                    .with_vectors(false)
                    .with_payload(PayloadIncludeSelector { fields: vec![REVISION.to_owned()] });
                self.client.scroll(match from {
                    Some(id) => request.offset(PointId::from(id.to_string())),
                    None => request,
                })
            })
            .await?;
        let id_of = |id: Option<PointId>| {
            id.and_then(reference_id).ok_or_else(|| self.incomplete("the id of a reference"))
        };
        let held = response.result.into_iter().map(|point| {
            let revision = point.payload.get(REVISION).and_then(Value::as_integer).unwrap_or(0);
            Ok(HeldReference { id: id_of(point.id)?, revision })
        });
        let held = held.collect::<Result<_, IndexError>>()?;
        let next = response.next_page_offset.map(|next| id_of(Some(next))).transpose()?;
        Ok((held, next))
    }

    async fn describe(&self) -> Result<CollectionInfo, IndexError> {
        let name = &self.options.collection;
        let response =
            self.asking().run("describe the collection", || self.client.collection_info(name)).await?;
        response.result.ok_or_else(|| self.incomplete("a description of the collection"))
    }

    async fn create(&self) -> Result<(), IndexError> {
        let options = &self.options;
        self.writing()
            .run("make the collection", || {
                // Dot instead of cosine: the vectors have length 1, and Qdrant would normalise them again.
                let vectors = VectorParamsBuilder::new(self.space.dimension as u64, Distance::Dot)
                    .on_disk(options.on_disk);
                let mut request = CreateCollectionBuilder::new(&options.collection)
                    .vectors_config(vectors)
                    .hnsw_config(self.graph())
                    .shard_number(options.shards)
                    .replication_factor(options.replicas);
                if options.quantised {
                    request = request.quantization_config(
                        ScalarQuantizationBuilder::default()
                            .r#type(QuantizationType::Int8.into())
                            // Every search reads these, so they stay in memory even if full vectors are on disk.
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

    fn check(&self, info: &CollectionInfo) -> Result<(), IndexError> {
        let collection = self.options.collection.clone();
        let (size, distance) = vector_params(info);
        // A collection with other contents is never changed or deleted: it may belong to someone else.
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

    fn graph(&self) -> HnswConfigDiffBuilder {
        // In KB of vectors in full precision.
        let compared_whole = COMPARED_WHOLE * self.space.dimension as u64 * 4 / 1_000;
        HnswConfigDiffBuilder::default()
            .m(LINKS)
            .ef_construct(LINK_CANDIDATES)
            .full_scan_threshold(compared_whole)
    }

    /// Improves a graph that an earlier version made; what somebody set higher stays.
    async fn improve_graph(&self, info: &CollectionInfo) -> Result<(), IndexError> {
        let found = info.config.as_ref().and_then(|config| config.hnsw_config).unwrap_or_default();
        let wanted = self.graph().build();
        // `None` is less than any number.
        let improved = HnswConfigDiff {
            m: found.m.max(wanted.m),
            ef_construct: found.ef_construct.max(wanted.ef_construct),
            full_scan_threshold: found.full_scan_threshold.max(wanted.full_scan_threshold),
            ..found
        };
        if improved == found {
            return Ok(());
        }
        self.writing()
            .run("improve its graph", || {
                self.client.update_collection(UpdateCollection {
                    collection_name: self.options.collection.clone(),
                    hnsw_config: Some(improved),
                    ..UpdateCollection::default()
                })
            })
            .await?;
        Ok(())
    }

    /// Creates missing indexes, all at once, so that filters do not read every point. A new collection is still
    /// empty, so this costs nothing.
    async fn create_payload_indexes(&self, info: &CollectionInfo) -> Result<(), IndexError> {
        let missing = payload::indexed_fields()
            .into_iter()
            .filter(|(field, _)| !info.payload_schema.contains_key(field))
            .map(|(field, kind)| async move {
                self.writing()
                    .run("index a field", || {
                        let request =
                            CreateFieldIndexCollectionBuilder::new(&self.options.collection, &field, kind)
                                .wait(true);
                        let request = match kind {
                            FieldType::Keyword => request.field_index_params(
                                // Lets the server store the points of a tenant together.
                                KeywordIndexParamsBuilder::default().is_tenant(field == TENANT),
                            ),
                            FieldType::Integer => {
                                // Years are only compared by range, never looked up.
                                request.field_index_params(IntegerIndexParamsBuilder::new(false, true))
                            }
                            _ => request,
                        };
                        self.client.create_field_index(request)
                    })
                    .await
            });
        try_join_all(missing).await?;
        Ok(())
    }
}

/// Dimension and distance of a collection's only vector; 0 and unknown if it has none or several.
fn vector_params(info: &CollectionInfo) -> (u64, Distance) {
    let params = info.config.as_ref().and_then(|config| config.params.as_ref());
    let vectors = params.and_then(|params| params.vectors_config.as_ref()?.config.as_ref());
    match vectors {
        Some(VectorsConfigKind::Params(vector)) => (vector.size, vector.distance()),
        _ => (0, Distance::UnknownDistance),
    }
}
