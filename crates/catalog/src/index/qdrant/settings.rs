use partsight_domain::{Secret, ServiceUrl, is_web_address, settings};

settings! {
    /// References of taught parts are kept in memory unless `qdrant_url` is set: [scaling](scaling.md).
    pub struct QdrantSettings {
        /// A Qdrant server (gRPC) that holds the references of taught parts.
        "qdrant_url" url: Option<ServiceUrl> = None, without "in memory",
            must be "an address such as `http://localhost:6334`"
            if |url| url.as_deref().is_none_or(is_web_address);
        /// API key of that server, if it requires one.
        "qdrant_api_key" api_key: Option<Secret> = None;
        /// Prefix of the names of its collections; the model's hash is appended.
        "qdrant_collection" collection: String = "partsight".to_owned(),
            must be "1 to 100 letters, digits, `-` and `_`" if |name| is_name(name);
        /// Shards of a new collection.
        "qdrant_shards" shards: u32 = 1, in 1..=1000;
        /// Copies of each shard of a new collection.
        "qdrant_replicas" replicas: u32 = 1, in 1..=100;
        /// Whether a new collection is searched in int8: faster, with a quarter of the memory.
        "qdrant_quantised" quantised: bool = true;
        /// Whether a new collection keeps full vectors on disk.
        "qdrant_on_disk" on_disk: bool = false;
    }
}

/// Whether the name of a collection is valid.
fn is_name(name: &str) -> bool {
    (1..=100).contains(&name.len()) && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_".contains(&b))
}
