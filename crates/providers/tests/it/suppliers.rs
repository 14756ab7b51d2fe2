//! eBay and a supplier service, both imitated by a local server according to their documentation.

use std::time::Duration;

use partsight_domain::{Secret, ServiceUrl, SourceFailure, VehicleName};
use partsight_providers::{Ebay, SupplierQuestion, SupplierService, SupplierSettings};

use partsight_test_support::PATIENCE;
use partsight_test_support::fake_ebay::{
    CLIENT_ID, CLIENT_SECRET, FakeEbay, ROTORS, SERVICE_TOKEN, Says, item, service_offer,
};

/// A timeout that a test waits for.
const WAITED_OUT: Duration = Duration::from_secs(1);

fn ebay(fake: &FakeEbay) -> Ebay {
    with(fake, CLIENT_SECRET, PATIENCE)
}

fn with(fake: &FakeEbay, client_secret: &str, timeout: Duration) -> Ebay {
    let settings = SupplierSettings {
        ebay_url: ServiceUrl::new(fake.base_url()),
        ebay_client_id: Some(CLIENT_ID.to_owned()),
        ebay_client_secret: Some(Secret::new(client_secret)),
        timeout_seconds: timeout.as_secs() as u32,
        ..SupplierSettings::default()
    };
    Ebay::new(&settings).unwrap().unwrap()
}

fn service(fake: &FakeEbay, token: Option<&str>) -> SupplierService {
    service_within(fake, token, PATIENCE)
}

fn service_within(fake: &FakeEbay, token: Option<&str>, timeout: Duration) -> SupplierService {
    let settings = SupplierSettings {
        service_url: Some(ServiceUrl::new(fake.service_url())),
        service_token: token.map(Secret::new),
        timeout_seconds: timeout.as_secs() as u32,
        ..SupplierSettings::default()
    };
    SupplierService::new(&settings).unwrap().unwrap()
}

fn rotor() -> SupplierQuestion {
    SupplierQuestion {
        part: "Brake Rotor".to_owned(),
        label: "brake-rotor".to_owned(),
        number: None,
        vehicle: Some("2015 Honda Civic".parse().unwrap()),
        engine: None,
    }
}

#[tokio::test]
async fn a_search_names_category_and_vehicle_and_uses_one_token() {
    let fake = FakeEbay::saying(Says::Items(vec![item(1, "45.90"), item(2, "39.00")])).await;
    let ebay = ebay(&fake);
    let offers = ebay.ask(&rotor()).await.unwrap();
    assert_eq!(ebay.clone().ask(&rotor()).await.unwrap(), offers);
    let first = &offers[0];
    assert_eq!(first.price.unwrap().to_string(), "45.90 USD");
    assert_eq!(first.url.as_deref(), Some("https://www.ebay.com/itm/1"));
    assert_eq!((first.fits, first.shipping_info.as_deref()), (Some(true), Some("Free shipping")));
    assert_eq!(first.notes.as_deref(), Some("Brake Rotor No. 1; New; seller rated 99.4% positive"));

    let searches = fake.searches();
    assert_eq!((fake.n_tokens(), searches.len()), (1, 3), "{searches:#?}");
    assert!(searches[0].is_for_category());
    for search in &searches[1..] {
        assert_eq!(search.marketplace.as_deref(), Some("EBAY_US"));
        assert_eq!((search.field("q"), search.field("category_ids")), ("Brake Rotor", ROTORS));
        assert_eq!(search.field("compatibility_filter"), "Year:2015;Make:Honda;Model:Civic");
        assert_eq!(search.field("filter"), "buyingOptions:{FIXED_PRICE},conditions:{NEW}");
    }
}

#[tokio::test]
async fn a_category_without_vehicles_is_searched_with_the_vehicle_in_words() {
    let mut unsure = item(1, "45.90");
    unsure["compatibilityMatch"] = "POSSIBLE".into();
    let fake = FakeEbay::saying(Says::Items(vec![unsure])).await;
    fake.behave(|manners| manners.knows_vehicles = false);
    let ebay = ebay(&fake);
    for _ in 0..2 {
        let offers = ebay.ask(&rotor()).await.unwrap();
        assert_eq!((offers.len(), offers[0].fits), (1, None));
    }
    let searches = fake.offer_searches();
    assert_eq!(searches.len(), 3, "the refused filter is tried once: {searches:#?}");
    assert_eq!(searches[2].field("q"), "2015 Honda Civic Brake Rotor");
    assert!(!ebay.is_left_alone());
    // Perhaps only that vehicle was unknown: the filter is used again for another one.
    fake.behave(|manners| manners.knows_vehicles = true);
    let jazz = VehicleName { model: "Jazz".to_owned(), ..rotor().vehicle.unwrap() };
    ebay.ask(&SupplierQuestion { vehicle: Some(jazz), ..rotor() }).await.unwrap();
    let filter = fake.offer_searches()[3].field("compatibility_filter").to_owned();
    assert_eq!(filter, "Year:2015;Make:Honda;Model:Jazz");
}

#[tokio::test]
async fn a_part_number_is_searched_for_as_it_is() {
    let fake = FakeEbay::saying(Says::Items(vec![item(1, "45.90")])).await;
    let question = SupplierQuestion { number: Some("45251-TBA".to_owned()), ..rotor() };
    let offers = ebay(&fake).ask(&question).await.unwrap();
    assert_eq!(offers[0].part_number.as_deref(), Some("45251-TBA"));
    let searches = fake.searches();
    assert_eq!((searches.len(), searches[0].field("q")), (1, "45251-TBA"));
}

#[tokio::test]
async fn an_expired_token_is_renewed_once() {
    let fake = FakeEbay::saying(Says::Items(vec![item(1, "45.90")])).await;
    let ebay = ebay(&fake);
    ebay.ask(&rotor()).await.unwrap();
    fake.behave(|manners| manners.n_revoked = fake.n_tokens());
    assert_eq!(ebay.ask(&rotor()).await.unwrap().len(), 1);
    assert_eq!(fake.n_tokens(), 2);
    // A token that expires within a minute is renewed before its next use.
    fake.behave(|manners| manners.n_revoked = fake.n_tokens());
    fake.behave(|manners| manners.expires_in = 30);
    ebay.ask(&rotor()).await.unwrap();
    ebay.ask(&rotor()).await.unwrap();
    assert_eq!(fake.n_tokens(), 4);
}

#[tokio::test]
async fn several_questions_at_once_share_one_new_token() {
    let fake = FakeEbay::saying(Says::Items(Vec::new())).await;
    let ebay = ebay(&fake);
    let (a, b) = (rotor(), rotor());
    let (one, other) = tokio::join!(ebay.ask(&a), ebay.ask(&b));
    assert!(one.unwrap().is_empty() && other.unwrap().is_empty());
    assert_eq!(fake.n_tokens(), 1);
}

#[tokio::test]
async fn a_wrong_secret_is_said_and_not_tried_for_ever() {
    let fake = FakeEbay::saying(Says::Items(Vec::new())).await;
    let ebay = with(&fake, "wrong", PATIENCE);
    for _ in 0..3 {
        assert_eq!(ebay.ask(&rotor()).await, Err(SourceFailure::KeyRejected));
    }
    assert_eq!(ebay.ask(&rotor()).await, Err(SourceFailure::CircuitOpen));
    assert!(ebay.is_left_alone() && fake.searches().is_empty());
}

#[tokio::test]
async fn what_fails_is_said_by_its_reason() {
    let cases: Vec<(Says, SourceFailure)> = vec![
        (Says::Status(500, Vec::new()), SourceFailure::ServerError),
        (Says::Status(403, Vec::new()), SourceFailure::KeyRejected),
        (Says::Bytes(b"<html>maintenance</html>".to_vec()), SourceFailure::AnswerInvalid),
        (Says::Bytes(Vec::new()), SourceFailure::AnswerInvalid),
        (Says::Bytes(br#"{"itemSummaries": 7}"#.to_vec()), SourceFailure::AnswerInvalid),
        (Says::Bytes(vec![b' '; 10_000_000]), SourceFailure::AnswerTooLarge),
        (Says::After(2 * PATIENCE, Box::new(Says::Items(Vec::new()))), SourceFailure::TimedOut),
    ];
    for (says, failure) in cases {
        let fake = FakeEbay::saying(says).await;
        let limit = if failure == SourceFailure::TimedOut { WAITED_OUT } else { PATIENCE };
        assert_eq!(with(&fake, CLIENT_SECRET, limit).ask(&rotor()).await, Err(failure));
    }
}

#[tokio::test]
async fn one_that_asks_for_time_gets_it() {
    let wait = vec![("retry-after", "120".to_owned())];
    let fake = FakeEbay::saying(Says::Status(429, wait)).await;
    let ebay = ebay(&fake);
    assert_eq!(ebay.ask(&rotor()).await, Err(SourceFailure::RateLimited));
    let n_searches = fake.searches().len();
    assert_eq!(ebay.ask(&rotor()).await, Err(SourceFailure::CircuitOpen));
    assert_eq!(fake.searches().len(), n_searches);
}

#[tokio::test]
async fn offers_without_a_price_or_a_page_are_left_out() {
    let mut free = item(1, "0.00");
    free["condition"] = "New".into();
    let mut elsewhere = item(2, "5.00");
    elsewhere["itemWebUrl"] = "javascript:alert(1)".into();
    let mut euro = item(3, "7.00");
    euro["price"]["currency"] = "EUR".into();
    let fake = FakeEbay::saying(Says::Items(vec![free, elsewhere, euro, 7.into()])).await;
    let offers = ebay(&fake).ask(&rotor()).await.unwrap();
    let prices: Vec<String> = offers.iter().map(|offer| offer.price.unwrap().to_string()).collect();
    assert_eq!(prices, ["7.00 EUR"]);
}

#[tokio::test]
async fn nobody_at_the_other_end_is_unreachable() {
    let fake = FakeEbay::saying(Says::Items(Vec::new())).await;
    let ebay = ebay(&fake);
    drop(fake);
    assert_eq!(ebay.ask(&rotor()).await, Err(SourceFailure::Unreachable));
}

#[tokio::test]
async fn a_service_is_asked_by_its_address_and_token() {
    let fake = FakeEbay::saying(Says::Items(vec![service_offer("45251-TBA", "41.10"), 7.into()])).await;
    let question = SupplierQuestion { number: Some("45251/TBA".to_owned()), ..rotor() };
    let offers = service(&fake, Some(SERVICE_TOKEN)).ask(&question).await.unwrap();
    assert_eq!((offers.len(), offers[0].supplier.as_str()), (1, "Lee Wholesale"));
    assert_eq!(offers[0].as_of, Some("2027-01-15T07:00:00Z".parse().unwrap()));
    let (url, authorization) = fake.service_questions().remove(0);
    assert_eq!(url, "/prices/brake-rotor?n=45251%2FTBA&v=2015-Honda-Civic");
    assert_eq!(authorization, Some(format!("Bearer {SERVICE_TOKEN}")));
}

#[tokio::test]
async fn a_service_is_not_called_at_another_path() {
    let fake = FakeEbay::saying(Says::Items(vec![service_offer("45251-TBA", "41.10")])).await;
    let question = SupplierQuestion { label: "..".to_owned(), ..rotor() };
    assert_eq!(service(&fake, Some(SERVICE_TOKEN)).ask(&question).await, Ok(Vec::new()));
    assert!(fake.service_questions().is_empty());
}

#[tokio::test]
async fn a_service_that_fails_is_said_by_its_reason() {
    let fake = FakeEbay::saying(Says::Items(Vec::new())).await;
    assert_eq!(service(&fake, None).ask(&rotor()).await, Err(SourceFailure::KeyRejected));
    let cases: Vec<(Says, Result<usize, SourceFailure>)> = vec![
        (Says::Status(404, Vec::new()), Ok(0)),
        (
            Says::Status(302, vec![("location", "http://10.0.0.1/".to_owned())]),
            Err(SourceFailure::RequestRejected),
        ),
        (Says::Status(503, Vec::new()), Err(SourceFailure::ServerError)),
        (Says::Bytes(b"[]".to_vec()), Err(SourceFailure::AnswerInvalid)),
        (Says::Bytes(vec![b' '; 1_000_000]), Err(SourceFailure::AnswerTooLarge)),
        (Says::After(2 * PATIENCE, Box::new(Says::Items(Vec::new()))), Err(SourceFailure::TimedOut)),
    ];
    for (says, expected) in cases {
        fake.say(says);
        let limit = if expected == Err(SourceFailure::TimedOut) { WAITED_OUT } else { PATIENCE };
        let found = service_within(&fake, Some(SERVICE_TOKEN), limit).ask(&rotor()).await;
        assert_eq!(found.map(|offers| offers.len()), expected);
    }
}
