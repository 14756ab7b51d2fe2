use partsight_domain::{Secret, ServiceUrl};
use partsight_providers::{ObjectStorage, ObjectStorageFailure, ObjectStorageSettings, new_object_key};
use partsight_test_support::fake_bucket::{BUCKET, FakeBucket, KEY, KEY_ID, REGION};
use partsight_test_support::free_address;

fn settings(endpoint: &str) -> ObjectStorageSettings {
    ObjectStorageSettings {
        endpoint: Some(ServiceUrl::new(endpoint)),
        region: REGION.to_owned(),
        access_key_id: Some(KEY_ID.to_owned()),
        secret_access_key: Some(Secret::new(KEY)),
        ..ObjectStorageSettings::default()
    }
}

fn open(storage: &str, settings: &ObjectStorageSettings) -> ObjectStorage {
    ObjectStorage::new(storage, settings).unwrap()
}

/// What every storage does.
async fn keep_the_contract(storage: &ObjectStorage) {
    storage.check().await.unwrap();
    let (one, other) = (new_object_key(), new_object_key());
    assert_ne!(one, other);
    assert_eq!(storage.get(&one).await.unwrap(), None);
    let bytes: Vec<u8> = (0..=255).cycle().take(300_000).collect();
    storage.put(&one, bytes.clone()).await.unwrap();
    assert_eq!(storage.get(&one).await.unwrap(), Some(bytes));
    // As after an attempt that nobody saw the end of.
    storage.put(&one, b"shorter".to_vec()).await.unwrap();
    assert_eq!(storage.get(&one).await.unwrap().as_deref(), Some(&b"shorter"[..]));
    storage.put(&other, vec![0]).await.unwrap();
    storage.delete(&one).await.unwrap();
    storage.delete(&one).await.unwrap();
    assert_eq!(storage.get(&one).await.unwrap(), None);
    assert_eq!(storage.get(&other).await.unwrap(), Some(vec![0]));
}

#[tokio::test]
async fn a_folder_keeps_the_contract() {
    let folder = tempfile::tempdir().unwrap();
    keep_the_contract(&open(folder.path().to_str().unwrap(), &ObjectStorageSettings::default())).await;
}

#[tokio::test]
async fn a_bucket_keeps_the_contract_with_and_without_a_prefix() {
    let bucket = FakeBucket::start().await;
    let settings = settings(&bucket.endpoint);
    keep_the_contract(&open(&format!("s3://{BUCKET}"), &settings)).await;
    keep_the_contract(&open(&format!("s3://{BUCKET}/part/sight"), &settings)).await;
    let keys: Vec<String> = bucket.objects().into_keys().collect();
    assert_eq!(keys.iter().filter(|key| key.starts_with("part/sight/")).count(), 2, "{keys:?}");
    assert_eq!(keys.len(), 4, "{keys:?}");
}

#[tokio::test]
async fn a_folder_that_is_away_has_neither_lost_nor_deleted_anything() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("not-mounted");
    let storage = open(missing.to_str().unwrap(), &ObjectStorageSettings::default());
    assert!(matches!(storage.put("aa/1", vec![0]).await, Err(ObjectStorageFailure::Missing)));
    assert!(matches!(storage.get("aa/1").await, Err(ObjectStorageFailure::Missing)));
    assert!(matches!(storage.delete("aa/1").await, Err(ObjectStorageFailure::Missing)));
    assert!(!missing.exists());
}

#[tokio::test]
async fn a_file_that_was_not_finished_goes_with_its_object() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("aa")).unwrap();
    std::fs::write(folder.path().join("aa/1.part"), "half").unwrap();
    let storage = open(folder.path().to_str().unwrap(), &ObjectStorageSettings::default());
    assert_eq!(storage.get("aa/1").await.unwrap(), None);
    storage.delete("aa/1").await.unwrap();
    assert!(!folder.path().join("aa/1.part").exists());
}

#[tokio::test]
async fn what_is_wrong_with_a_bucket_is_said() {
    let bucket = FakeBucket::start().await;
    let good = settings(&bucket.endpoint);
    let place = format!("s3://{BUCKET}");
    let other_key = ObjectStorageSettings { secret_access_key: Some(Secret::new("another")), ..good.clone() };
    assert!(matches!(open(&place, &other_key).check().await, Err(ObjectStorageFailure::Refused)));
    for answer in [
        open("s3://another-bucket", &good).put("aa/1", vec![0]).await,
        open("s3://another-bucket", &good).get("aa/1").await.map(drop),
        open("s3://another-bucket", &good).delete("aa/1").await,
    ] {
        assert!(matches!(answer, Err(ObjectStorageFailure::Missing)), "{answer:?}");
    }
    let nobody = settings(&format!("http://{}", free_address()));
    let failure = open(&place, &nobody).get("aa/1").await.unwrap_err();
    assert!(matches!(&failure, ObjectStorageFailure::Away { .. }), "{failure}");
    bucket.be_away(true);
    let failure = open(&place, &good).delete("aa/1").await.unwrap_err().to_string();
    assert!(failure.contains("503") && !failure.contains('<'), "{failure}");
    let without_key = ObjectStorageSettings { access_key_id: None, ..good };
    assert!(matches!(ObjectStorage::new(&place, &without_key), Err(ObjectStorageFailure::NoKey)));
}
