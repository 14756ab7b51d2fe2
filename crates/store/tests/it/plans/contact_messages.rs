use partsight_domain::{ContactMessage, ContactMessageId, ContactTrap, NewContactMessage};
use uuid::Uuid;

use crate::{TestStore, at, on_each_database};

on_each_database![messages_to_support_are_kept_and_listed_newest_first, a_message_goes_with_its_account];

fn message(second: i64, trapped_by: Option<ContactTrap>) -> ContactMessage {
    ContactMessage {
        id: ContactMessageId(Uuid::now_v7()),
        user_id: None,
        details: NewContactMessage::new("Änne", "ann@example.com", Some("Scans"), "one\ntwo 🚗").unwrap(),
        trapped_by,
        created_at: at(second),
    }
}

async fn messages_to_support_are_kept_and_listed_newest_first(db: &TestStore) {
    let (old, spam, new) = (message(1, None), message(2, Some(ContactTrap::Links)), message(3, None));
    for message in [&old, &spam, &new] {
        db.store.save_contact_message(message, &[]).await.unwrap();
    }
    let list = async |with_trapped, limit| db.store.list_contact_messages(with_trapped, limit).await.unwrap();
    assert_eq!(list(false, 10).await, [new.clone(), old.clone()]);
    assert_eq!(list(true, 10).await, [new.clone(), spam.clone(), old]);
    assert_eq!(list(true, 1).await, [new]);
    assert_eq!(db.store.find_contact_message(spam.id).await.unwrap(), Some(spam));
    let nobody = ContactMessageId(Uuid::now_v7());
    assert_eq!(db.store.find_contact_message(nobody).await.unwrap(), None);
}

async fn a_message_goes_with_its_account(db: &TestStore) {
    let ann = db.user("ann").await;
    let message = ContactMessage { user_id: Some(ann.id), ..message(1, None) };
    db.store.save_contact_message(&message, &[]).await.unwrap();
    assert_eq!(db.store.find_contact_message(message.id).await.unwrap().unwrap().user_id, Some(ann.id));
    db.store.delete_user(ann.id, ann.tenant_id).await.unwrap();
    assert_eq!(db.store.find_contact_message(message.id).await.unwrap(), None);
}
