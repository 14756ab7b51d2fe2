//! Keeps one person from taking the machine from all others: places, turns, rates, heavy work on separate threads,
//! and serialising requests for the same thing.

pub(crate) mod heavy_work;
pub(crate) mod one_at_a_time;
pub(crate) mod person;
pub(crate) mod places;
pub(crate) mod rate_limit;
pub(crate) mod reads;
pub(crate) mod turns;
