//! Deletions in slices. Hundreds of thousands of rows, or gigabytes of pictures, in one transaction would keep all other
//! writers of SQLite waiting.

/// Rows in a slice, each with the rows that belong to it: a scan has its pictures, and up to seven further rows.
const MAX_ROWS: usize = 500;

/// Bytes of pictures in a slice, unless its last row has more. SQLite deletes 120 MB in a second on an idle machine and 30
/// MB on a busy one, and other writers wait five seconds at most.
const MAX_BYTES: usize = 25_000_000;

/// A table of which many rows are deleted.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sliced {
    /// Its name.
    pub table: &'static str,
    /// The columns of its key.
    pub key: &'static str,
    /// The bytes of pictures that go with a row, as an expression.
    pub n_bytes: &'static str,
}

impl Sliced {
    /// A table whose rows have no pictures.
    pub(crate) const fn small(table: &'static str, key: &'static str) -> Self {
        Self { table, key, n_bytes: "0" }
    }

    /// The deletion of a slice of the rows that fulfil `condition`. `lock` follows the selection of the rows:
    /// `FOR UPDATE` of PostgreSQL, or nothing.
    pub(crate) fn deletion(&self, condition: &str, lock: &str) -> String {
        let Self { table, key, .. } = self;
        format!(
            "{} DELETE FROM {table} WHERE ({key}) IN (SELECT {key} FROM slice)",
            self.slice(condition, lock)
        )
    }

    /// The beginning of a statement, which may then read the keys of a slice from `slice`.
    ///
    /// A common table expression, because PostgreSQL may run a subquery with a lock more than once.
    pub(crate) fn slice(&self, condition: &str, lock: &str) -> String {
        let Self { table, key, n_bytes } = self;
        format!(
            "WITH candidate AS (SELECT {key}, {n_bytes} AS n_bytes FROM {table} WHERE {condition} \
                                LIMIT {MAX_ROWS} {lock}), \
                  summed AS (SELECT {key}, SUM(n_bytes) OVER (ORDER BY {key}) - n_bytes AS n_before FROM candidate), \
                  slice AS (SELECT {key} FROM summed WHERE n_before < {MAX_BYTES})"
        )
    }
}

/// Photographs of evaluations.
pub(crate) const EVALUATION_PHOTOS: Sliced =
    Sliced { table: "evaluation_photo", key: "evaluation_id, path", n_bytes: "LENGTH(bytes)" };

/// Scans, with their pictures.
pub(crate) const SCANS: Sliced = Sliced {
    table: "scan",
    key: "scan_id",
    n_bytes: "(SELECT COALESCE(SUM(LENGTH(scan_photo.bytes)), 0) FROM scan_photo \
               WHERE scan_photo.scan_id = scan.scan_id)",
};

#[cfg(test)]
mod tests {
    use partsight_test_support::postgres::PostgresDatabase;
    use sqlx::AssertSqlSafe;

    use super::*;
    use crate::Store;

    const NOTES: Sliced = Sliced { table: "note", key: "note_id", n_bytes: "n" };

    /// The numbers of rows that one deletion after the other deletes of pictures with these bytes.
    async fn deleted(store: &Store, lock: &str, sizes: &[usize]) -> Vec<u64> {
        let values: Vec<String> = (1..).zip(sizes).map(|(id, n)| format!("({id}, {n})")).collect();
        let insert = format!("INSERT INTO note (note_id, n) VALUES {}", values.join(", "));
        sqlx::raw_sql(AssertSqlSafe(insert)).execute(&store.writer).await.unwrap();
        let deletion = NOTES.deletion("note_id > $1", lock);
        let mut slices = Vec::new();
        loop {
            let n = store.write(sql!(AssertSqlSafe(deletion.clone()), [0_i64])).await.unwrap();
            if n == 0 {
                return slices;
            }
            slices.push(n);
        }
    }

    async fn a_slice_is_bounded_in_rows_and_bytes(store: &Store, lock: &str) {
        let create = "CREATE TABLE note (note_id BIGINT NOT NULL PRIMARY KEY, n BIGINT NOT NULL)";
        sqlx::raw_sql(create).execute(&store.writer).await.unwrap();
        assert_eq!(deleted(store, lock, &[1; MAX_ROWS + 1]).await, [500, 1]);
        assert_eq!(deleted(store, lock, &[10_000_000; 8]).await, [3, 3, 2]);
        assert_eq!(deleted(store, lock, &[60_000_000, 1]).await, [1, 1], "one that is too large goes alone");
    }

    #[tokio::test]
    async fn a_slice_of_sqlite_is_bounded_in_rows_and_bytes() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open_sqlite(folder.path()).await.unwrap();
        a_slice_is_bounded_in_rows_and_bytes(&store, "").await;
    }

    #[tokio::test]
    async fn a_slice_of_postgres_is_bounded_in_rows_and_bytes() {
        let Some(database) = PostgresDatabase::create().await else { return };
        let store = Store::open(&database.url).await.unwrap();
        a_slice_is_bounded_in_rows_and_bytes(&store, "FOR UPDATE SKIP LOCKED").await;
    }
}
