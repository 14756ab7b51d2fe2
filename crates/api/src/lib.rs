//! Partsight over HTTP: the calls of the specification, their OpenAPI document, and the built web app.
//!
//! The central function is [`router`], which builds the routes of all handlers over one [`App`]. A handler parses
//! the request into domain values, calls one use case, and renders its result. Handlers are in modules named like
//! those of the use cases (`garage`, `scanning`, ...), `routes.rs` lists them, and `middleware` has the layers
//! around every call.
//!
//! Every failure, including axum's own rejections, is returned as one [`ApiError`] with the body [`Problem`]; the
//! list [`ErrorCode`] is the whole error contract. The cause of a 5xx is logged once and never sent to the client.
//!
//! No business rule lives here. `partsight-app` and `partsight-domain` decide what a user may do. This crate adds
//! what browsers need: the session cookie, the Origin check on writes, the content security policy, and the limits
//! of connections.

mod accounts;
mod ai_fill;
mod allowed_hosts;
mod answer_memory;
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
mod numbers;
mod objects_only;
mod operations;
mod parts;
mod plans;
mod problems;
mod public_settings;
mod recognition;
mod routes;
mod scanning;
mod sender;
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
