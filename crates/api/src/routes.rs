use axum::extract::DefaultBodyLimit;
use axum::http::HeaderValue;
use axum::http::header::{
    CONTENT_SECURITY_POLICY, HeaderName, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use axum::routing::get;
use axum::{Json, Router, middleware};
use tower::ServiceBuilder;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::compression::CompressionLayer;
use tower_http::set_header::SetResponseHeaderLayer;
use utoipa::OpenApi;
use utoipa_axum::router::{OpenApiRouter, UtoipaMethodRouterExt};
use utoipa_axum::routes;

use crate::{ApiError, ApiState};
use crate::{auth, health, identify, origin, parts, requests, scans, settings, subscription, vehicles, web};

/// Largest body of a call that takes no photograph, in bytes.
const MAX_BODY_BYTES: usize = 256 * 1024;

/// A page may load only what we serve, show pictures it made itself, and send only to us. Inline styles are
/// allowed because the dialog primitives lock scrolling with one.
const CONTENT_POLICY: &str = "default-src 'self'; img-src 'self' blob: data:; media-src 'self' blob:; \
     style-src 'self' 'unsafe-inline'; object-src 'none'; base-uri 'none'; form-action 'self'; \
     frame-ancestors 'none'";

#[derive(OpenApi)]
#[openapi(
    info(
        title = "Partsight",
        description = "Identifies a car part from a photograph, and keeps the garage around it. Every failure \
                       answers with the schema `Problem`; its `code` says which.",
        license(name = "MIT OR Apache-2.0")
    ),
    tags(
        (name = "auth", description = "Accounts and sessions."),
        (name = "vehicles", description = "Saved vehicles."),
        (name = "scans", description = "Identifying photographs."),
        (name = "parts", description = "The catalogue."),
        (name = "subscription", description = "Plans."),
        (name = "operations", description = "Running the server."),
    )
)]
struct ApiDoc;

/// All calls; the one that takes photographs takes at most `max_form_bytes` in all.
fn calls(max_form_bytes: usize) -> OpenApiRouter<ApiState> {
    OpenApiRouter::with_openapi(ApiDoc::openapi())
        .routes(routes!(auth::get_user))
        .routes(routes!(auth::accept_terms))
        .routes(routes!(auth::sign_up))
        .routes(routes!(auth::sign_in))
        .routes(routes!(auth::start_login))
        .routes(routes!(auth::sign_out))
        .routes(routes!(vehicles::list_vehicles, vehicles::create_vehicle))
        .routes(routes!(vehicles::get_default_vehicle))
        .routes(routes!(vehicles::set_default_vehicle))
        .routes(routes!(identify::identify_part).layer(DefaultBodyLimit::max(max_form_bytes)))
        .routes(routes!(scans::list_recent_scans))
        .routes(routes!(scans::delete_scans))
        .routes(routes!(scans::get_scan_limits))
        .routes(routes!(parts::list_part_suppliers))
        .routes(routes!(subscription::get_subscription_status))
        .routes(routes!(settings::get_settings))
        .routes(routes!(health::get_health))
}

/// The OpenAPI document of all calls.
pub fn openapi() -> utoipa::openapi::OpenApi {
    calls(MAX_BODY_BYTES).into_openapi()
}

/// All calls and the web app over `state`.
pub fn router(state: ApiState) -> Router {
    let (calls, document) = calls(identify::max_form_bytes(state.max_photo_bytes)).split_for_parts();
    let header = |name: HeaderName, value: &'static str| {
        SetResponseHeaderLayer::if_not_present(name, HeaderValue::from_static(value))
    };
    // The first layer here is the outermost.
    let layers = ServiceBuilder::new()
        .layer(header(X_CONTENT_TYPE_OPTIONS, "nosniff"))
        .layer(header(X_FRAME_OPTIONS, "DENY"))
        .layer(header(REFERRER_POLICY, "same-origin"))
        .layer(header(CONTENT_SECURITY_POLICY, CONTENT_POLICY))
        .layer(CompressionLayer::new())
        .layer(middleware::from_fn(requests::observe))
        .layer(CatchPanicLayer::custom(requests::panicked))
        .layer(middleware::from_fn_with_state(state.clone(), origin::check_origin))
        .layer(DefaultBodyLimit::max(MAX_BODY_BYTES));
    calls
        .route("/api/openapi.json", get(move || async move { Json(document) }))
        .method_not_allowed_fallback(|| async { ApiError::method_not_allowed() })
        .fallback(web::serve_web_app)
        .layer(layers)
        .with_state(state)
}
