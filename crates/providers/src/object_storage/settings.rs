use std::path::Path;

use partsight_domain::{InvalidSetting, Secret, ServiceUrl, settings};

use crate::is_encrypted_or_private;

/// How the address of a bucket begins.
pub(super) const BUCKET: &str = "s3://";

settings! {
    /// A place for the photographs that `keep_photos = "full"` keeps: [photographs outside the database](operations/photographs.md).
    /// With a bucket on another machine, photographs leave yours. Small pictures always stay in the database.
    pub struct ObjectStorageSettings {
        /// Folder or bucket for whole photographs, which are moved there after their scan is answered. Photographs that were
        /// stored before stay where they are, and are read there; those in the database are moved as well.
        "photo_storage" storage: Option<String> = None, without "the database",
            must be "the absolute path of a folder, or `s3://` with a bucket and, if you like, a prefix, such as \
                     `s3://shop-photographs/partsight`"
            if |storage| storage.as_deref().is_none_or(is_storage);
        /// Address of a service with the S3 protocol, such as that of MinIO.
        "s3_endpoint" endpoint: Option<ServiceUrl> = None, without "Amazon S3 in `s3_region`",
            must be "an address such as `https://minio.example.com:9000`; `http` only on this machine or in this network"
            if |url| url.as_deref().is_none_or(is_encrypted_or_private);
        /// Region of the bucket. Most services other than Amazon's accept any.
        "s3_region" region: String = "us-east-1".to_owned(),
            must be "the name of a region, such as `eu-central-1`" if |region| is_name(region);
        /// Id of the access key, which needs the rights `s3:GetObject`, `s3:PutObject`, `s3:DeleteObject` and `s3:ListBucket`.
        "s3_access_key_id" access_key_id: Option<String> = None;
        /// The access key itself.
        "s3_secret_access_key" secret_access_key: Option<Secret> = None;
    }
}

impl ObjectStorageSettings {
    /// The folder or bucket, written in one way; `None` for the database.
    pub fn effective_storage(&self) -> Option<&str> {
        self.storage.as_deref().map(|storage| storage.trim_end_matches('/'))
    }

    /// Where a bucket is asked for, if one is named.
    pub fn effective_endpoint(&self) -> Option<String> {
        let is_bucket = self.effective_storage().is_some_and(|storage| storage.starts_with(BUCKET));
        is_bucket.then(|| self.endpoint_of_buckets())
    }

    /// Where buckets are asked for, whether or not one is named.
    pub(super) fn endpoint_of_buckets(&self) -> String {
        let amazon = || format!("https://s3.{}.amazonaws.com", self.region);
        self.endpoint.as_ref().map_or_else(amazon, |url| url.trim_end_matches('/').to_owned())
    }

    /// Checks the settings that a bucket requires.
    ///
    /// # Errors
    /// No access key.
    pub fn check_together(&self) -> Result<(), InvalidSetting> {
        if self.effective_endpoint().is_none() {
            return Ok(());
        }
        let rule = "set where `photo_storage` is a bucket";
        let id = self.access_key_id.as_deref().unwrap_or_default();
        InvalidSetting::unless(!id.trim().is_empty(), "s3_access_key_id", id, rule)?;
        let has_key = self.secret_access_key.as_ref().is_some_and(|key| !key.reveal().trim().is_empty());
        InvalidSetting::unless(has_key, "s3_secret_access_key", "", rule)
    }
}

fn is_storage(storage: &str) -> bool {
    let Some(place) = storage.strip_prefix(BUCKET) else {
        return Path::new(storage).is_absolute() && !storage.trim_end_matches('/').is_empty();
    };
    let (bucket, prefix) = place.split_once('/').unwrap_or((place, ""));
    let prefix = prefix.trim_end_matches('/');
    // What S3 calls safe in a key; other characters are written in several ways.
    let is_safe = |part: &str| {
        !part.is_empty()
            && !part.starts_with('.')
            && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
    };
    is_name(bucket) && (prefix.is_empty() || prefix.split('/').all(is_safe))
}

/// The names of buckets and regions.
fn is_name(name: &str) -> bool {
    let is_of_names = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-.".contains(&byte);
    (3..=63).contains(&name.len()) && name.bytes().all(is_of_names) && !name.contains("..")
}

#[cfg(test)]
mod tests {
    use partsight_domain::SettingsGroup as _;

    use super::*;

    type Change = fn(&mut ObjectStorageSettings);

    #[test]
    fn a_storage_is_an_absolute_folder_or_a_bucket() {
        let cases = [
            ("/var/lib/photographs", true),
            ("s3://shop-photographs", true),
            ("s3://shop-photographs/partsight/2026/", true),
            ("photographs", false),
            ("/", false),
            ("", false),
            ("s3://", false),
            ("s3://ab", false),
            ("s3://Shop", false),
            ("s3://shop/../other", false),
            ("s3://shop//photographs", false),
            ("s3://shop/a b", false),
            ("https://shop.s3.amazonaws.com", false),
        ];
        for (storage, expected) in cases {
            assert_eq!(is_storage(storage), expected, "{storage}");
        }
    }

    #[test]
    fn a_bucket_needs_a_key_and_an_encrypted_address() {
        let set = || ObjectStorageSettings {
            storage: Some("s3://shop/partsight/".to_owned()),
            access_key_id: Some("id".to_owned()),
            secret_access_key: Some(Secret::new("key")),
            ..ObjectStorageSettings::default()
        };
        let check =
            |settings: &ObjectStorageSettings| settings.check().and_then(|()| settings.check_together());
        assert_eq!(check(&set()), Ok(()));
        assert_eq!(set().effective_storage(), Some("s3://shop/partsight"));
        assert_eq!(set().effective_endpoint().as_deref(), Some("https://s3.us-east-1.amazonaws.com"));
        assert_eq!(check(&ObjectStorageSettings::default()), Ok(()));
        let cases: [(Change, &str); 5] = [
            (|s| s.access_key_id = None, "`s3_access_key_id` is empty"),
            (|s| s.secret_access_key = None, "`s3_secret_access_key` is empty"),
            (|s| s.endpoint = Some(ServiceUrl::new("http://minio.example.com")), "`s3_endpoint`"),
            (|s| s.region = "Frankfurt am Main".to_owned(), "`s3_region`"),
            (|s| s.storage = Some("photographs".to_owned()), "`photo_storage` is photographs"),
        ];
        for (change, expected) in cases {
            let mut settings = set();
            change(&mut settings);
            let message = check(&settings).unwrap_err().to_string();
            assert!(message.contains(expected), "{message}");
        }
        let near = ObjectStorageSettings { endpoint: Some(ServiceUrl::new("http://minio:9000/")), ..set() };
        assert_eq!(check(&near), Ok(()));
        assert_eq!(near.effective_endpoint().as_deref(), Some("http://minio:9000"));
    }
}
