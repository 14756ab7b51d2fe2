//! The cost of a call of the judge.

/// Tokens and price of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct JudgeCost {
    /// Tokens of the question.
    pub input_tokens: u64,
    /// Tokens of the answer.
    pub output_tokens: u64,
    /// The price, in millionths of a dollar.
    pub micro_dollars: u64,
}

/// An amount for the database, limited so that the sum of two cannot overflow.
pub(crate) fn amount(value: u64) -> i64 {
    // A price that overflowed is `u64::MAX`, and the database adds to such amounts.
    i64::try_from(value).unwrap_or(i64::MAX).min(i64::MAX / 4)
}
