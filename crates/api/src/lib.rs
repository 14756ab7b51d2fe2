//! Partsight over HTTP: the calls of the specification, their OpenAPI document, and the built web app.
//!
//! The central function is [`router`], which puts the handlers of each resource over one [`App`]. A handler
//! parses the request into domain values, calls one use case, and renders its answer; the list of routes is
//! in `routes.rs`.
//!
//! Every failure, axum's own rejections included, leaves as one [`ApiError`] with the body [`Problem`]; the
//! list [`ErrorCode`] is the whole error contract. The cause of a 5xx goes to the log once, and
//! never to the caller.
//!
//! No rule of the product lives here. What a user may do is decided in `partsight-app` and
//! `partsight-domain`; this crate adds what is particular to browsers: the session cookie, the Origin check
//! on writes, and the headers that keep a page to its own scripts.

mod alerts;
mod api_keys;
mod auth;
mod browser_model;
mod calendar;
mod caller;
mod catalog;
mod catalog_health;
mod company;
mod contact;
mod dial;
mod docs;
mod error;
mod error_code;
mod extract;
mod feedback;
mod fills;
mod health;
mod history;
mod idempotency;
mod identify;
mod judge;
mod key_access;
mod learning;
mod maintenance;
mod metrics;
mod odometer;
mod oil_changes;
mod oil_specs;
mod origin;
mod part_guides;
mod part_search;
mod part_suppliers;
mod parts;
mod payment_events;
mod plans;
mod price_lists;
mod receipts;
mod records;
mod records_csv;
mod reference;
mod repairs;
mod requests;
mod routes;
mod scans;
mod serve;
mod settings;
mod shop_part_files;
mod shop_parts;
mod similar_parts;
mod state;
mod subscription;
mod usage;
mod vehicle_oil;
mod vehicles;
mod vin_decoder;
mod web;

pub use error::{ApiError, Problem};
pub use error_code::ErrorCode;
pub use partsight_app::App;
pub use routes::{openapi, router};
pub use serve::{ServeError, serve};
pub use state::ApiState;
