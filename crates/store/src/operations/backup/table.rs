//! Our tables, their columns, and the order in which they can be filled.

use std::collections::BTreeMap;

use sqlx::any::AnyRow;
use sqlx::{AnyConnection, Row};

use super::DatabaseKind;
use crate::migrations::makes_table;
use crate::{Error, rows};

partsight_domain::named! {
    /// The type of a column.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum CellKind {
        /// Text.
        Text = "text",
        /// A whole number of 64 bits.
        Integer = "integer",
        /// A floating-point number of 64 bits.
        Real = "real",
        /// Bytes.
        Bytes = "bytes",
    }
}

impl CellKind {
    /// The type of a column with this declaration in the migrations.
    fn of_type(declared: &str) -> Option<Self> {
        match declared.to_ascii_uppercase().as_str() {
            "TEXT" => Some(Self::Text),
            "BIGINT" => Some(Self::Integer),
            "DOUBLE PRECISION" => Some(Self::Real),
            "BYTEA" => Some(Self::Bytes),
            _ => None,
        }
    }
}

/// One value.
#[derive(Debug, Clone, PartialEq)]
pub enum Cell {
    /// No value.
    Null,
    /// Text.
    Text(String),
    /// A whole number.
    Integer(i64),
    /// A floating-point number.
    Real(f64),
    /// Bytes.
    Bytes(Vec<u8>),
}

/// One of our tables.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Table {
    /// Its name.
    pub name: String,
    /// Its columns, in the order in which the migrations added them.
    pub columns: Vec<(String, CellKind)>,
    /// The indices in `columns` of its primary key.
    pub(super) key: Vec<usize>,
}

impl Table {
    /// Whether a row can be as large as a photograph.
    pub(super) fn has_bytes(&self) -> bool {
        self.columns.iter().any(|(_, kind)| *kind == CellKind::Bytes)
    }

    /// The columns, quoted and separated by commas.
    pub(super) fn column_list(&self) -> String {
        let names: Vec<String> = self.columns.iter().map(|(name, _)| format!("\"{name}\"")).collect();
        names.join(", ")
    }

    /// The values of a row that was read with [`Table::column_list`].
    pub(super) fn cells(&self, row: &AnyRow) -> Result<Vec<Cell>, Error> {
        let cell = |(place, (_, kind)): (usize, &(String, CellKind))| {
            Ok(match kind {
                CellKind::Text => row.try_get::<Option<String>, _>(place)?.map(Cell::Text),
                CellKind::Integer => row.try_get::<Option<i64>, _>(place)?.map(Cell::Integer),
                CellKind::Real => row.try_get::<Option<f64>, _>(place)?.map(Cell::Real),
                CellKind::Bytes => row.try_get::<Option<Vec<u8>>, _>(place)?.map(Cell::Bytes),
            }
            .unwrap_or(Cell::Null))
        };
        self.columns.iter().enumerate().map(cell).collect()
    }
}

const SQLITE_COLUMNS: &str = "SELECT m.name AS table_name, c.name AS column_name, c.type AS column_type, c.pk AS key_place \
     FROM sqlite_master AS m JOIN pragma_table_info(m.name) AS c \
     WHERE m.type = 'table' ORDER BY m.name, c.cid";

const POSTGRES_COLUMNS: &str = "SELECT CAST(t.relname AS TEXT) AS table_name, CAST(c.attname AS TEXT) AS column_name, \
            format_type(c.atttypid, NULL) AS column_type, \
            CAST(COALESCE(array_position(k.conkey, c.attnum), 0) AS BIGINT) AS key_place \
     FROM pg_class AS t \
     JOIN pg_namespace AS n ON n.oid = t.relnamespace AND n.nspname = current_schema() \
     JOIN pg_attribute AS c ON c.attrelid = t.oid AND c.attnum > 0 AND NOT c.attisdropped \
     LEFT JOIN pg_constraint AS k ON k.conrelid = t.oid AND k.contype = 'p' \
     WHERE t.relkind = 'r' ORDER BY t.relname, c.attnum";

const SQLITE_REFERENCES: &str = "SELECT m.name AS table_name, f.\"table\" AS other_name \
     FROM sqlite_master AS m JOIN pragma_foreign_key_list(m.name) AS f WHERE m.type = 'table'";

const POSTGRES_REFERENCES: &str = "SELECT CAST(t.relname AS TEXT) AS table_name, CAST(o.relname AS TEXT) AS other_name \
     FROM pg_constraint AS k JOIN pg_class AS t ON t.oid = k.conrelid JOIN pg_class AS o ON o.oid = k.confrelid \
     JOIN pg_namespace AS n ON n.oid = t.relnamespace AND n.nspname = current_schema() \
     WHERE k.contype = 'f'";

/// The tables of ours in the database, each after those that it refers to.
pub(super) async fn tables(kind: DatabaseKind, connection: &mut AnyConnection) -> Result<Vec<Table>, Error> {
    let (columns, references) = match kind {
        DatabaseKind::Sqlite => (SQLITE_COLUMNS, SQLITE_REFERENCES),
        DatabaseKind::Postgres => (POSTGRES_COLUMNS, POSTGRES_REFERENCES),
    };
    let mut tables: BTreeMap<String, (Table, Vec<(i64, usize)>)> = BTreeMap::new();
    for row in sqlx::query(columns).fetch_all(&mut *connection).await? {
        let name: String = row.try_get("table_name")?;
        // Others may have tables in the same schema; they are neither saved nor dropped.
        if !makes_table(&name) {
            continue;
        }
        let column: String = row.try_get("column_name")?;
        let declared: String = row.try_get("column_type")?;
        // An unknown type is an error: without the column, a backup would only look complete.
        let kind = CellKind::of_type(&declared)
            .ok_or_else(|| rows::corrupt("column_type", &format!("`{name}.{column}` is {declared}")))?;
        let (table, key) = tables
            .entry(name.clone())
            .or_insert_with(|| (Table { name, columns: Vec::new(), key: Vec::new() }, Vec::new()));
        match row.try_get::<i64, _>("key_place")? {
            0 => {}
            // The position in the key, which need not be that in the table.
            place => key.push((place, table.columns.len())),
        }
        table.columns.push((column, kind));
    }
    let mut waiting: BTreeMap<String, Table> = BTreeMap::new();
    for (name, (mut table, mut key)) in tables {
        key.sort_unstable();
        table.key = key.into_iter().map(|(_, column)| column).collect();
        if table.key.is_empty() {
            return Err(rows::corrupt("primary key", &format!("the table `{name}` has none")));
        }
        waiting.insert(name, table);
    }
    let mut refers_to: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for row in sqlx::query(references).fetch_all(&mut *connection).await? {
        refers_to.entry(row.try_get("table_name")?).or_default().push(row.try_get("other_name")?);
    }
    Ok(in_order(waiting, &refers_to))
}

/// Topological order: each table after those that it refers to, otherwise by name.
fn in_order(mut waiting: BTreeMap<String, Table>, refers_to: &BTreeMap<String, Vec<String>>) -> Vec<Table> {
    let mut ordered = Vec::with_capacity(waiting.len());
    while !waiting.is_empty() {
        let is_ready = |name: &String| {
            let others = refers_to.get(name).map_or(&[][..], Vec::as_slice);
            // A table that refers to itself does not wait for itself.
            others.iter().all(|other| other == name || !waiting.contains_key(other))
        };
        // Tables that refer to each other in a cycle come by name; their constraints report what is wrong.
        let next = waiting.keys().find(|name| is_ready(name)).or_else(|| waiting.keys().next()).cloned();
        ordered.extend(next.and_then(|name| waiting.remove(&name)));
    }
    ordered
}
