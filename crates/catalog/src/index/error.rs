/// Why an index cannot do what it was asked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum IndexError {
    /// An embedding has another width than the index.
    #[error("the embedding has {found} numbers, but the index holds embeddings of {expected}")]
    WrongDimension {
        /// Of the index.
        expected: usize,
        /// Of the embedding.
        found: usize,
    },
    /// An embedding is not of length 1, so that its scores would not be cosines.
    #[error("the embedding has the length {length}, but an index takes embeddings of length 1")]
    NotUnitLength {
        /// Its L2 length.
        length: f32,
    },
    /// No index of this width can be made.
    #[error("an index of {dimension} numbers cannot be made: 2 to 4096 are possible")]
    UnusableDimension {
        /// The width asked for.
        dimension: usize,
    },
    /// A setting of the index server cannot be used.
    #[error("the setting `{name}` is {found}, but it must be {expected}")]
    InvalidSetting {
        /// The setting.
        name: &'static str,
        /// Its value.
        found: String,
        /// The rule it breaks.
        expected: &'static str,
    },
    /// The collection on the server is of another width.
    #[error(
        "the collection `{collection}` holds embeddings of {found} numbers, but the model makes {expected}: \
         choose another `qdrant_collection`, or delete this one and run `partsight catalog reindex`"
    )]
    OtherDimension {
        /// The collection.
        collection: String,
        /// Of the model.
        expected: usize,
        /// Of the collection; 0 where it is of no single width.
        found: u64,
    },
    /// The collection on the server compares in another way.
    #[error(
        "the collection `{collection}` measures the distance as `{found}` instead of `Dot`: choose another \
         `qdrant_collection`, or delete this one and run `partsight catalog reindex`"
    )]
    OtherDistance {
        /// The collection.
        collection: String,
        /// What it measures.
        found: String,
    },
    /// The collection on the server holds embeddings of another model.
    #[error(
        "the collection `{collection}` holds embeddings of the model {found}, but the model in use is \
         {expected}: choose another `qdrant_collection`, or delete this one and run `partsight catalog reindex`"
    )]
    OtherModel {
        /// The collection.
        collection: String,
        /// SHA-256 of the model in use.
        expected: String,
        /// SHA-256 of the other, or that none is stated.
        found: String,
    },
    /// The index server does not answer.
    #[error(
        "the vector index at `{url}` does not answer after {attempts} attempts: check that Qdrant runs there"
    )]
    Unavailable {
        /// Where it should be.
        url: String,
        /// How often it was tried.
        attempts: u32,
        /// What the last attempt gave.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The collection is not there: nobody made it yet, or somebody deleted it.
    #[error("the collection `{collection}` is missing")]
    CollectionMissing {
        /// The collection.
        collection: String,
    },
    /// Something else answers where the index server should.
    #[error("at `{url}`, the setting `qdrant_url`, answers {found}: {expected}")]
    WrongPort {
        /// Where.
        url: String,
        /// Who answers.
        found: &'static str,
        /// Which port is meant.
        expected: &'static str,
    },
    /// The index server refused.
    #[error("the vector index at `{url}` refused to {action}")]
    Refused {
        /// Where it is.
        url: String,
        /// What was asked.
        action: &'static str,
        /// What it said.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The index server answered something that it should not.
    #[error("the vector index at `{url}` answered without {missing}")]
    IncompleteAnswer {
        /// Where it is.
        url: String,
        /// What is missing.
        missing: &'static str,
    },
    /// A search in memory could not be run to its end.
    #[error("the search in memory failed")]
    Search {
        /// Why.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}
