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
mod calendar;
mod client;
mod company;
mod company_members;
mod contact;
mod engine;
mod errors;
mod health;
mod history;
mod idempotency;
mod identify;
mod identify_load;
mod maintenance;
mod oidc_provider;
mod oil_changes;
mod oil_specs;
mod openapi;
mod parts;
mod pictures;
#[path = "../../../store/tests/it/postgres.rs"]
mod postgres;
mod records_csv;
mod reference;
mod repairs;
mod scans;
mod serve;
mod settings;
#[path = "../../../providers/tests/it/smtp_server.rs"]
mod smtp_server;
mod storage;
mod subscription;
mod test_app;
mod vehicles;
mod web;

pub(crate) use client::{Client, Reply};
pub(crate) use test_app::{Engines, Setup, TestApp};
