use axum::extract::State;
use axum::http::HeaderValue;
use axum::http::header::{
    CONTENT_SECURITY_POLICY, HeaderName, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use axum::middleware::{from_fn, from_fn_with_state};
use axum::routing::get;
use axum::{Json, Router};
use tower::ServiceBuilder;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::compression::CompressionLayer;
use tower_http::set_header::SetResponseHeaderLayer;
use utoipa::OpenApi;
use utoipa_axum::router::{OpenApiRouter, UtoipaMethodRouterExt};
use utoipa_axum::routes;

use crate::body_limit::{MAX_BODY_BYTES, body_limit};
use crate::middleware::{
    body_deadline, cache_control, early_body, hosts, idempotency, key_access, origin, read_turn, requests,
};
use crate::operations::metrics::render_metrics;
use crate::{ApiError, ApiState, McpServer, Problem, docs, files, forms, mcp, web};

/// A page may load only what this server serves, show images that it made itself, and send only to this server.
/// Inline styles are allowed because the dialog primitives lock scrolling with one; WebAssembly runs the model in
/// the browser.
const CONTENT_POLICY: &str = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; \
     img-src 'self' blob: data:; media-src 'self' blob:; style-src 'self' 'unsafe-inline'; \
     object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

#[derive(OpenApi)]
#[openapi(
    info(
        title = "Partsight",
        description = "Identifies car parts on photographs, and keeps records of vehicles, oil changes and repairs. \
                       Timestamps are RFC 3339 in UTC, and dates are `YYYY-MM-DD`. Every error has the schema \
                       `Problem`; its `code` names the kind of error.\n\n\
                       ## Terms\n\n\
                       | term | meaning |\n|---|---|\n\
                       | scan | One identification of a part from one to five photographs, with its answer. |\n\
                       | allowance | The number of scans that a plan includes. |\n\
                       | model | The neural network on this server that identifies parts. |\n\
                       | part type | A kind of part, such as brake caliper. Its `label`, such as `brake-caliper`, is its id. |\n\
                       | taught part | A part type that people added with photographs, called references, without training the model. |\n\
                       | shop part | A part in the list of a shop: a part number of a brand. |\n\
                       | your shop | Your company, or your account if you are in no company. |\n\
                       | confidence | Calibrated probability that the label is correct, in 0..=1. |\n\
                       | known score | How likely it is that the photograph shows any known part type, in 0..=1. |\n\
                       | verdict | `identified` if confidence and known score reach their thresholds, `not-a-part` if the known score is too low, else `not-sure`. |\n\
                       | judge | An optional vision language model that is asked if the model is not sure. |",
        license(name = "MIT OR Apache-2.0")
    ),
    components(schemas(Problem)),
    tags(
        (name = "auth", description = "Accounts and sessions."),
        (name = "vehicles", description = "Saved vehicles."),
        (name = "reference", description = "Makes, models, years, engines and VINs."),
        (name = "scans", description = "Identifying parts on photographs, and the judge."),
        (name = "batches", description = "Many photographs as one job, and grades of parts."),
        (name = "evaluations", description = "Accuracy of the model on labelled photographs."),
        (name = "maintenance", description = "Oil changes, repairs, reminders, CSV files and the calendar feed."),
        (name = "parts", description = "The catalogue of part types, shop parts and suppliers."),
        (name = "subscription", description = "Plans and payments."),
        (name = "company", description = "The company and its members."),
        (name = "keys", description = "API keys, and their usage."),
        (name = "events", description = "Events, as a stream and as webhooks."),
        (name = "support", description = "Messages to support."),
        (name = "operations", description = "Operation of the server."),
    )
)]
struct ApiDoc;

/// All calls. Forms with photographs have at most `max_form_bytes` in total.
fn calls(max_form_bytes: usize) -> OpenApiRouter<ApiState> {
    OpenApiRouter::with_openapi(ApiDoc::openapi())
        .merge(recognition_calls())
        .merge(accounts_calls())
        .merge(event_calls())
        .merge(plans_calls())
        .merge(garage_calls())
        .merge(parts_calls())
        .merge(judging_calls())
        .merge(teaching_calls(max_form_bytes))
        .merge(scanning_calls(max_form_bytes))
        .merge(batch_calls())
        .merge(evaluation_calls())
        .merge(operations_calls())
}

fn recognition_calls() -> OpenApiRouter<ApiState> {
    use crate::recognition::browser_model;

    OpenApiRouter::new()
        .routes(routes!(browser_model::get_browser_model))
        .routes(routes!(browser_model::get_browser_model_file))
}

fn accounts_calls() -> OpenApiRouter<ApiState> {
    use crate::accounts::{
        allowance, api_keys, external_sign_in, mailed_links, password, profile, sessions, sign_in, usage,
    };
    use crate::operations::account_deletion;

    OpenApiRouter::new()
        .routes(routes!(profile::get_user, profile::update_user, account_deletion::delete_user))
        .routes(routes!(profile::accept_terms))
        .routes(routes!(password::change_password))
        .routes(routes!(sessions::list_sessions))
        .routes(routes!(sessions::delete_session))
        .routes(routes!(sessions::sign_out_everywhere))
        .routes(routes!(sign_in::sign_up))
        .routes(routes!(sign_in::sign_in))
        .routes(routes!(mailed_links::verify_email))
        .routes(routes!(mailed_links::resend_verification))
        .routes(routes!(mailed_links::forgot_password))
        .routes(routes!(mailed_links::reset_password))
        .routes(routes!(external_sign_in::start_login))
        .routes(routes!(external_sign_in::finish_login))
        .routes(routes!(sign_in::sign_out))
        .routes(routes!(allowance::get_scan_limits))
        .routes(routes!(api_keys::list_api_keys, api_keys::create_api_key))
        .routes(routes!(api_keys::delete_api_key))
        .routes(routes!(usage::get_usage))
        .routes(routes!(usage::export_usage))
}

fn event_calls() -> OpenApiRouter<ApiState> {
    use crate::events::{deliveries, stream, webhooks};

    OpenApiRouter::new()
        .routes(routes!(stream::watch_events))
        .routes(routes!(webhooks::list_webhooks, webhooks::create_webhook))
        .routes(routes!(webhooks::get_webhook, webhooks::update_webhook, webhooks::delete_webhook))
        .routes(routes!(webhooks::renew_webhook_secret))
        .routes(routes!(webhooks::test_webhook))
        .routes(routes!(deliveries::list_webhook_deliveries))
        .routes(routes!(deliveries::retry_webhook_deliveries))
        .routes(routes!(deliveries::retry_webhook_delivery))
}

fn plans_calls() -> OpenApiRouter<ApiState> {
    use crate::plans::{company, contact, payment_events, plan_list, subscription};

    OpenApiRouter::new()
        .routes(routes!(subscription::get_subscription_status))
        .routes(routes!(subscription::orders::create_subscription))
        .routes(routes!(subscription::orders::change_subscription))
        .routes(routes!(subscription::orders::reactivate_subscription))
        .routes(routes!(
            subscription::cancellation::request_cancellation,
            subscription::cancellation::withdraw_cancellation
        ))
        .routes(routes!(subscription::reset_scans))
        .routes(routes!(plan_list::list_plans))
        .routes(
            routes!(payment_events::take_payment_event).layer(body_limit(payment_events::MAX_EVENT_BYTES)),
        )
        .routes(
            routes!(company::get_company, company::create_company)
                .layer(body_limit(company::MAX_COMPANY_BYTES)),
        )
        .routes(
            routes!(company::update_company, company::delete_company)
                .layer(body_limit(company::MAX_COMPANY_BYTES)),
        )
        .routes(routes!(company::members::list_company_members, company::members::add_company_member))
        .routes(routes!(company::members::update_company_member, company::members::remove_company_member))
        .routes(routes!(company::members::hand_over_company))
        .routes(routes!(company::invitations::list_own_invitations))
        .routes(routes!(company::invitations::show_invitation))
        .routes(routes!(company::invitations::accept_invitation))
        .routes(routes!(company::invitations::decline_invitation))
        .routes(routes!(contact::send_contact_message))
}

fn garage_calls() -> OpenApiRouter<ApiState> {
    use crate::garage::{
        alerts, calendar, maintenance, odometer, oil_changes, oil_specs, push, records_csv, reminder_mails,
        repairs, safety, vehicle_data, vehicle_oil, vehicles, vin_decoder,
    };

    OpenApiRouter::new()
        .routes(routes!(vehicles::list_vehicles, vehicles::create_vehicle))
        .routes(routes!(vehicles::get_default_vehicle))
        .routes(routes!(vehicles::get_vehicle, vehicles::update_vehicle, vehicles::delete_vehicle))
        .routes(routes!(vehicles::set_default_vehicle))
        .routes(routes!(safety::get_vehicle_recalls))
        .routes(routes!(oil_specs::get_oil_specs))
        .routes(routes!(oil_specs::get_engine_oil_specs))
        .routes(routes!(vehicle_data::list_makes))
        .routes(routes!(vehicle_data::list_models))
        .routes(routes!(vehicle_data::list_years))
        .routes(routes!(vehicle_data::list_engines))
        .routes(routes!(vehicle_data::decode_vin))
        .routes(routes!(vin_decoder::ask_vin_decoder))
        .routes(routes!(vehicle_data::query_vehicle_database))
        .routes(routes!(oil_changes::list_oil_changes, oil_changes::create_oil_change))
        .routes(routes!(oil_changes::update_oil_change, oil_changes::delete_oil_change))
        .routes(routes!(repairs::list_repairs, repairs::create_repair))
        .routes(routes!(repairs::update_repair, repairs::delete_repair))
        .routes(routes!(alerts::list_alerts))
        .routes(routes!(maintenance::list_maintenance))
        .routes(routes!(maintenance::get_maintenance))
        .routes(routes!(
            maintenance::get_maintenance_item,
            maintenance::set_maintenance_item,
            maintenance::reset_maintenance_item
        ))
        .routes(routes!(maintenance::snooze_maintenance_item, maintenance::wake_maintenance_item))
        .routes(routes!(maintenance::finish_maintenance_item))
        .routes(routes!(
            odometer::add_odometer_reading,
            odometer::list_odometer_readings,
            odometer::delete_odometer_reading
        ))
        .routes(routes!(
            vehicle_oil::get_vehicle_oil,
            vehicle_oil::set_vehicle_oil,
            vehicle_oil::delete_vehicle_oil
        ))
        .routes(routes!(calendar::get_calendar, calendar::create_calendar, calendar::delete_calendar))
        .routes(routes!(calendar::get_calendar_file))
        .routes(routes!(
            reminder_mails::get_reminder_mails,
            reminder_mails::set_reminder_mails,
            reminder_mails::delete_reminder_mails
        ))
        .routes(routes!(reminder_mails::unsubscribe_reminder_mails, reminder_mails::show_unsubscribe_page))
        .routes(routes!(push::get_push_notifications, push::set_push_subscription))
        .routes(routes!(push::delete_push_subscription))
        .routes(routes!(records_csv::export_vehicles))
        .routes(routes!(records_csv::export_oil_changes))
        .routes(routes!(records_csv::export_repairs))
        .routes(routes!(records_csv::export_odometer))
        .routes(routes!(records_csv::import_csv).layer(body_limit(files::MAX_IMPORT_BYTES)))
}

fn parts_calls() -> OpenApiRouter<ApiState> {
    use crate::judging::fills;
    use crate::parts::{
        cross_references, fit, guides, list_upload, part_types, price_lists, recalls, search,
        shop_part_files, shop_parts, similar_parts, suppliers,
    };

    OpenApiRouter::new()
        .routes(routes!(similar_parts::list_similar_parts))
        .routes(routes!(part_types::list_category_parts))
        .routes(routes!(search::search_parts))
        .routes(routes!(fit::get_part_fits, fills::ask_part_fits, fills::discard_part_fits))
        .routes(routes!(guides::get_part_guide, fills::ask_part_guide, fills::discard_part_guide))
        .routes(routes!(shop_parts::list_shop_parts, shop_parts::create_shop_part))
        .routes(routes!(shop_part_files::import_shop_parts).layer(body_limit(files::MAX_PARTS_BYTES)))
        .routes(routes!(
            shop_parts::get_shop_part,
            shop_parts::update_shop_part,
            shop_parts::delete_shop_part
        ))
        .routes(routes!(shop_parts::restore_shop_part))
        .routes(routes!(shop_part_files::export_shop_parts))
        .routes(routes!(shop_part_files::export_shop_parts_xml))
        .routes(routes!(suppliers::list_part_suppliers))
        .routes(routes!(recalls::get_part_recalls))
        .routes(
            routes!(price_lists::list_price_lists, price_lists::create_price_list)
                .layer(body_limit(list_upload::MAX_FORM_BYTES)),
        )
        .routes(
            routes!(cross_references::list_cross_references, cross_references::create_cross_references)
                .layer(body_limit(list_upload::MAX_FORM_BYTES)),
        )
        .routes(routes!(cross_references::delete_cross_references))
        .routes(routes!(cross_references::restore_cross_references))
        .routes(routes!(price_lists::delete_price_list))
        .routes(routes!(price_lists::restore_price_list))
}

fn judging_calls() -> OpenApiRouter<ApiState> {
    use crate::judging::{fills, judge};

    OpenApiRouter::new()
        .routes(routes!(fills::ask_vehicle_oil, fills::discard_vehicle_oil))
        .routes(routes!(judge::get_judge, judge::set_judge))
        .routes(routes!(judge::set_own_judge))
        .routes(routes!(judge::set_judge_budget))
}

fn teaching_calls(max_form_bytes: usize) -> OpenApiRouter<ApiState> {
    use crate::teaching::{catalog_health, dial, learning, taught_parts, taught_types, teach_scans};

    OpenApiRouter::new()
        .routes(
            routes!(taught_parts::list_part_types, taught_parts::create_part_type)
                .layer(body_limit(max_form_bytes)),
        )
        .routes(routes!(catalog_health::get_catalog_status))
        .routes(routes!(catalog_health::diagnose_catalog))
        .routes(routes!(teach_scans::teach_scans))
        .routes(routes!(
            taught_parts::get_part_type,
            taught_types::change_part_type,
            taught_types::delete_part_type
        ))
        .routes(routes!(taught_types::restore_part_type))
        .routes(routes!(taught_parts::add_part_references).layer(body_limit(max_form_bytes)))
        .routes(routes!(taught_parts::mark_look_alike, taught_parts::unmark_look_alike))
        .routes(routes!(taught_parts::delete_part_reference))
        .routes(routes!(taught_parts::restore_part_reference))
        .routes(routes!(taught_parts::get_part_reference_thumbnail))
        .routes(routes!(learning::get_learning, learning::set_learning))
        .routes(routes!(learning::refit_calibration, learning::undo_calibration))
        .routes(routes!(dial::get_dial, dial::set_dial))
}

fn scanning_calls(max_form_bytes: usize) -> OpenApiRouter<ApiState> {
    use crate::scanning::{feedback, history, identify, readings, regions, scans, vin_photo};

    OpenApiRouter::new()
        .routes(routes!(identify::identify_part).layer(body_limit(max_form_bytes)))
        .routes(routes!(scans::list_recent_scans))
        .routes(routes!(history::list_scans, scans::delete_scans))
        .routes(routes!(history::discard_scans))
        .routes(routes!(history::get_scan, history::delete_scan))
        .routes(routes!(history::get_scan_thumbnail))
        .routes(routes!(history::get_scan_photo))
        .routes(routes!(history::export_scans))
        .routes(routes!(readings::get_scan_reading, readings::correct_scan_reading))
        .routes(
            routes!(regions::get_scan_regions, regions::set_scan_regions).layer(body_limit(max_form_bytes)),
        )
        .routes(routes!(feedback::give_scan_feedback, feedback::delete_scan_feedback))
        .routes(routes!(vin_photo::read_vin).layer(body_limit(max_form_bytes)))
}

fn batch_calls() -> OpenApiRouter<ApiState> {
    use crate::batches::{events, folders, grades, groups, items, jobs, uploads};

    OpenApiRouter::new()
        .routes(routes!(jobs::list_batches, jobs::create_batch))
        .routes(routes!(jobs::get_batch, jobs::delete_batch))
        .routes(routes!(uploads::add_batch_photos).layer(body_limit(uploads::MAX_FORM_BYTES)))
        .routes(routes!(folders::list_batch_folders))
        .routes(routes!(uploads::add_batch_folder))
        .routes(routes!(jobs::start_batch))
        .routes(routes!(jobs::cancel_batch))
        .routes(routes!(jobs::retry_batch))
        .routes(routes!(items::list_batch_items))
        .routes(routes!(items::list_batch_types))
        .routes(routes!(items::export_batch_results))
        .routes(routes!(grades::get_grade_scale, grades::set_grade_scale))
        .routes(routes!(grades::set_scan_grade, grades::delete_scan_grade))
        .routes(routes!(grades::get_grade_totals))
        .routes(routes!(groups::propose_batch_groups))
        .routes(routes!(groups::join_batch_items, groups::arrange_batch_items))
        .routes(routes!(groups::split_batch_items))
        .routes(routes!(groups::discard_batch_items))
        .routes(routes!(events::watch_batch))
}

fn evaluation_calls() -> OpenApiRouter<ApiState> {
    use crate::evaluations::{drift, jobs, reports, uploads};

    OpenApiRouter::new()
        .routes(routes!(uploads::create_evaluation).layer(body_limit(uploads::MAX_FORM_BYTES)))
        .routes(routes!(uploads::evaluate_folder))
        .routes(routes!(jobs::list_evaluations))
        .routes(routes!(jobs::get_evaluation, jobs::delete_evaluation))
        .routes(routes!(jobs::cancel_evaluation))
        .routes(routes!(reports::get_evaluation_file))
        .routes(routes!(reports::compare_evaluations))
        .routes(routes!(drift::get_drift))
}

fn operations_calls() -> OpenApiRouter<ApiState> {
    use crate::operations::{account_export, health, metrics, ready, settings};

    OpenApiRouter::new()
        .routes(routes!(account_export::export_user))
        .routes(routes!(settings::get_settings))
        .routes(routes!(health::get_health))
        .routes(routes!(ready::get_ready))
        .routes(routes!(metrics::get_metrics))
}

/// The OpenAPI document of all calls.
pub fn openapi() -> utoipa::openapi::OpenApi {
    let mut document = calls(MAX_BODY_BYTES).into_openapi();
    docs::complete(&mut document);
    document
}

/// All calls, the MCP server and the web app, over `state`.
pub fn router(state: ApiState) -> Router {
    let header = |name: HeaderName, value: &'static str| {
        SetResponseHeaderLayer::if_not_present(name, HeaderValue::from_static(value))
    };
    // Calls that an MCP message makes run through the layers of `calls`. The message itself needs only some of
    // those. The first layer is the outermost.
    let layers = ServiceBuilder::new()
        .layer(header(X_CONTENT_TYPE_OPTIONS, "nosniff"))
        .layer(from_fn_with_state(state.clone(), cache_control::keep_private))
        .layer(from_fn_with_state(state.clone(), requests::observe))
        .layer(from_fn_with_state(state.clone(), body_deadline::hurry_bodies))
        .layer(CatchPanicLayer::custom(requests::panicked))
        .layer(from_fn_with_state(state.clone(), hosts::check_host))
        .layer(from_fn_with_state(state.clone(), key_access::admit_key));
    let calls = calls_router(state.clone());
    // As a fallback, so that calls do not run through these layers twice.
    mcp::routes(calls.clone(), state).layer(layers).fallback_service(calls)
}

/// An MCP server over all calls of `state`.
pub fn mcp_server(state: ApiState) -> McpServer {
    let max_photo_bytes = state.max_photo_bytes;
    McpServer::over(calls_router(state), max_photo_bytes)
}

/// All calls and the web app over `state`.
fn calls_router(state: ApiState) -> Router {
    let (calls, mut document) = calls(forms::max_form_bytes(state.max_photo_bytes)).split_for_parts();
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
        // Outside of `observe`, so that the error bodies it writes are compressed too.
        .layer(CompressionLayer::new())
        .layer(from_fn_with_state(state.clone(), cache_control::keep_private))
        // Outside of all layers that can refuse: refusals get their id, body and log line here.
        .layer(from_fn_with_state(state.clone(), requests::observe))
        // Outside of all layers that read a body.
        .layer(from_fn_with_state(state.clone(), body_deadline::hurry_bodies))
        // Inside of `observe`, which writes the body of the error that a panic turns into.
        .layer(CatchPanicLayer::custom(requests::panicked))
        // Before any key or cookie is read.
        .layer(from_fn_with_state(state.clone(), hosts::check_host))
        .layer(from_fn(early_body::receive_body))
        .layer(from_fn_with_state(state.clone(), read_turn::hold_turn))
        // Before the origin is checked, since a request with a key is exempt from it.
        .layer(from_fn_with_state(state.clone(), key_access::admit_key))
        .layer(from_fn_with_state(state.clone(), origin::check_origin))
        // After both: only an allowed call claims its `Idempotency-Key`.
        .layer(from_fn_with_state(state.clone(), idempotency::answer_once))
        // The innermost layer. Routes with limits of their own override it.
        .layer(body_limit(MAX_BODY_BYTES));
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

/// Only `/metrics`, for an address of its own: every client that reaches it may see it.
pub(crate) fn metrics_router(state: ApiState) -> Router {
    Router::new()
        .route("/metrics", get(async |State(state): State<ApiState>| render_metrics(&state)))
        .with_state(state)
}
