//! The rows of one table, page by page.

use sqlx::any::AnyArguments;
use sqlx::query::Query;
use sqlx::{Any, AnyConnection, AssertSqlSafe};

use super::{Cell, CellKind, DatabaseKind, Table};
use crate::Error;

/// Rows of a page. A page is held in memory.
const PAGE_ROWS: usize = 500;
/// Rows of a page where each may be a photograph of many megabytes.
const PAGE_ROWS_WITH_BYTES: usize = 4;

/// Reads the rows of a table in the order of its primary key, bytewise.
///
/// SQLite is queried for what follows the last key, which its index answers. PostgreSQL may sort text by a language's
/// collation, so it sorts once for a cursor.
#[derive(Debug)]
pub struct TableRows<'a> {
    connection: &'a mut AnyConnection,
    kind: DatabaseKind,
    table: &'a Table,
    last_key: Vec<Cell>,
    has_cursor: bool,
}

impl<'a> TableRows<'a> {
    /// `connection` must be in a transaction.
    pub(super) fn new(kind: DatabaseKind, table: &'a Table, connection: &'a mut AnyConnection) -> Self {
        Self { connection, kind, table, last_key: Vec::new(), has_cursor: false }
    }

    /// The next rows; none at the end.
    pub async fn next_page(&mut self) -> Result<Vec<Vec<Cell>>, Error> {
        let limit = if self.table.has_bytes() { PAGE_ROWS_WITH_BYTES } else { PAGE_ROWS };
        let sql = match self.kind {
            DatabaseKind::Sqlite => self.page_after_last_key(limit),
            DatabaseKind::Postgres => {
                if !self.has_cursor {
                    let declare = format!("DECLARE table_rows NO SCROLL CURSOR FOR {}", self.select());
                    sqlx::raw_sql(AssertSqlSafe(declare)).execute(&mut *self.connection).await?;
                    self.has_cursor = true;
                }
                format!("FETCH FORWARD {limit} FROM table_rows")
            }
        };
        // On PostgreSQL the FETCH of every table has the same text, so a cached statement would expect the columns of
        // another table.
        let mut query = sqlx::query(AssertSqlSafe(sql)).persistent(self.kind == DatabaseKind::Sqlite);
        for cell in &self.last_key {
            query = bind(query, cell);
        }
        let rows = query.fetch_all(&mut *self.connection).await?;
        let page: Vec<Vec<Cell>> = rows.iter().map(|row| self.table.cells(row)).collect::<Result<_, _>>()?;
        match (page.last(), self.kind) {
            (Some(row), DatabaseKind::Sqlite) => {
                self.last_key = self.table.key.iter().map(|&place| row[place].clone()).collect();
            }
            (None, DatabaseKind::Postgres) => {
                sqlx::raw_sql("CLOSE table_rows").execute(&mut *self.connection).await?;
                self.has_cursor = false;
            }
            _ => {}
        }
        Ok(page)
    }

    fn page_after_last_key(&self, limit: usize) -> String {
        let names = self.key_names().join(", ");
        let after = if self.last_key.is_empty() {
            String::new()
        } else {
            let places: Vec<String> = (1..=self.last_key.len()).map(|place| format!("${place}")).collect();
            // Compared as rows: comparing each column alone would skip keys of several columns.
            format!("WHERE ({names}) > ({})", places.join(", "))
        };
        format!(
            "SELECT {} FROM \"{}\" {after} ORDER BY {names} LIMIT {limit}",
            self.table.column_list(),
            self.table.name
        )
    }

    fn select(&self) -> String {
        let order: Vec<String> = self
            .table
            .key
            .iter()
            .zip(self.key_names())
            .map(|(&place, name)| match self.table.columns[place].1 {
                // The collation `C` is the one that sorts bytewise, as SQLite does.
                CellKind::Text => format!("{name} COLLATE \"C\""),
                _ => name,
            })
            .collect();
        format!(
            "SELECT {} FROM \"{}\" ORDER BY {}",
            self.table.column_list(),
            self.table.name,
            order.join(", ")
        )
    }

    fn key_names(&self) -> Vec<String> {
        self.table.key.iter().map(|&place| format!("\"{}\"", self.table.columns[place].0)).collect()
    }
}

/// Binds a value; nothing for a missing one, for which the statement has `NULL`: the driver declares some types of
/// NULL wrongly to PostgreSQL.
pub(super) fn bind<'q>(query: Query<'q, Any, AnyArguments>, cell: &'q Cell) -> Query<'q, Any, AnyArguments> {
    match cell {
        Cell::Null => query,
        Cell::Text(text) => query.bind(text.as_str()),
        Cell::Integer(number) => query.bind(*number),
        Cell::Real(number) => query.bind(*number),
        Cell::Bytes(bytes) => query.bind(bytes.as_slice()),
    }
}
