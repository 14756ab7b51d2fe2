use std::fs::File;
use std::io::Write as _;

use partsight_app::{Error, NewBatchForm};
use partsight_domain::{BatchItemState, ScanSource};

use crate::shop::in_shop;

/// A zip of photographs for a batch. What is refused is refused for the zip, and what was taken is in the batch.
pub(crate) fn zip(data: &[u8]) {
    in_shop(async |shop| {
        let user = shop.user().await;
        let batches = &shop.app.batches;
        let form = NewBatchForm { name: "Pallet".to_owned(), vehicle_id: None, reads_text: false };
        let id = batches.create(&user, &form, ScanSource::Web).await.expect("a batch is made").id;
        let mut upload = batches.begin_upload(&user, id).await.expect("it takes photographs");
        let result = upload.add_zip(file_of(data)).await;
        let counts = batches.get(&user, id).await.expect("it is there").counts;
        match result {
            Ok(report) => {
                let n_taken = report.n_added + report.n_duplicates;
                assert_eq!(counts.total(), n_taken, "{report:?}");
                assert_eq!(counts.of(BatchItemState::Duplicate), report.n_duplicates, "{report:?}");
            }
            // For its name, where that is longer than a key may be.
            Err(Error::Invalid(error)) => assert!(["zip", "key"].contains(&error.field), "{error:?}"),
            Err(error) => panic!("{error:?}"),
        }
        batches.delete(&user, id).await.expect("it is there");
    });
}

fn file_of(data: &[u8]) -> File {
    let mut file = tempfile::tempfile().expect("the system gives a file");
    file.write_all(data).expect("there is room for it");
    file
}
