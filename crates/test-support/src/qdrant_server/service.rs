//! The calls of the protocol that the index makes; all others are answered with "unimplemented".

use std::collections::{BTreeMap, BTreeSet};
use std::pin::Pin;
use std::sync::atomic::Ordering;
use std::sync::{Arc, MutexGuard};

use ::qdrant_client::qdrant::collections_server::Collections;
use ::qdrant_client::qdrant::point_id::PointIdOptions;
use ::qdrant_client::qdrant::points_selector::PointsSelectorOneOf;
use ::qdrant_client::qdrant::points_server::Points;
use ::qdrant_client::qdrant::vectors::VectorsOptions;
#[cfg_attr(
    not(test),
    expect(clippy::wildcard_imports, reason = "the two services name some eighty messages")
)]
use ::qdrant_client::qdrant::*;
use tonic::{Code, Request, Response, Status};

use super::{Collection, Shared};

/// Both services of the protocol, on what one server holds.
pub(super) struct Service(pub(super) Arc<Shared>);

type Answer<T> = Result<Response<T>, Status>;

impl Service {
    /// Every call begins here: counted, and failed when that is asked for.
    fn collections(&self) -> Result<MutexGuard<'_, BTreeMap<String, Collection>>, Status> {
        self.0.calls.fetch_add(1, Ordering::SeqCst);
        // Counted down to 0 and no further: `checked_sub` refuses there.
        let fails = self.0.failures.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |n| n.checked_sub(1));
        if fails.is_ok() {
            return Err(Status::unavailable("the server is being moved"));
        }
        Ok(self.0.collections.lock().unwrap())
    }

    /// As [`with`](Self::with), for a call that changes something.
    fn change<T>(
        &self,
        name: &str,
        work: impl FnOnce(&mut Collection) -> Result<T, Status>,
    ) -> Result<T, Status> {
        self.0.writes.fetch_add(1, Ordering::SeqCst);
        self.with(name, work)
    }

    fn with<T>(
        &self,
        name: &str,
        work: impl FnOnce(&mut Collection) -> Result<T, Status>,
    ) -> Result<T, Status> {
        let mut collections = self.collections()?;
        let missing =
            || Status::new(Code::NotFound, format!("Not found: Collection `{name}` doesn't exist!"));
        work(collections.get_mut(name).ok_or_else(missing)?)
    }
}

/// The one vector of a point, as answers hold it.
fn as_answered(vector: &[f32]) -> VectorsOutput {
    let dense = vector_output::Vector::Dense(DenseVector { data: vector.to_vec() });
    let vector = VectorOutput { vector: Some(dense), ..VectorOutput::default() };
    VectorsOutput { vectors_options: Some(vectors_output::VectorsOptions::Vector(vector)) }
}

fn uuid_of(id: Option<PointId>) -> Result<String, Status> {
    match id.and_then(|id| id.point_id_options) {
        Some(PointIdOptions::Uuid(id)) => Ok(id),
        _ => Err(Status::invalid_argument("this server takes ids that are UUIDs")),
    }
}

fn dense(vectors: Option<Vectors>) -> Result<Vec<f32>, Status> {
    let Some(VectorsOptions::Vector(vector)) = vectors.and_then(|vectors| vectors.vectors_options) else {
        return Err(Status::invalid_argument("a point has no vector"));
    };
    match vector.vector {
        Some(vector::Vector::Dense(dense)) => Ok(dense.data),
        _ => Err(Status::invalid_argument("a vector is not dense")),
    }
}

fn done() -> Response<PointsOperationResponse> {
    let result = UpdateResult { operation_id: Some(1), status: UpdateStatus::Completed.into() };
    Response::new(PointsOperationResponse { result: Some(result), ..PointsOperationResponse::default() })
}

fn waits(wait: Option<bool>) -> Result<(), Status> {
    // Without it the real server answers before a change can be found.
    wait.filter(|wait| *wait).map(drop).ok_or_else(|| Status::invalid_argument("the change does not wait"))
}

/// Calls that are answered with "unimplemented".
macro_rules! not_served {
    ($($name:ident($request:ty) -> $response:ty;)*) => {$(
        // Written as `async_trait` would write it, which does not look into macros.
        fn $name<'life0, 'async_trait>(
            &'life0 self,
            _: Request<$request>,
        ) -> Pin<Box<dyn Future<Output = Answer<$response>> + Send + 'async_trait>>
        where
            'life0: 'async_trait,
            Self: 'async_trait,
        {
            Box::pin(async { Err(Status::unimplemented(stringify!($name))) })
        }
    )*};
}

#[tonic::async_trait]
impl Collections for Service {
    async fn collection_exists(
        &self,
        request: Request<CollectionExistsRequest>,
    ) -> Answer<CollectionExistsResponse> {
        let exists = self.collections()?.contains_key(&request.into_inner().collection_name);
        Ok(Response::new(CollectionExistsResponse { result: Some(CollectionExists { exists }), time: 0.0 }))
    }

    async fn create(&self, request: Request<CreateCollection>) -> Answer<CollectionOperationResponse> {
        let made_as = request.into_inner();
        self.0.writes.fetch_add(1, Ordering::SeqCst);
        let mut collections = self.collections()?;
        if collections.contains_key(&made_as.collection_name) {
            let text = format!("Wrong input: Collection `{}` already exists!", made_as.collection_name);
            return Err(Status::already_exists(text));
        }
        let name = made_as.collection_name.clone();
        let collection = Collection { made_as, indexed_fields: BTreeSet::new(), points: BTreeMap::new() };
        collections.insert(name, collection);
        Ok(Response::new(CollectionOperationResponse { result: true, time: 0.0 }))
    }

    async fn get(&self, request: Request<GetCollectionInfoRequest>) -> Answer<GetCollectionInfoResponse> {
        self.with(&request.into_inner().collection_name, |collection| {
            let config = CollectionConfig {
                params: Some(CollectionParams {
                    vectors_config: collection.made_as.vectors_config.clone(),
                    ..CollectionParams::default()
                }),
                hnsw_config: collection.made_as.hnsw_config,
                metadata: collection.made_as.metadata.clone(),
                ..CollectionConfig::default()
            };
            let schema = |field: &String| (field.clone(), PayloadSchemaInfo::default());
            let info = CollectionInfo {
                status: CollectionStatus::Green.into(),
                config: Some(config),
                payload_schema: collection.indexed_fields.iter().map(schema).collect(),
                ..CollectionInfo::default()
            };
            Ok(Response::new(GetCollectionInfoResponse { result: Some(info), time: 0.0 }))
        })
    }

    async fn update(&self, request: Request<UpdateCollection>) -> Answer<CollectionOperationResponse> {
        let request = request.into_inner();
        self.change(&request.collection_name, |collection| {
            collection.made_as.metadata.extend(request.metadata);
            if request.hnsw_config.is_some() {
                collection.made_as.hnsw_config = request.hnsw_config;
            }
            Ok(Response::new(CollectionOperationResponse { result: true, time: 0.0 }))
        })
    }

    not_served! {
        list(ListCollectionsRequest) -> ListCollectionsResponse;
        delete(DeleteCollection) -> CollectionOperationResponse;
        update_aliases(ChangeAliases) -> CollectionOperationResponse;
        list_collection_aliases(ListCollectionAliasesRequest) -> ListAliasesResponse;
        list_aliases(ListAliasesRequest) -> ListAliasesResponse;
        collection_cluster_info(CollectionClusterInfoRequest) -> CollectionClusterInfoResponse;
        update_collection_cluster_setup(UpdateCollectionClusterSetupRequest) -> UpdateCollectionClusterSetupResponse;
        create_shard_key(CreateShardKeyRequest) -> CreateShardKeyResponse;
        delete_shard_key(DeleteShardKeyRequest) -> DeleteShardKeyResponse;
        list_shard_keys(ListShardKeysRequest) -> ListShardKeysResponse;
    }
}

#[tonic::async_trait]
impl Points for Service {
    async fn create_field_index(
        &self,
        request: Request<CreateFieldIndexCollection>,
    ) -> Answer<PointsOperationResponse> {
        let request = request.into_inner();
        self.change(&request.collection_name, |collection| {
            collection.indexed_fields.insert(request.field_name);
            Ok(done())
        })
    }

    async fn upsert(&self, request: Request<UpsertPoints>) -> Answer<PointsOperationResponse> {
        let request = request.into_inner();
        waits(request.wait)?;
        self.change(&request.collection_name, |collection| {
            // All are looked at before any is taken, so that one bad point leaves the collection as it was.
            let mut points = Vec::new();
            for point in request.points {
                let vector = collection.checked(dense(point.vectors)?)?;
                points.push((uuid_of(point.id)?, (vector, point.payload)));
            }
            collection.points.extend(points);
            Ok(done())
        })
    }

    async fn delete(&self, request: Request<DeletePoints>) -> Answer<PointsOperationResponse> {
        let request = request.into_inner();
        waits(request.wait)?;
        self.change(&request.collection_name, |collection| {
            let ids = match request.points.and_then(|selector| selector.points_selector_one_of) {
                Some(PointsSelectorOneOf::Points(list)) => {
                    list.ids.into_iter().map(|id| uuid_of(Some(id))).collect::<Result<_, _>>()?
                }
                Some(PointsSelectorOneOf::Filter(filter)) => collection.passing(Some(&filter))?,
                None => return Err(Status::invalid_argument("which points to delete is missing")),
            };
            collection.points.retain(|id, _| !ids.contains(id));
            Ok(done())
        })
    }

    async fn count(&self, request: Request<CountPoints>) -> Answer<CountResponse> {
        let request = request.into_inner();
        self.with(&request.collection_name, |collection| {
            let count = collection.passing(request.filter.as_ref())?.len() as u64;
            Ok(Response::new(CountResponse {
                result: Some(CountResult { count }),
                ..CountResponse::default()
            }))
        })
    }

    async fn scroll(&self, request: Request<ScrollPoints>) -> Answer<ScrollResponse> {
        let request = request.into_inner();
        let from = request.offset.map(|id| uuid_of(Some(id))).transpose()?;
        self.with(&request.collection_name, |collection| {
            // The real server has a default as well.
            let limit = request.limit.unwrap_or(10) as usize;
            let mut ids = collection.passing(request.filter.as_ref())?.into_iter();
            // As with the real server, the offset is the first id of the page, and ids are in order.
            let mut left = ids.by_ref().skip_while(|id| from.as_ref().is_some_and(|from| id < from));
            let page: Vec<String> = left.by_ref().take(limit).collect();
            let next_page_offset = left.next().map(PointId::from);
            let result = page.into_iter().map(|id| RetrievedPoint {
                payload: collection.points[&id].1.clone(),
                id: Some(PointId::from(id)),
                ..RetrievedPoint::default()
            });
            let result = result.collect();
            Ok(Response::new(ScrollResponse { next_page_offset, result, ..ScrollResponse::default() }))
        })
    }

    async fn query(&self, request: Request<QueryPoints>) -> Answer<QueryResponse> {
        let request = request.into_inner();
        let with_vectors = match request.with_vectors.and_then(|wanted| wanted.selector_options) {
            None => false,
            Some(with_vectors_selector::SelectorOptions::Enable(wanted)) => wanted,
            Some(other) => return Err(Status::unimplemented(format!("{other:?}"))),
        };
        let nearest = match request.query.and_then(|query| query.variant) {
            Some(query::Variant::Nearest(VectorInput {
                variant: Some(vector_input::Variant::Dense(dense)),
            })) => dense.data,
            other => return Err(Status::unimplemented(format!("{other:?}"))),
        };
        self.with(&request.collection_name, |collection| {
            let nearest = collection.checked(nearest)?;
            let mut result = Vec::new();
            for id in collection.passing(request.filter.as_ref())? {
                let (vector, payload) = &collection.points[&id];
                // A dot product, which for vectors of length 1 is the cosine.
                let score = vector.iter().zip(&nearest).map(|(a, b)| a * b).sum();
                let (id, payload) = (Some(PointId::from(id)), payload.clone());
                let vectors = with_vectors.then(|| as_answered(vector));
                result.push(ScoredPoint { id, payload, score, vectors, ..ScoredPoint::default() });
            }
            result.sort_by(|a, b| b.score.total_cmp(&a.score));
            // The real server has a default as well.
            result.truncate(request.limit.unwrap_or(10) as usize);
            Ok(Response::new(QueryResponse { result, ..QueryResponse::default() }))
        })
    }

    not_served! {
        get(GetPoints) -> GetResponse;
        update_vectors(UpdatePointVectors) -> PointsOperationResponse;
        delete_vectors(DeletePointVectors) -> PointsOperationResponse;
        set_payload(SetPayloadPoints) -> PointsOperationResponse;
        overwrite_payload(SetPayloadPoints) -> PointsOperationResponse;
        delete_payload(DeletePayloadPoints) -> PointsOperationResponse;
        clear_payload(ClearPayloadPoints) -> PointsOperationResponse;
        delete_field_index(DeleteFieldIndexCollection) -> PointsOperationResponse;
        create_vector_name(CreateVectorNameRequest) -> PointsOperationResponse;
        delete_vector_name(DeleteVectorNameRequest) -> PointsOperationResponse;
        search(SearchPoints) -> SearchResponse;
        search_batch(SearchBatchPoints) -> SearchBatchResponse;
        search_groups(SearchPointGroups) -> SearchGroupsResponse;
        recommend(RecommendPoints) -> RecommendResponse;
        recommend_batch(RecommendBatchPoints) -> RecommendBatchResponse;
        recommend_groups(RecommendPointGroups) -> RecommendGroupsResponse;
        discover(DiscoverPoints) -> DiscoverResponse;
        discover_batch(DiscoverBatchPoints) -> DiscoverBatchResponse;
        update_batch(UpdateBatchPoints) -> UpdateBatchResponse;
        query_batch(QueryBatchPoints) -> QueryBatchResponse;
        query_groups(QueryPointGroups) -> QueryGroupsResponse;
        facet(FacetCounts) -> FacetResponse;
        search_matrix_pairs(SearchMatrixPoints) -> SearchMatrixPairsResponse;
        search_matrix_offsets(SearchMatrixPoints) -> SearchMatrixOffsetsResponse;
    }
}
