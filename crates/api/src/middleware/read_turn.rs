//! The turn that a call which only reads has while its answer is made.

use std::sync::{Arc, Mutex, PoisonError};

use axum::extract::Request;
use axum::http::{Extensions, Method};
use axum::middleware::Next;
use axum::response::Response;
use partsight_app::{App, ReadTurn};
use partsight_domain::User;

use crate::ApiError;

/// Where the extractors of the user leave the turn: they know whose it is, and [`hold_turn`] until when.
#[derive(Clone, Default)]
struct Held(Arc<Mutex<Option<ReadTurn>>>);

/// Keeps the turn of a GET from the moment when its user is known until its answer begins.
pub(crate) async fn hold_turn(mut request: Request, next: Next) -> Response {
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        return next.run(request).await;
    }
    let held = Held::default();
    request.extensions_mut().insert(held.clone());
    let response = next.run(request).await;
    drop(held);
    response
}

/// Waits for a turn of the user, if the call only reads and has none yet.
///
/// # Errors
/// 503 if it does not come in time.
pub(crate) async fn take_turn(extensions: &Extensions, app: &App, user: &User) -> Result<(), ApiError> {
    let Some(Held(held)) = extensions.get::<Held>() else { return Ok(()) };
    if held.lock().unwrap_or_else(PoisonError::into_inner).is_none() {
        let turn = app.accounts.turn_to_read(user).await?;
        *held.lock().unwrap_or_else(PoisonError::into_inner) = Some(turn);
    }
    Ok(())
}
