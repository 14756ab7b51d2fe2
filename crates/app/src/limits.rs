//! What keeps one person from taking the machine from all others: places, turns, rates, and heavy work beside the requests.

pub(crate) mod heavy_work;
pub(crate) mod person;
pub(crate) mod places;
pub(crate) mod rate_limit;
pub(crate) mod turns;
