use std::collections::HashSet;

use partsight_domain::{Decimal, Secret, ServiceUrl};
use partsight_providers::JudgeProvider;

use super::*;

type Change = fn(&mut Settings);

#[test]
fn the_defaults_are_in_range_and_lead_to_the_same_ones() {
    let defaults = Settings::default();
    assert_eq!(defaults.check(), Ok(()));
    let written = serde_json::to_string(&defaults).unwrap();
    assert_eq!(serde_json::from_str::<Settings>(&written).unwrap(), defaults);
}

#[test]
fn each_setting_has_a_name_of_its_own_and_a_sentence() {
    let sections = Settings::sections();
    let facts: Vec<_> = sections.iter().flat_map(|group| &group.settings).collect();
    assert_eq!(facts.iter().map(|facts| facts.name).collect::<HashSet<_>>().len(), facts.len());
    for facts in facts {
        assert!(facts.about.ends_with('.') && !facts.about.contains("  "), "{facts:?}");
        assert!(!facts.is_secret || facts.default.is_null(), "{facts:?}");
    }
}

#[test]
fn no_secret_is_shown() {
    let settings = Settings::with(|s| {
        s.data.database_url = Some(DatabaseUrl::new("postgres://ann:geheim@db/parts"));
        s.mail.smtp_url = Some(Secret::new("smtps://ann:geheim@mail.example.com"));
        s.sign_in.client_secret = Some(Secret::new("geheim"));
        s.payments.secret_key = Some(Secret::new("geheim"));
        s.payments.webhook_secret = Some(Secret::new("geheim"));
        s.judge.api_key = Some(Secret::new("geheim"));
        s.suppliers.ebay_client_secret = Some(Secret::new("geheim"));
        s.suppliers.service_token = Some(Secret::new("geheim"));
        s.qdrant.api_key = Some(Secret::new("geheim"));
        s.storage.secret_access_key = Some(Secret::new("geheim"));
    });
    let written = serde_json::to_value(&settings).unwrap();
    assert!(!format!("{settings:?} {written}").contains("geheim"));
    assert_eq!(written["database_url"], "postgres://ann:***@db/parts");
    // Each setting that is declared secret is in the list above.
    let sections = Settings::sections();
    let secrets = sections.iter().flat_map(|group| &group.settings).filter(|facts| facts.is_secret);
    for facts in secrets {
        assert_eq!(written[facts.name], "(hidden)", "{facts:?}");
    }
}

#[test]
fn values_out_of_range_are_named_with_their_rule() {
    let cases: [(Change, &str); 18] = [
        (|s| s.model.name = "../other".to_owned(), "`model` is ../other, but it must be a name"),
        (|s| s.model.max_batch = 5000, "`max_batch` is 5000, but it must be 0 to 1024"),
        (|s| s.model.queue_capacity = 0, "`queue_capacity` is 0"),
        (|s| s.server.max_connections = 15, "`max_connections` is 15, but it must be 0, or 16 to 1000000"),
        (|s| s.accounts.session_days = 0, "`session_days` is 0"),
        (|s| s.accounts.session_idle_days = 0, "`session_idle_days` is 0"),
        (|s| s.mail.smtp_url = Some(Secret::new("ftp://ann:geheim@x")), "`smtp_url` is (hidden), but"),
        (|s| s.mail.from = Some("nobody".to_owned()), "`mail_from` is nobody"),
        (|s| s.sign_in.client_id = Some("us".to_owned()), "set together with `oidc_client_id`"),
        (
            |s| s.vehicles.vin_decoder_url = Some(ServiceUrl::new("http://vin.example.com")),
            "`vin_decoder_url` is http:",
        ),
        (|s| s.photos.max_bytes = 10, "`max_photo_bytes` is 10, but it must be 1024 or more"),
        (|s| s.server.public_url = Some("parts.example.com".to_owned()), "`public_url` is parts.example.com"),
        (
            |s| s.server.public_url = Some("https://teile-müller.de".to_owned()),
            "`public_url` is https://teile-m",
        ),
        (
            |s| s.server.public_url = Some("https://parts.example.com?x".to_owned()),
            "`public_url` is https://parts",
        ),
        (
            |s| s.server.public_url = Some("https://ann:geheim@parts.example.com".to_owned()),
            "`public_url` is https://***@parts.example.com",
        ),
        (
            |s| s.data.database_url = Some(DatabaseUrl::new("mysql://ann:geheim@db/parts")),
            "`database_url` is mysql://ann:***@db/parts",
        ),
        (
            |s| s.data.database_url = Some(DatabaseUrl::new("host=db user=ann password=geheim")),
            "`database_url` is ***",
        ),
        (|s| s.judge.trust = Decimal::default(), "`judge_trust` is 0, but it must be 0.5 to 0.99"),
    ];
    for (change, expected) in cases {
        let message = Settings::with(change).check().unwrap_err().to_string();
        assert!(message.contains(expected) && !message.contains("geheim"), "{message}");
    }
}

fn with_judge(settings: &mut Settings) {
    settings.server.zero_egress = true;
    settings.judge.provider = Some(JudgeProvider::Openai);
    settings.judge.model = Some("m".to_owned());
    settings.judge.input_price = Some(Decimal::default());
    settings.judge.output_price = Some(Decimal::default());
}

fn with_suppliers(settings: &mut Settings) {
    settings.server.zero_egress = true;
    settings.suppliers.ebay_client_id = Some("us".to_owned());
    settings.suppliers.ebay_client_secret = Some(Secret::new("geheim"));
    settings.suppliers.service_url = Some(ServiceUrl::new("http://erp:8080/prices?n={number}"));
}

#[test]
fn zero_egress_refuses_every_service_elsewhere_and_names_it() {
    let cases: [(Change, Option<&str>); 7] = [
        (|s| s.server.zero_egress = true, None),
        (
            |s| (s.server.zero_egress, s.push.enabled) = (true, true),
            Some("`zero_egress` is true beside `web_push`"),
        ),
        (with_judge, Some("`zero_egress` is true beside `judge_provider`")),
        (
            |s| {
                with_judge(s);
                s.mail.smtp_url = Some(Secret::new("smtps://mail.example.com"));
            },
            Some("`smtp_url`, `judge_provider`"),
        ),
        // A service on this machine sends nothing elsewhere.
        (
            |s| {
                with_judge(s);
                s.judge.base_url = Some(ServiceUrl::new("http://127.0.0.1:8000/v1"));
            },
            None,
        ),
        (with_suppliers, Some("`ebay_client_id`, `supplier_service_url`")),
        (
            |s| {
                with_suppliers(s);
                s.suppliers.ebay_url = ServiceUrl::new("http://127.0.0.1:9000");
                s.suppliers.service_url = Some(ServiceUrl::new("http://localhost:9001/{label}"));
            },
            None,
        ),
    ];
    for (change, expected) in cases {
        let found = Settings::with(change).check().map_err(|error| error.to_string());
        match (found, expected) {
            (Ok(()), None) => {}
            (Err(message), Some(expected)) => assert!(message.contains(expected), "{message}"),
            (found, expected) => panic!("{found:?} instead of {expected:?}"),
        }
    }
}

#[test]
fn push_services_are_told_an_address_that_somebody_reads() {
    let contact = |change: Change| Settings::with(change).push_contact();
    assert_eq!(contact(|_| {}), "mailto:support@partsight.example");
    // An unencrypted page is no contact (RFC 8292, section 2.1).
    assert_eq!(
        contact(|s| s.server.public_url = Some("http://parts.example.com".to_owned())),
        "mailto:support@partsight.example"
    );
    let page: Change = |s| s.server.public_url = Some("https://parts.example.com/".to_owned());
    assert_eq!(contact(page), "https://parts.example.com");
    let mail = contact(|s| {
        s.server.public_url = Some("https://parts.example.com".to_owned());
        s.mail.from = Some("us@example.com".to_owned());
    });
    assert_eq!(mail, "mailto:us@example.com");
}
