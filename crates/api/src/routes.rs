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
use crate::{
    alerts, api_keys, auth, browser_model, calendar, catalog, catalog_health, company, contact, dial, docs,
    feedback, health, history, idempotency, identify, judge, key_access, learning, maintenance, metrics,
    odometer, oil_changes, oil_specs, origin, part_guides, part_search, part_suppliers, parts,
    payment_events, plans, price_lists, records_csv, reference, repairs, requests, scans, settings,
    shop_part_files, shop_parts, similar_parts, subscription, usage, vehicle_oil, vehicles, vin_decoder, web,
};

/// Largest body of a call that takes no photograph, in bytes.
const MAX_BODY_BYTES: usize = 256 * 1024;

/// A page may load only what we serve, show pictures it made itself, and send only to us. Inline styles are
/// allowed because the dialog primitives lock scrolling with one; WebAssembly runs the model in the browser.
const CONTENT_POLICY: &str = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; \
     img-src 'self' blob: data:; media-src 'self' blob:; style-src 'self' 'unsafe-inline'; \
     object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

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
        (name = "reference", description = "Makes, models, years, engines and VINs."),
        (name = "scans", description = "Identifying photographs."),
        (name = "maintenance", description = "Oil changes, repairs, reminders, CSV and the calendar feed."),
        (name = "parts", description = "The catalogue."),
        (name = "subscription", description = "Plans and payments."),
        (name = "company", description = "A company and its team."),
        (name = "keys", description = "Keys for programs, and what was scanned with them."),
        (name = "support", description = "Writing to support."),
        (name = "operations", description = "Running the server."),
    )
)]
struct ApiDoc;

/// All calls; the one that takes photographs takes at most `max_form_bytes` in all.
#[expect(clippy::too_many_lines, reason = "one readable list of all calls")]
fn calls(max_form_bytes: usize) -> OpenApiRouter<ApiState> {
    OpenApiRouter::with_openapi(ApiDoc::openapi())
        .routes(routes!(auth::profile::get_user, auth::profile::update_user, auth::profile::delete_user))
        .routes(routes!(auth::profile::accept_terms))
        .routes(routes!(auth::export::export_user))
        .routes(routes!(auth::password::change_password))
        .routes(routes!(auth::sessions::list_sessions))
        .routes(routes!(auth::sessions::delete_session))
        .routes(routes!(auth::sessions::sign_out_everywhere))
        .routes(routes!(auth::sign_in::sign_up))
        .routes(routes!(auth::sign_in::sign_in))
        .routes(routes!(auth::mailed_links::verify_email))
        .routes(routes!(auth::mailed_links::resend_verification))
        .routes(routes!(auth::mailed_links::forgot_password))
        .routes(routes!(auth::mailed_links::reset_password))
        .routes(routes!(auth::external::start_login))
        .routes(routes!(auth::external::finish_login))
        .routes(routes!(auth::sign_in::sign_out))
        .routes(routes!(vehicles::list_vehicles, vehicles::create_vehicle))
        .routes(routes!(vehicles::get_default_vehicle))
        .routes(routes!(vehicles::get_vehicle, vehicles::update_vehicle, vehicles::delete_vehicle))
        .routes(routes!(vehicles::set_default_vehicle))
        .routes(routes!(oil_specs::get_oil_specs))
        .routes(routes!(oil_specs::get_engine_oil_specs))
        .routes(routes!(reference::list_makes))
        .routes(routes!(reference::list_models))
        .routes(routes!(reference::list_years))
        .routes(routes!(reference::list_engines))
        .routes(routes!(reference::decode_vin))
        .routes(routes!(vin_decoder::ask_vin_decoder))
        .routes(routes!(reference::query_vehicle_database))
        .routes(routes!(oil_changes::list_oil_changes, oil_changes::create_oil_change))
        .routes(routes!(oil_changes::update_oil_change, oil_changes::delete_oil_change))
        .routes(routes!(repairs::list_repairs, repairs::create_repair))
        .routes(routes!(repairs::update_repair, repairs::delete_repair))
        .routes(routes!(alerts::list_alerts))
        .routes(routes!(maintenance::get_maintenance))
        .routes(routes!(
            maintenance::get_maintenance_item,
            maintenance::set_maintenance_item,
            maintenance::reset_maintenance_item
        ))
        .routes(routes!(maintenance::snooze_maintenance_item, maintenance::wake_maintenance_item))
        .routes(routes!(maintenance::finish_maintenance_item))
        .routes(routes!(odometer::add_odometer_reading))
        .routes(routes!(
            vehicle_oil::get_vehicle_oil,
            vehicle_oil::set_vehicle_oil,
            vehicle_oil::delete_vehicle_oil
        ))
        .routes(routes!(vehicle_oil::ask_vehicle_oil, vehicle_oil::discard_vehicle_oil))
        .routes(routes!(calendar::get_calendar, calendar::create_calendar, calendar::delete_calendar))
        .routes(routes!(calendar::get_calendar_file))
        .routes(routes!(records_csv::export_vehicles))
        .routes(routes!(records_csv::export_oil_changes))
        .routes(routes!(records_csv::export_repairs))
        .routes(routes!(records_csv::export_odometer))
        .routes(routes!(records_csv::import_csv).layer(DefaultBodyLimit::max(records_csv::MAX_IMPORT_BYTES)))
        .routes(routes!(browser_model::get_browser_model))
        .routes(routes!(browser_model::get_browser_model_file))
        .routes(routes!(identify::identify_part).layer(DefaultBodyLimit::max(max_form_bytes)))
        .routes(
            routes!(catalog::list_part_types, catalog::create_part_type)
                .layer(DefaultBodyLimit::max(max_form_bytes)),
        )
        .routes(routes!(catalog_health::get_catalog_status))
        .routes(routes!(catalog_health::diagnose_catalog))
        .routes(routes!(catalog::get_part_type))
        .routes(routes!(catalog::add_part_references).layer(DefaultBodyLimit::max(max_form_bytes)))
        .routes(routes!(catalog::delete_part_reference))
        .routes(routes!(catalog::restore_part_reference))
        .routes(routes!(catalog::get_part_reference_thumbnail))
        .routes(routes!(scans::list_recent_scans))
        .routes(routes!(history::list_scans, scans::delete_scans))
        .routes(routes!(history::get_scan, history::delete_scan))
        .routes(routes!(history::get_scan_thumbnail))
        .routes(routes!(history::get_scan_photo))
        .routes(routes!(similar_parts::list_similar_parts))
        .routes(routes!(history::export_scans))
        .routes(routes!(feedback::give_scan_feedback, feedback::delete_scan_feedback))
        .routes(routes!(learning::get_learning, learning::set_learning))
        .routes(routes!(learning::refit_calibration, learning::undo_calibration))
        .routes(routes!(scans::get_scan_limits))
        .routes(routes!(judge::get_judge, judge::set_judge))
        .routes(routes!(judge::set_judge_budget))
        .routes(routes!(dial::get_dial, dial::set_dial))
        .routes(routes!(parts::list_category_parts))
        .routes(routes!(part_search::search_parts))
        .routes(routes!(
            part_search::get_part_fits,
            part_search::ask_part_fits,
            part_search::discard_part_fits
        ))
        .routes(routes!(
            part_guides::get_part_guide,
            part_guides::ask_part_guide,
            part_guides::discard_part_guide
        ))
        .routes(routes!(shop_parts::list_shop_parts, shop_parts::create_shop_part))
        .routes(
            routes!(shop_part_files::import_shop_parts)
                .layer(DefaultBodyLimit::max(records_csv::MAX_IMPORT_BYTES)),
        )
        .routes(routes!(
            shop_parts::get_shop_part,
            shop_parts::update_shop_part,
            shop_parts::delete_shop_part
        ))
        .routes(routes!(shop_parts::restore_shop_part))
        .routes(routes!(shop_part_files::export_shop_parts))
        .routes(routes!(shop_part_files::export_shop_parts_xml))
        .routes(routes!(part_suppliers::list_part_suppliers))
        .routes(
            routes!(price_lists::list_price_lists, price_lists::create_price_list)
                .layer(DefaultBodyLimit::max(price_lists::MAX_FORM_BYTES)),
        )
        .routes(routes!(price_lists::delete_price_list))
        .routes(routes!(price_lists::restore_price_list))
        .routes(routes!(subscription::get_subscription_status))
        .routes(routes!(subscription::orders::create_subscription))
        .routes(routes!(subscription::orders::change_subscription))
        .routes(routes!(subscription::orders::reactivate_subscription))
        .routes(routes!(subscription::cancellation::request_cancellation))
        .routes(routes!(subscription::reset_scans))
        .routes(routes!(plans::list_plans))
        .routes(
            routes!(payment_events::take_payment_event)
                .layer(DefaultBodyLimit::max(payment_events::MAX_EVENT_BYTES)),
        )
        .routes(
            routes!(company::get_company, company::create_company)
                .layer(DefaultBodyLimit::max(company::MAX_COMPANY_BYTES)),
        )
        .routes(
            routes!(company::update_company, company::delete_company)
                .layer(DefaultBodyLimit::max(company::MAX_COMPANY_BYTES)),
        )
        .routes(routes!(company::members::list_company_members, company::members::add_company_member))
        .routes(routes!(company::members::update_company_member, company::members::remove_company_member))
        .routes(routes!(company::members::hand_over_company))
        .routes(routes!(company::invitations::show_invitation))
        .routes(routes!(company::invitations::accept_invitation))
        .routes(routes!(contact::send_contact_message))
        .routes(routes!(api_keys::list_api_keys, api_keys::create_api_key))
        .routes(routes!(api_keys::delete_api_key))
        .routes(routes!(usage::get_usage))
        .routes(routes!(usage::export_usage))
        .routes(routes!(settings::get_settings))
        .routes(routes!(health::get_health))
        .routes(routes!(metrics::get_metrics))
}

/// The OpenAPI document of all calls.
pub fn openapi() -> utoipa::openapi::OpenApi {
    let mut document = calls(MAX_BODY_BYTES).into_openapi();
    docs::complete(&mut document);
    document
}

/// All calls and the web app over `state`.
pub fn router(state: ApiState) -> Router {
    let (calls, mut document) = calls(identify::max_form_bytes(state.max_photo_bytes)).split_for_parts();
    docs::complete(&mut document);
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
        .layer(middleware::from_fn_with_state(state.clone(), key_access::admit_key))
        .layer(middleware::from_fn_with_state(state.clone(), origin::check_origin))
        .layer(middleware::from_fn_with_state(state.clone(), idempotency::answer_once))
        .layer(DefaultBodyLimit::max(MAX_BODY_BYTES));
    let pages = if state.public_settings.has_payments() {
        Router::new().route(web::CHECKOUT_PATH, get(web::serve_checkout))
    } else {
        Router::new()
    };
    calls
        .merge(pages)
        .route("/api/openapi.json", get(move || async move { Json(document) }))
        .merge(docs::routes())
        .method_not_allowed_fallback(|| async { ApiError::method_not_allowed() })
        .fallback(web::serve_web_app)
        .layer(layers)
        .with_state(state)
}
