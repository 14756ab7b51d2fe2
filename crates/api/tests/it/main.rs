//! The API as clients see it: a listening server, a real client, a database of its own for each test.
//!
//! A test says `TestApp::start()` for a server with the real model, or `TestApp::with(..)` for one with other
//! settings or a stand-in engine (`engine.rs`); `app.sign_up("ann")` gives a signed-in [`Client`], whose calls
//! answer with a [`Reply`]. `pictures.rs` makes what is uploaded. The tests of a resource lie in the folder of its
//! room; beside them lie those that touch all rooms or none.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "what fails outside a test function fails the test as well"
)]

mod authorisation;
mod client;
mod clocks;
mod connections;
mod egress;
mod engine;
mod errors;
mod fair_share;
mod fake_stripe;
mod held_bodies;
mod hostile_requests;
mod hosts;
mod idempotency;
mod mcp;
mod oidc_provider;
mod openapi;
mod pictures;
mod planted;
mod push_service;
mod serve;
mod settings;
mod storage;
mod test_app;
mod ways_in;
mod web;

mod recognition {
    mod browser_model;
}
mod accounts {
    mod account;
    mod api_keys;
    mod attempt_limits;
    mod external_sign_in;
    pub(crate) mod mailed_links;
    mod outbox;
    mod quotas;
    mod sign_in;
}
mod events {
    mod slow_receivers;
    mod stream;
    mod webhooks;
}
mod plans {
    mod cancellations;
    pub(crate) mod company;
    mod company_invitations;
    mod company_members;
    mod contact;
    mod payment_deletions;
    mod payment_events;
    mod payment_failures;
    mod payments;
    mod subscription;
}
mod garage {
    mod calendar;
    mod maintenance;
    mod oil_changes;
    mod oil_specs;
    mod push;
    mod recalls;
    mod records_csv;
    mod records_csv_rows;
    mod reminder_mails;
    mod repairs;
    mod vehicle_data;
    mod vehicles;
    mod vin_decoder;
}
mod parts {
    pub(crate) mod cross_references;
    mod part_types;
    pub(crate) mod price_lists;
    mod search;
    mod shop_part_files;
    pub(crate) mod shop_parts;
    mod similar_parts;
    mod suppliers;
}
mod judging {
    pub(crate) mod fills;
    mod fills_failures;
    mod fills_sharing;
    pub(crate) mod judge;
    mod judge_batches;
    mod judge_failures;
    mod judge_load;
    mod judge_privacy;
    mod judge_similarity;
    mod judge_trial;
}
mod teaching {
    mod catalog_health;
    mod company_learning;
    mod dial;
    mod look_alikes;
    mod qdrant;
    pub(crate) mod taught_parts;
    mod taught_types;
}
mod scanning {
    mod feedback;
    mod history;
    mod identify;
    mod identify_load;
    mod photo_storage;
    mod readings;
    mod regions;
    mod scans;
    pub(crate) mod several_photos;
    mod vin_photo;
}
mod batches {
    mod folders;
    mod grades;
    mod groups;
    pub(crate) mod jobs;
    pub(crate) mod workers;
    pub(crate) mod zips;
}
mod evaluations {
    mod drift;
    pub(crate) mod jobs;
    mod refusals;
}
mod operations {
    mod health;
    mod metrics;
    mod ready;
}

pub(crate) use client::{Client, Reply};
pub(crate) use partsight_test_support::{
    fake_ebay, fake_judge, log_lines, postgres, qdrant_server, recorder, smtp_server,
};
pub(crate) use test_app::{Engines, Setup, TestApp};
