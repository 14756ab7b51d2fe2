use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use super::*;

const ANN: Person = Person::number(1);
const BOB: Person = Person::number(2);
const EVE: Person = Person::number(3);
const WAIT: Duration = Duration::from_mins(1);

type Waiting<'t> = Pin<Box<dyn Future<Output = Result<Turn>> + 't>>;

/// Requests a turn, and returns when the request is in the queue.
fn ask(turns: &Turns, person: Person) -> Waiting<'_> {
    let mut waiting: Waiting<'_> = Box::pin(turns.turn(person, WAIT));
    assert!(poll(&mut waiting).is_none(), "it had to wait");
    waiting
}

fn poll(waiting: &mut Waiting<'_>) -> Option<Result<Turn>> {
    match waiting.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(outcome) => Some(outcome),
        Poll::Pending => None,
    }
}

#[tokio::test]
async fn queues_are_served_by_the_time_of_each_person_however_long_each_is() {
    let turns = Turns::new(1, 1);
    let mut running = turns.turn(ANN, WAIT).await.unwrap();
    let mut waiting: Vec<(&str, Waiting<'_>)> = Vec::new();
    for (name, person) in
        [("ann 1", ANN), ("ann 2", ANN), ("ann 3", ANN), ("bob 1", BOB), ("bob 2", BOB), ("eve 1", EVE)]
    {
        waiting.push((name, ask(&turns, person)));
    }
    let mut order = Vec::new();
    while !waiting.is_empty() {
        // As if it had begun so long ago; so different that a busy machine changes nothing.
        let took_ms = if running.person() == ANN { 1_000 } else { 1_500 };
        running.began -= Duration::from_millis(took_ms);
        drop(running);
        let served = waiting.iter_mut().enumerate().find_map(|(at, (_, one))| Some((at, poll(one)?)));
        let (at, turn) = served.expect("somebody has the turn that was free");
        running = turn.unwrap();
        order.push(waiting.remove(at).0);
    }
    // Ann had the turn that ran.
    assert_eq!(order, ["bob 1", "eve 1", "ann 1", "bob 2", "ann 2", "ann 3"]);
}

#[tokio::test]
async fn spare_work_waits_while_people_keep_the_machine_busy() {
    let turns = Turns::with_spare_below(1, 3, 3);
    let ann = turns.turn(ANN, WAIT).await.unwrap();
    let mut spare: Waiting<'_> = Box::pin(turns.spare_turn(WAIT));
    assert!(poll(&mut spare).is_none(), "two of three turns are free, and the machine is busy");
    drop(ann);
    assert!(poll(&mut spare).unwrap().is_ok());
}

#[tokio::test]
async fn what_one_person_may_not_have_is_for_the_next() {
    let turns = Turns::new(2, 1);
    let first = turns.turn(ANN, WAIT).await.unwrap();
    let mut second = ask(&turns, ANN);
    let bobs = turns.turn(BOB, WAIT).await.unwrap();
    drop(bobs);
    assert!(poll(&mut second).is_none());
    drop(first);
    assert!(poll(&mut second).unwrap().is_ok());
}

#[tokio::test]
async fn the_last_turn_is_left_to_others_who_were_here_lately() {
    let turns = Turns::new(2, 2);
    let alone = [turns.turn(ANN, WAIT).await.unwrap(), turns.turn(ANN, WAIT).await.unwrap()];
    drop(alone);
    drop(turns.turn(BOB, WAIT).await.unwrap());
    let first = turns.turn(ANN, WAIT).await.unwrap();
    let mut second = ask(&turns, ANN);
    drop(turns.turn(BOB, Duration::ZERO).await.expect("a turn is free for him"));
    assert!(poll(&mut second).is_none());
    drop(first);
    assert!(poll(&mut second).unwrap().is_ok());
}

#[tokio::test]
async fn who_was_here_long_ago_leaves_all_turns_to_the_others() {
    let shared =
        Shared { n: 2, of_each: 2, n_idle_below: 2, lately: Duration::ZERO, state: Mutex::default() };
    let turns = Turns(Arc::new(shared));
    drop(turns.turn(BOB, WAIT).await.unwrap());
    let _first = turns.turn(ANN, WAIT).await.unwrap();
    turns.turn(ANN, Duration::ZERO).await.expect("she is alone");
}

#[tokio::test]
async fn a_turn_that_does_not_come_in_time_is_refused_and_one_given_up_goes_on() {
    let turns = Turns::new(1, 1);
    let running = turns.turn(ANN, WAIT).await.unwrap();
    assert!(matches!(turns.turn(BOB, Duration::ZERO).await, Err(Error::Busy)));
    // Bob leaves before his turn comes, Eve after it has come.
    drop(ask(&turns, BOB));
    let eves = ask(&turns, EVE);
    let mut anns = ask(&turns, ANN);
    drop(running);
    assert!(poll(&mut anns).is_none());
    drop(eves);
    assert!(poll(&mut anns).unwrap().is_ok());
}

/// One turn at a time, with this as the recent duration.
fn paced(took: Duration) -> Turns {
    let turns = Turns::new(1, 1);
    let began = Instant::now();
    turns.0.lock().pace.end(began, began + took);
    turns
}

#[tokio::test]
async fn what_cannot_be_done_in_time_is_refused_at_once() {
    let turns = paced(Duration::from_secs(1));
    let deadline = Duration::from_secs(5);
    let _running = turns.turn(ANN, WAIT).await.unwrap();
    let mut waiting: Vec<Waiting<'_>> = Vec::new();
    let refused = loop {
        let mut next: Waiting<'_> = Box::pin(turns.turn_within(ANN, deadline));
        match poll(&mut next) {
            None => waiting.push(next),
            Some(outcome) => break outcome,
        }
    };
    // The running one, four that wait for a second each, and its own second.
    assert_eq!(waiting.len(), 4);
    let Err(Error::Overloaded { retry_after }) = refused else { panic!("{refused:?}") };
    assert!((900..=1100).contains(&retry_after.as_millis()), "{retry_after:?}");
    // Only one of hers is before Bob's.
    let mut bobs: Waiting<'_> = Box::pin(turns.turn_within(BOB, deadline));
    assert!(poll(&mut bobs).is_none());
    assert_eq!(turns.n_refused(), 1);
}

#[tokio::test]
async fn those_who_were_let_in_are_refused_once_they_cannot_be_in_time() {
    let turns = paced(Duration::from_millis(10));
    let deadline = Duration::from_millis(50);
    let _stalled = turns.turn(ANN, WAIT).await.unwrap();
    let refused = turns.turn_within(BOB, deadline).await;
    assert!(matches!(refused, Err(Error::Overloaded { .. })), "{refused:?}");
    // The turn has still not ended, so nobody else may wait.
    let mut next: Waiting<'_> = Box::pin(turns.turn_within(BOB, deadline));
    assert!(matches!(poll(&mut next), Some(Err(Error::Overloaded { .. }))));
    assert_eq!(turns.n_refused(), 2);
}

#[tokio::test]
async fn on_a_slow_machine_the_next_is_let_in_all_the_same() {
    let turns = paced(Duration::from_secs(1));
    let running = turns.turn(ANN, WAIT).await.unwrap();
    let deadline = Duration::from_millis(100);
    let mut next: Waiting<'_> = Box::pin(turns.turn_within(ANN, deadline));
    assert!(poll(&mut next).is_none());
    let mut one_more: Waiting<'_> = Box::pin(turns.turn_within(ANN, deadline));
    assert!(matches!(poll(&mut one_more), Some(Err(Error::Overloaded { .. }))));
    drop(running);
    assert!(poll(&mut next).unwrap().is_ok());
}

#[tokio::test]
async fn a_spare_turn_is_what_no_person_wants_and_never_all_of_them() {
    let turns = Turns::new(4, 4);
    let running = [turns.spare_turn(WAIT).await.unwrap(), turns.spare_turn(WAIT).await.unwrap()];
    let mut third: Waiting<'_> = Box::pin(turns.spare_turn(WAIT));
    assert!(poll(&mut third).is_none(), "half of all are for people");
    let mut anns = vec![turns.turn(ANN, WAIT).await.unwrap(), turns.turn(ANN, WAIT).await.unwrap()];
    let mut waiting = ask(&turns, ANN);
    assert_eq!(turns.n_waiting(), 1, "nobody waits for what is spare");
    drop(running);
    let last = poll(&mut waiting).unwrap().expect("people come first");
    assert!(poll(&mut third).is_none(), "somebody had to wait a moment ago");
    tokio::time::sleep(QUIET).await;
    let _spare = poll(&mut third).unwrap().expect("one is left");
    drop((last, anns.pop(), anns.pop()));
    assert!(Turns::new(1, 1).spare_turn(Duration::ZERO).await.is_ok(), "one in any case");
}

#[tokio::test]
async fn a_spare_turn_that_does_not_come_in_time_is_dropped() {
    let turns = Turns::new(1, 1);
    let running = turns.turn(ANN, WAIT).await.unwrap();
    assert!(matches!(turns.spare_turn(Duration::ZERO).await, Err(Error::Busy)));
    drop(running);
    turns.turn(ANN, Duration::ZERO).await.expect("who has gone holds nothing");
}

#[tokio::test]
async fn those_who_have_gone_do_not_add_up() {
    let turns = Turns::new(1, 1);
    let _running = turns.turn(ANN, WAIT).await.unwrap();
    for _ in 0..100 {
        drop(ask(&turns, BOB));
    }
    let _waiting = ask(&turns, EVE);
    assert_eq!(turns.0.lock().queues.len(), 1);
}

#[tokio::test]
async fn whoever_waits_for_a_spare_turn_is_sent_away_when_there_are_no_more() {
    let turns = Turns::new(1, 1);
    let ann = turns.turn(ANN, WAIT).await.unwrap();
    let mut waiting: Waiting<'_> = Box::pin(turns.spare_turn(WAIT));
    assert!(poll(&mut waiting).is_none());
    turns.end_spare();
    assert!(matches!(poll(&mut waiting), Some(Err(Error::ShuttingDown))));
    drop(ann);
    assert!(matches!(turns.spare_turn(WAIT).await, Err(Error::ShuttingDown)), "though a turn is free");
    assert!(turns.turn(BOB, WAIT).await.is_ok(), "people who wait are served to the end");
}
