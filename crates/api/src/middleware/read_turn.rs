//! The turn that a call which only reads has, and how much memory its answer takes until it is sent.

use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

use axum::body::{Body, Bytes, HttpBody};
use axum::extract::{Request, State};
use axum::http::{Extensions, Method};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use hyper::body::{Frame, SizeHint};
use partsight_app::{App, Error, Person, Place, Places, ReadTurn, Share};
use partsight_domain::User;

use crate::{ApiError, ApiState};

/// An answer from this size on keeps its turn until it is sent, in bytes.
const LARGE: u64 = 1 << 20;
/// Large answers that are in memory at a time, in bytes, and how much of that an account may always have.
const MEMORY: u64 = 256 << 20;
const LEAST_MEMORY: u64 = 32 << 20;
/// The unit in which memory is counted, in bytes.
const PIECE: u64 = 64 << 10;

/// The memory of large answers that are being sent.
#[derive(Debug, Clone)]
pub(crate) struct AnswerMemory(Places<Person>);

impl Default for AnswerMemory {
    fn default() -> Self {
        Self(Places::new(pieces(MEMORY), Share::OfFree, pieces(LEAST_MEMORY)))
    }
}

impl AnswerMemory {
    /// Takes the memory of an answer of `n_bytes`. One that is larger than a quarter of all counts as a quarter, so
    /// that it can be sent at all.
    ///
    /// # Errors
    /// [`Error::Busy`] if too little is free, or the person has their share.
    fn take(&self, person: Person, n_bytes: u64) -> Result<Place<Person>, Error> {
        self.0.take_several(person, pieces(n_bytes.min(MEMORY / 4)))
    }
}

fn pieces(n_bytes: u64) -> usize {
    usize::try_from(n_bytes.div_ceil(PIECE)).unwrap_or(usize::MAX)
}

/// Where the extractors of the user leave the turn: they know whose it is, and [`hold_turn`] until when.
#[derive(Clone, Default)]
struct Held(Arc<Mutex<Option<ReadTurn>>>);

/// Keeps the turn of a GET from the moment when its user is known until its answer begins, and that of a large answer
/// until it is sent: clients decide how long that takes.
///
/// # Errors
/// 503 for a large answer if those that are being sent, of this account or all, take too much memory.
pub(crate) async fn hold_turn(State(state): State<ApiState>, mut request: Request, next: Next) -> Response {
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        return next.run(request).await;
    }
    let held = Held::default();
    request.extensions_mut().insert(held.clone());
    let response = next.run(request).await;
    let n_bytes = response.body().size_hint().lower();
    let turn = held.0.lock().unwrap_or_else(PoisonError::into_inner).take();
    let Some(turn) = turn.filter(|_| n_bytes >= LARGE) else { return response };
    match state.answers.take(turn.person, n_bytes) {
        Ok(memory) => response.map(|body| Body::new(KeptBody { body, _held: (turn, memory) })),
        Err(error) => ApiError::from(error).into_response(),
    }
}

/// A body that holds a turn and memory until its last byte was taken from it.
struct KeptBody<T> {
    body: Body,
    _held: T,
}

impl<T: Unpin> HttpBody for KeptBody<T> {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(cx)
    }

    /// Never before the end was polled: a body that says so is dropped with its last bytes still unsent.
    fn is_end_stream(&self) -> bool {
        false
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
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

#[cfg(test)]
mod tests {
    use partsight_domain::UserId;
    use uuid::Uuid;

    use super::*;

    #[test]
    fn nobody_has_all_memory_and_the_largest_answer_can_be_sent() {
        let memory = AnswerMemory::default();
        let person = |number| Person::from(UserId(Uuid::from_u128(number)));
        let take_all = |number| {
            let take = || memory.take(person(number), 21 << 20).ok();
            std::iter::from_fn(take).collect::<Vec<_>>()
        };
        let ann = take_all(1);
        assert_eq!(ann.len(), 6);
        let (bob, eve) = (take_all(2), take_all(3));
        assert!(bob.len() >= 2 && !eve.is_empty(), "{} {}", bob.len(), eve.len());
        drop((ann, bob, eve));
        drop(memory.take(person(1), u64::MAX).unwrap());
    }
}
