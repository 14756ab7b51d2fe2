use jiff::Timestamp;
use partsight_domain::{
    Currency, Fitment, LinkTemplate, Offer, OfferSource, Price, PriceListDetails, PriceListId, PriceListItem,
    TenantId, User, VehicleName, folded_number, number_key, part_key,
};
use partsight_store::{Error, ListedNumber, NewPriceList, PartKeys, PublishList, SupplierAnswer};
use uuid::Uuid;

use crate::plans::companies::{company, join};
use crate::{TestStore, at, on_each_database};

on_each_database![
    a_list_is_seen_once_it_is_published_and_by_its_tenant_alone,
    a_list_replaces_the_one_of_its_name_which_can_be_restored,
    lists_and_rows_are_limited,
    deleted_lists_make_room_the_oldest_first,
    what_was_given_up_or_deleted_long_ago_is_purged,
    others_write_while_the_lists_of_an_account_are_deleted,
    an_account_that_cannot_be_deleted_keeps_its_lists,
    rows_are_found_by_type_and_number_for_their_vehicles,
    the_lowest_prices_of_each_list_are_found,
    rows_are_found_by_what_their_number_folds_to,
    answers_are_kept_for_their_tenant_until_they_are_too_old,
];

const LIMITS: (u64, u64) = (50, 1000);

fn details(name: &str) -> PriceListDetails {
    PriceListDetails {
        name: name.to_owned(),
        supplier: "Lee".to_owned(),
        currency: Currency::USD,
        website: Some("https://lee.example".to_owned()),
        url_template: Some(LinkTemplate::new("urlTemplate", "https://lee.example/{number}").unwrap()),
        phone: None,
        shipping_info: Some("2 days".to_owned()),
    }
}

fn row(number: u32, part: &str, part_number: &str, cents: i64) -> PriceListItem {
    PriceListItem {
        row: number,
        type_key: part_key(part),
        number_key: number_key(part_number),
        name: Some(part.to_owned()),
        part_number: Some(part_number.to_owned()).filter(|number| !number.is_empty()),
        brand: None,
        price: Price::new(cents * 100, Currency::USD).unwrap(),
        in_stock: Some(true),
        shipping_info: None,
        url: None,
        notes: None,
        fitment: None,
    }
}

async fn rows_are_found_by_what_their_number_folds_to(db: &TestStore) {
    let (ann, bob) = (db.user("ann").await, db.user("bob").await);
    let rows = [
        row(2, "Rotor", "SP 96051", 4500),
        // Another price of the same part is no other part.
        row(3, "Rotor", "SP 96051", 4700),
        row(4, "Pad", "SP-96052", 2000),
        row(5, "Drum", "", 2000),
        row(6, "Filter", "ÖL-0815", 700),
    ];
    publish(db, &ann, "spring", &rows, at(1)).await;
    let found = db.store.find_listed_numbers(ann.tenant_id, &[folded_number("öl O8i5")]).await.unwrap();
    assert_eq!(found.iter().map(|found| found.part_number.as_str()).collect::<Vec<_>>(), ["ÖL-0815"]);
    save(db, &ann, "summer", &[row(2, "Hub", "SP96051", 900)], at(1)).await;
    let wanted = [folded_number("5P96O51")];
    let found = db.store.find_listed_numbers(ann.tenant_id, &wanted).await.unwrap();
    let expected = ListedNumber {
        type_key: "rotor".to_owned(),
        part_number: "SP 96051".to_owned(),
        brand: None,
        name: Some("Rotor".to_owned()),
    };
    assert_eq!(found, [expected], "of lists in force alone");
    assert_eq!(db.store.find_listed_numbers(bob.tenant_id, &wanted).await.unwrap(), []);
    assert_eq!(db.store.find_listed_numbers(ann.tenant_id, &[]).await.unwrap(), []);
}

/// Saves a list without publishing it.
async fn save(
    db: &TestStore,
    user: &User,
    name: &str,
    rows: &[PriceListItem],
    now: Timestamp,
) -> PriceListId {
    let id = PriceListId(Uuid::now_v7());
    let details = details(name);
    let new = NewPriceList { id, details: &details, user_id: user.id, created_at: now };
    db.store.create_price_list(user.tenant_id, new).await.unwrap();
    assert!(db.store.add_price_list_items(user.tenant_id, id, rows).await.unwrap());
    id
}

async fn publish(
    db: &TestStore,
    user: &User,
    name: &str,
    rows: &[PriceListItem],
    now: Timestamp,
) -> PriceListId {
    let id = save(db, user, name, rows, now).await;
    let published = db.store.publish_list(user.tenant_id, id, LIMITS, now).await.unwrap();
    assert!(matches!(published, PublishList::Published { .. }), "{published:?}");
    id
}

/// The prices in cents of what is found.
async fn prices(db: &TestStore, tenant: TenantId, keys: PartKeys<'_>, vehicle: Option<&str>) -> Vec<i64> {
    let vehicle: Option<VehicleName> = vehicle.map(|name| name.parse().unwrap());
    let found = db.store.find_listed_prices(tenant, keys, vehicle.as_ref()).await.unwrap();
    found.iter().map(|found| found.price.ten_thousandths() / 100).collect()
}

async fn rotors(db: &TestStore, user: &User) -> Vec<i64> {
    prices(db, user.tenant_id, PartKeys::Type(&["brake-rotor".to_owned()]), None).await
}

async fn a_list_is_seen_once_it_is_published_and_by_its_tenant_alone(db: &TestStore) {
    let (ann, bob) = (db.user("ann").await, db.user("bob").await);
    let id = save(db, &ann, "Spring", &[row(2, "Brake Rotor", "1", 4500)], at(1)).await;
    assert_eq!(
        (rotors(db, &ann).await, db.store.list_price_lists(ann.tenant_id).await.unwrap().len()),
        (vec![], 0)
    );
    let foreign = db.store.publish_list(bob.tenant_id, id, LIMITS, at(2)).await.unwrap();
    assert_eq!(foreign, PublishList::Missing);
    assert!(!db.store.add_price_list_items(bob.tenant_id, id, &[row(3, "x", "", 1)]).await.unwrap());
    db.store.discard_list(bob.tenant_id, id).await.unwrap();

    let published = db.store.publish_list(ann.tenant_id, id, LIMITS, at(2)).await.unwrap();
    assert_eq!(published, PublishList::Published { has_replaced: false });
    let lists = db.store.list_price_lists(ann.tenant_id).await.unwrap();
    assert_eq!((lists[0].id, lists[0].n_items, lists[0].published_at), (id, 1, at(2)));
    assert_eq!(lists[0].details, details("Spring"));
    assert_eq!((rotors(db, &ann).await, rotors(db, &bob).await), (vec![4500], vec![]));
    assert!(!db.store.set_list_deleted(bob.tenant_id, id, Some(at(3))).await.unwrap());
    // What is in force takes no further rows, and cannot be given up.
    assert!(!db.store.add_price_list_items(ann.tenant_id, id, &[row(3, "x", "", 1)]).await.unwrap());
    db.store.discard_list(ann.tenant_id, id).await.unwrap();
    assert_eq!(rotors(db, &ann).await, [4500]);
}

async fn a_list_replaces_the_one_of_its_name_which_can_be_restored(db: &TestStore) {
    let ann = db.user("ann").await;
    let rows = |cents| [row(2, "Brake Rotor", "1", cents)];
    let first = publish(db, &ann, "Spring", &rows(100), at(1)).await;
    publish(db, &ann, "Other", &rows(900), at(1)).await;
    let second = save(db, &ann, "SPRING", &rows(200), at(2)).await;
    let published = db.store.publish_list(ann.tenant_id, second, LIMITS, at(2)).await.unwrap();
    assert_eq!(published, PublishList::Published { has_replaced: true });
    assert_eq!(rotors(db, &ann).await, [200, 900]);
    let refused = db.store.set_list_deleted(ann.tenant_id, first, None).await;
    assert!(matches!(refused, Err(Error::Constraint(_))), "{refused:?}");

    assert!(db.store.set_list_deleted(ann.tenant_id, second, Some(at(3))).await.unwrap());
    assert!(!db.store.set_list_deleted(ann.tenant_id, second, Some(at(3))).await.unwrap());
    assert_eq!(rotors(db, &ann).await, [900]);
    assert!(db.store.set_list_deleted(ann.tenant_id, first, None).await.unwrap());
    assert_eq!(rotors(db, &ann).await, [100, 900]);

    // One version to go back to is kept.
    publish(db, &ann, "Spring", &rows(300), at(4)).await;
    let lists = db.store.list_price_lists(ann.tenant_id).await.unwrap();
    let shown: Vec<_> = lists.iter().map(|list| (list.details.name.as_str(), list.deleted_at)).collect();
    assert_eq!(shown, [("Spring", None), ("Other", None), ("Spring", Some(at(4)))]);
    assert!(!db.store.set_list_deleted(ann.tenant_id, second, None).await.unwrap());
}

async fn lists_and_rows_are_limited(db: &TestStore) {
    let ann = db.user("ann").await;
    let rows: Vec<PriceListItem> = (2..603).map(|number| row(number, "Rim", "", 100)).collect();
    publish(db, &ann, "One", &rows, at(1)).await;
    let two = save(db, &ann, "Two", &rows, at(2)).await;
    let try_with = async |limits| db.store.publish_list(ann.tenant_id, two, limits, at(3)).await.unwrap();
    assert_eq!(try_with((50, 1201)).await, PublishList::TooManyRows);
    assert_eq!(try_with((1, 5000)).await, PublishList::TooManyLists);
    assert_eq!(db.store.list_price_lists(ann.tenant_id).await.unwrap().len(), 1);
    assert_eq!(try_with((2, 1202)).await, PublishList::Published { has_replaced: false });
}

async fn deleted_lists_make_room_the_oldest_first(db: &TestStore) {
    let ann = db.user("ann").await;
    let rows = [row(2, "Rim", "", 100), row(3, "Rim", "", 100)];
    let old = publish(db, &ann, "Old", &rows, at(1)).await;
    let newer = publish(db, &ann, "Newer", &rows, at(1)).await;
    publish(db, &ann, "One", &rows, at(1)).await;
    db.store.set_list_deleted(ann.tenant_id, newer, Some(at(3))).await.unwrap();
    db.store.set_list_deleted(ann.tenant_id, old, Some(at(2))).await.unwrap();
    let two = save(db, &ann, "Two", &rows, at(4)).await;
    let try_with = async |id: PriceListId, limits| {
        db.store.publish_list(ann.tenant_id, id, limits, at(5)).await.unwrap()
    };
    let names = async || -> Vec<(String, bool)> {
        let lists = db.store.list_price_lists(ann.tenant_id).await.unwrap();
        let mut names: Vec<_> =
            lists.into_iter().map(|list| (list.details.name, list.deleted_at.is_some())).collect();
        names.sort();
        names
    };
    let expected = |names: &[(&str, bool)]| -> Vec<(String, bool)> {
        names.iter().map(|(name, is_deleted)| ((*name).to_owned(), *is_deleted)).collect()
    };

    // A refusal deletes nothing.
    assert_eq!(try_with(two, (50, 3)).await, PublishList::TooManyRows);
    assert_eq!(try_with(two, (1, 50)).await, PublishList::TooManyLists);
    assert_eq!(names().await, expected(&[("Newer", true), ("Old", true), ("One", false)]));
    assert_eq!(try_with(two, (3, 50)).await, PublishList::Published { has_replaced: false });
    assert_eq!(names().await, expected(&[("Newer", true), ("One", false), ("Two", false)]));
    assert!(!db.store.set_list_deleted(ann.tenant_id, old, None).await.unwrap());

    // A list that is replaced need not fit beside its replacement.
    let replacement = save(db, &ann, "Two", &rows, at(4)).await;
    assert_eq!(try_with(replacement, (50, 4)).await, PublishList::Published { has_replaced: true });
    assert_eq!(names().await, expected(&[("One", false), ("Two", false)]));
}

async fn what_was_given_up_or_deleted_long_ago_is_purged(db: &TestStore) {
    let ann = db.user("ann").await;
    let rows: Vec<PriceListItem> = (2..1500).map(|number| row(number, "Brake Rotor", "", 100)).collect();
    let old = publish(db, &ann, "Old", &rows[..1], at(1)).await;
    db.store.set_list_deleted(ann.tenant_id, old, Some(at(2))).await.unwrap();
    let kept = publish(db, &ann, "Kept", &rows[..1], at(1)).await;
    let given_up = save(db, &ann, "Given up", &rows, at(1)).await;
    let arriving = save(db, &ann, "Arriving", &rows[..1], at(9)).await;
    assert_eq!(db.store.purge_lists::<PriceListId>(at(2), at(1)).await.unwrap(), 0);
    assert_eq!(db.store.purge_lists::<PriceListId>(at(3), at(5)).await.unwrap(), 2);
    let lists = db.store.list_price_lists(ann.tenant_id).await.unwrap();
    assert_eq!(lists.iter().map(|list| list.id).collect::<Vec<_>>(), [kept]);
    for (id, is_there) in [(given_up, false), (arriving, true)] {
        assert_eq!(db.store.add_price_list_items(ann.tenant_id, id, &[]).await.unwrap(), is_there);
    }
    db.store.discard_list(ann.tenant_id, arriving).await.unwrap();
    assert!(!db.store.add_price_list_items(ann.tenant_id, arriving, &[]).await.unwrap());
}

async fn others_write_while_the_lists_of_an_account_are_deleted(db: &TestStore) {
    let (ann, bob) = (db.user("ann").await, db.user("bob").await);
    // Rows are deleted by their numbers, so a high one stands for a long list.
    let rows = [row(2, "Brake Rotor", "", 100), row(100_000, "Brake Rotor", "", 200)];
    let id = publish(db, &ann, "Spring", &rows, at(1)).await;
    let kept = publish(db, &bob, "Spring", &rows, at(1)).await;
    let n_written = db
        .delete_while(&ann, async |_| {
            db.store.set_list_deleted(bob.tenant_id, kept, Some(at(2))).await.unwrap();
        })
        .await;
    assert!(n_written >= 5, "{n_written} writes in ten slices");
    assert!(!db.store.set_list_deleted(ann.tenant_id, id, Some(at(2))).await.unwrap());
    assert!(db.store.set_list_deleted(bob.tenant_id, kept, None).await.unwrap());
    assert_eq!(rotors(db, &bob).await, [100, 200]);
}

async fn an_account_that_cannot_be_deleted_keeps_its_lists(db: &TestStore) {
    let ann = db.user("ann").await;
    let (_, place) = company(db, &ann).await;
    db.user("bob").await;
    join(db, &place, "bob").await;
    publish(db, &ann, "Spring", &[row(2, "Brake Rotor", "", 100)], at(1)).await;
    let refused = db.store.delete_user(ann.id, ann.tenant_id).await;
    assert!(matches!(refused, Err(Error::OwnsCompany)), "{refused:?}");
    assert_eq!(rotors(db, &ann).await, [100]);
}

async fn rows_are_found_by_type_and_number_for_their_vehicles(db: &TestStore) {
    let ann = db.user("ann").await;
    let fitting = |number, cents, make: &str, model: Option<&str>, years: (Option<u16>, Option<u16>)| {
        let fitment = Fitment {
            make: make.to_owned(),
            model: model.map(str::to_owned),
            first_year: years.0,
            last_year: years.1,
        };
        PriceListItem { fitment: Some(fitment), ..row(number, "Brake Rotor", "", cents) }
    };
    let rows = [
        row(2, "Brake Rotor", "45251-TBA", 100),
        row(3, "Brake Disc", "", 200),
        row(4, "", "45251TBA", 300),
        fitting(5, 400, "HONDA", Some("Civic "), (Some(2012), Some(2015))),
        fitting(6, 500, "Honda", None, (Some(2016), None)),
        fitting(7, 600, "Toyota", None, (None, None)),
        fitting(8, 700, "", None, (None, Some(2014))),
        fitting(9, 800, "FORD", Some("F-150"), (None, None)),
    ];
    publish(db, &ann, "Spring", &rows, at(1)).await;
    let names = ["brake-rotor".to_owned(), "brake-disc".to_owned(), String::new()];
    let by_type = PartKeys::Type(&names);
    let tenant = ann.tenant_id;
    assert_eq!(prices(db, tenant, by_type, None).await, [100, 200, 400, 500, 600, 700, 800]);
    assert_eq!(prices(db, tenant, by_type, Some("2015 Honda Civic")).await, [100, 200, 400]);
    assert_eq!(prices(db, tenant, by_type, Some("2018 Honda Jazz")).await, [100, 200, 500]);
    assert_eq!(prices(db, tenant, by_type, Some("2015 Ford F150")).await, [100, 200, 800]);
    assert_eq!(prices(db, tenant, by_type, Some("2010 Toyota Yaris")).await, [100, 200, 600, 700]);
    let number = [number_key("45251 tba")];
    assert_eq!(prices(db, tenant, PartKeys::Number(&number), None).await, [100, 300]);
    assert_eq!(prices(db, tenant, PartKeys::Number(&[String::new()]), None).await, Vec::<i64>::new());
    let found =
        db.store.find_listed_prices(tenant, by_type, Some(&"2015 Honda Civic".parse().unwrap())).await;
    let found = found.unwrap();
    assert_eq!(found.iter().map(|found| found.names_vehicles).collect::<Vec<_>>(), [false, false, true]);
    assert_eq!((found[0].published_at, found[0].in_stock), (at(1), Some(true)));
    assert_eq!(found[0].details, details("Spring"));
}

async fn the_lowest_prices_of_each_list_are_found(db: &TestStore) {
    let ann = db.user("ann").await;
    let rows = |from: i64| -> Vec<PriceListItem> {
        (0..60).map(|number| row(number + 2, "Brake Rotor", "", from + i64::from(59 - number))).collect()
    };
    publish(db, &ann, "Dear", &rows(5000), at(1)).await;
    publish(db, &ann, "Cheap", &rows(1000), at(1)).await;
    let expected: Vec<i64> = (1000..1020).chain(5000..5020).collect();
    assert_eq!(rotors(db, &ann).await, expected);
}

async fn answers_are_kept_for_their_tenant_until_they_are_too_old(db: &TestStore) {
    let (ann, bob) = (db.user("ann").await.tenant_id, db.user("bob").await.tenant_id);
    let answer = |second| SupplierAnswer {
        offers: vec![Offer {
            source: OfferSource::Ebay,
            source_name: "eBay".to_owned(),
            supplier: "eBay".to_owned(),
            price: Price::new(459_000, Currency::USD),
            estimate_note: None,
            in_stock: None,
            rating: Some(4.5),
            phone: None,
            website: String::new(),
            url: Some("https://www.ebay.com/itm/1".to_owned()),
            shipping_info: None,
            warranty_info: None,
            notes: None,
            part_number: None,
            fits: Some(true),
            as_of: Some(at(second)),
        }],
        answered_at: at(second),
    };
    let find = async |tenant, source, after| {
        db.store.find_supplier_answer(tenant, source, "q", at(after)).await.unwrap()
    };
    for second in [5, 9] {
        db.store.keep_supplier_answer(ann, OfferSource::Ebay, "q", &answer(second)).await.unwrap();
    }
    assert_eq!(find(ann, OfferSource::Ebay, 8).await, Some(answer(9)));
    assert_eq!(find(ann, OfferSource::Ebay, 9).await, None);
    assert_eq!(find(ann, OfferSource::Service, 0).await, None);
    assert_eq!(find(bob, OfferSource::Ebay, 0).await, None);
    assert_eq!(db.store.purge_supplier_answers(at(9)).await.unwrap(), 0);
    assert_eq!(db.store.purge_supplier_answers(at(10)).await.unwrap(), 1);
    assert_eq!(find(ann, OfferSource::Ebay, 0).await, None);
}
