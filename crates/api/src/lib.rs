//! Partsight over HTTP: the calls of the specification, their OpenAPI document, and the built web app.
//!
//! The central function is [`router`], which puts the handlers of each resource over one [`App`]. A handler
//! parses the request into domain values, calls one use case, and renders its answer. The handlers lie in the
//! same rooms as the use cases (`garage`, `scanning`, ...), `routes.rs` lists them, and what happens around
//! every call is in `middleware`.
//!
//! Every failure, axum's own rejections included, leaves as one [`ApiError`] with the body [`Problem`]; the
//! list [`ErrorCode`] is the whole error contract. The cause of a 5xx goes to the log once, and
//! never to the caller.
//!
//! No rule of the product lives here. What a user may do is decided in `partsight-app` and
//! `partsight-domain`; this crate adds what is particular to browsers: the session cookie, the Origin check
//! on writes, the headers that keep a page to its own scripts, and the limits of connections.

mod accounts;
mod ai_fill;
mod allowed_hosts;
mod batches;
mod body_limit;
mod caller;
mod connection_limits;
mod docs;
mod error;
mod error_code;
mod evaluations;
mod event_stream;
mod events;
mod extract;
mod files;
mod forms;
mod garage;
mod ids;
mod judging;
mod mcp;
mod middleware;
mod next_page;
mod objects_only;
mod operations;
mod parts;
mod plans;
mod problems;
mod public_settings;
mod recognition;
mod routes;
mod scanning;
mod serve;
mod shop_part_text;
mod state;
mod stream_places;
mod teaching;
mod unreadable_input;
mod uploads;
mod web;
mod wire_enum;
mod wire_time;

pub use connection_limits::ConnectionLimits;
pub use error::{ApiError, Problem, ResembledPart};
pub use error_code::ErrorCode;
pub use mcp::{MAX_MCP_MESSAGE_BYTES, McpCaller, McpServer};
pub use partsight_app::App;
pub use routes::{mcp_server, openapi, router};
pub use serve::{ServeError, ServerAddresses, serve};
pub use shop_part_text::ShopPartText;
pub use state::ApiState;
