//! What keeps one person from taking the machine from all others: places, turns, rates, heavy work beside the requests,
//! and one at a time of those who want the same.

pub(crate) mod heavy_work;
pub(crate) mod one_at_a_time;
pub(crate) mod person;
pub(crate) mod places;
pub(crate) mod rate_limit;
pub(crate) mod turns;
