//! The API as clients see it: a listening server, a real client, a database of its own for each test.
//!
//! A test says `TestApp::start()` for a server with the real model, or `TestApp::with(..)` for one with other
//! settings or a stand-in engine (`engine.rs`); `app.sign_up("ann")` gives a signed-in [`Client`], whose calls
//! answer with a [`Reply`]. `pictures.rs` makes what is uploaded.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "what fails outside a test function fails the test as well"
)]

mod api_keys;
mod auth;
mod auth_account;
mod auth_external;
mod auth_limits;
mod auth_mail;
mod authorisation;
mod browser_model;
mod calendar;
mod cancellations;
mod catalog;
mod catalog_health;
mod client;
mod company;
mod company_learning;
mod company_members;
mod contact;
mod dial;
#[path = "../../../providers/tests/it/ebay_peer.rs"]
mod ebay_peer;
mod egress;
mod engine;
mod errors;
mod feedback;
mod fills;
mod fills_failures;
mod fills_sharing;
mod health;
mod history;
mod idempotency;
mod identify;
mod identify_load;
mod judge;
mod judge_failures;
mod judge_load;
#[path = "../../../providers/tests/it/judge_peer.rs"]
mod judge_peer;
mod judge_privacy;
mod judge_similarity;
mod judge_trial;
mod maintenance;
mod metrics;
mod oidc_provider;
mod oil_changes;
mod oil_specs;
mod openapi;
mod part_search;
mod parts;
mod payment_events;
mod payments;
mod pictures;
mod planted;
#[path = "../../../store/tests/it/postgres.rs"]
mod postgres;
mod price_lists;
mod qdrant;
#[expect(dead_code, reason = "shared with tests that look at its collections")]
#[path = "../../../catalog/tests/it/qdrant_server.rs"]
mod qdrant_server;
#[path = "../../../providers/tests/it/recorder.rs"]
mod recorder;
mod records_csv;
mod reference;
mod repairs;
mod scans;
mod serve;
mod settings;
mod several_photos;
mod shop_part_files;
mod shop_parts;
mod similar_parts;
#[path = "../../../providers/tests/it/smtp_server.rs"]
mod smtp_server;
mod storage;
mod stripe_peer;
mod subscription;
mod suppliers;
mod test_app;
mod vehicles;
mod vin_decoder;
mod ways_in;
mod web;

pub(crate) use client::{Client, Reply};
pub(crate) use test_app::{Engines, Setup, TestApp};
