//! Verdicts and texts of the judge, what it cost, and what a shop allows it. Begin with `calls.rs`: money is reserved
//! before a call, and settled after it.

mod calls;
mod choices;
mod cost;
mod fills;
mod verdicts;

pub use calls::{CallPurpose, JudgeBudgets, JudgeSpending, Kept, NoMoney, ReservedCall};
pub use cost::JudgeCost;
pub use fills::{FillKey, NewFill, StoredFill};
pub use verdicts::{JudgedVerdict, SimilarVerdict};
