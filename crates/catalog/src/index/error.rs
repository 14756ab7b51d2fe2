/// Errors of an index.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum IndexError {
    /// An embedding has another dimension than the index.
    #[error("the embedding has {found} numbers, but the index holds embeddings of {expected}")]
    WrongDimension {
        /// Dimension of the index.
        expected: usize,
        /// Dimension of the embedding.
        found: usize,
    },
    /// An embedding is not of length 1, so its scores would not be cosines.
    #[error("the embedding has the length {length}, but an index takes embeddings of length 1")]
    NotUnitLength {
        /// Its L2 length.
        length: f32,
    },
    /// The dimension is not supported.
    #[error("an index of {dimension} numbers cannot be made: 2 to 4096 are possible")]
    UnusableDimension {
        /// The requested dimension.
        dimension: usize,
    },
    /// A setting of the index server is invalid.
    #[error("the setting `{name}` is {found}, but it must be {expected}")]
    InvalidSetting {
        /// The setting.
        name: &'static str,
        /// Its value.
        found: String,
        /// The rule that it violates.
        expected: &'static str,
    },
    /// The collection on the server has another dimension.
    #[error(
        "the collection `{collection}` holds embeddings of {found} numbers, but the model makes {expected}: \
         choose another `qdrant_collection`, or delete this one and run `partsight catalog reindex`"
    )]
    OtherDimension {
        /// The collection.
        collection: String,
        /// Dimension of the model.
        expected: usize,
        /// Dimension of the collection; 0 if it does not have exactly one vector.
        found: u64,
    },
    /// The collection on the server uses another distance.
    #[error(
        "the collection `{collection}` measures the distance as `{found}` instead of `Dot`: choose another \
         `qdrant_collection`, or delete this one and run `partsight catalog reindex`"
    )]
    OtherDistance {
        /// The collection.
        collection: String,
        /// Its distance.
        found: String,
    },
    /// The collection on the server has embeddings of another model.
    #[error(
        "the collection `{collection}` holds embeddings of the model {found}, but the model in use is \
         {expected}: choose another `qdrant_collection`, or delete this one and run `partsight catalog reindex`"
    )]
    OtherModel {
        /// The collection.
        collection: String,
        /// SHA-256 of the model in use.
        expected: String,
        /// SHA-256 of the collection's model, or a text that none is stated.
        found: String,
    },
    /// The index server does not answer.
    #[error(
        "the vector index at `{url}` does not answer after {attempts} attempts: check that Qdrant runs there"
    )]
    Unavailable {
        /// Its address.
        url: String,
        /// Number of attempts.
        attempts: u32,
        /// The error of the last attempt.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The collection does not exist: it was not created yet, or was deleted.
    #[error("the collection `{collection}` is missing")]
    CollectionMissing {
        /// The collection.
        collection: String,
    },
    /// Another service answers at the address of the index server.
    #[error("at `{url}`, the setting `qdrant_url`, answers {found}: {expected}")]
    WrongPort {
        /// The address.
        url: String,
        /// The service that answers.
        found: &'static str,
        /// The expected port.
        expected: &'static str,
    },
    /// The index server refused a request.
    #[error("the vector index at `{url}` refused to {action}")]
    Refused {
        /// Its address.
        url: String,
        /// The request.
        action: &'static str,
        /// Its error.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// A response of the index server is incomplete.
    #[error("the vector index at `{url}` answered without {missing}")]
    IncompleteAnswer {
        /// Its address.
        url: String,
        /// What is missing.
        missing: &'static str,
    },
    /// A search in memory did not complete.
    #[error("the search in memory failed")]
    Search {
        /// The cause.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}
