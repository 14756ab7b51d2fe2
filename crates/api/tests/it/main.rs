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

mod auth;
mod client;
mod engine;
mod errors;
mod health;
mod identify;
mod identify_load;
mod openapi;
mod parts;
mod pictures;
mod scans;
mod serve;
mod settings;
mod storage;
mod subscription;
mod test_app;
mod vehicles;
mod web;

pub(crate) use client::{Client, Reply};
pub(crate) use test_app::{Engines, Setup, TestApp};
