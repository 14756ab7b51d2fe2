use partsight_store::ProfilePicture;

use crate::{TestStore, at, on_each_database};

on_each_database![a_person_has_one_picture_or_none];

async fn a_person_has_one_picture_or_none(db: &TestStore) {
    let (ann, bob) = (db.user("ann").await, db.user("bob").await);
    let picture = |name: &str, second| ProfilePicture {
        picture: format!("data:image/png;base64,{name}"),
        source_url: format!("https://id.example.com/{name}"),
        copied_at: at(second),
    };
    for (name, second) in [("one", 1), ("two", 2)] {
        db.store.set_profile_picture(ann.id, Some(&picture(name, second))).await.unwrap();
    }
    assert_eq!(db.store.find_profile_picture(ann.id).await.unwrap(), Some(picture("two", 2)));
    assert_eq!(db.store.find_profile_picture(bob.id).await.unwrap(), None);
    for _ in 0..2 {
        db.store.set_profile_picture(ann.id, None).await.unwrap();
        assert_eq!(db.store.find_profile_picture(ann.id).await.unwrap(), None);
    }
}
