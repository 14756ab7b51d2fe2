//! How SQLite answers a query, for tests: one that reads a whole table while it holds the write lock keeps all other
//! writers waiting.

use sqlx::{AssertSqlSafe, Row};

use crate::Store;

/// Checks that a query with `n_values` values reads no table without an index, and that each of `expected` is part of
/// its plan.
pub(crate) async fn assert_plan(sql: &str, n_values: usize, expected: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open_sqlite(folder.path()).await.unwrap();
    let query = sqlx::query(AssertSqlSafe(format!("EXPLAIN QUERY PLAN {sql}")));
    let query = (0..n_values).fold(query, |query, _| query.bind(0_i64));
    let steps = query.fetch_all(&store.writer).await.unwrap();
    let plan: Vec<String> = steps.iter().map(|step| step.get("detail")).collect();
    // What a common table expression holds is read whole.
    let is_whole = |step: &&String| {
        step.starts_with("SCAN")
            && !["USING", "summed", "slice", "(subquery", "CONSTANT"].iter().any(|part| step.contains(part))
    };
    assert_eq!(plan.iter().find(is_whole), None, "{plan:#?}");
    for part in expected {
        assert!(plan.iter().any(|step| step.contains(part)), "{part}: {plan:#?}");
    }
}
