use std::fmt::Display;

use sqlx::Any;
use sqlx::any::AnyArguments;
use sqlx::query::Query;

/// A `WHERE` condition that is built step by step. Values are only ever bound: the text holds their placeholders.
#[derive(Debug, Default)]
pub(crate) struct Filter {
    condition: String,
    values: Vec<Bound>,
}

#[derive(Debug)]
enum Bound {
    Text(String),
    Number(i64),
}

impl Filter {
    /// The condition that `column` is `value`.
    pub(crate) fn new(column: &str, value: impl Display) -> Self {
        let mut filter = Self { condition: String::new(), values: Vec::new() };
        filter.condition = format!("{column} = {}", filter.text(value));
        filter
    }

    /// Adds, with `AND`, the condition that `write` returns.
    pub(crate) fn and(&mut self, write: impl FnOnce(&mut Self) -> String) {
        let more = write(self);
        self.condition = format!("{} AND {more}", self.condition);
    }

    /// Binds a text and returns its placeholder.
    pub(crate) fn text(&mut self, value: impl Display) -> String {
        self.values.push(Bound::Text(value.to_string()));
        format!("${}", self.values.len())
    }

    /// Binds a number and returns its placeholder.
    pub(crate) fn number(&mut self, value: i64) -> String {
        self.values.push(Bound::Number(value));
        format!("${}", self.values.len())
    }

    /// The condition that `expression` is one of `values`; false for no values.
    pub(crate) fn one_of(&mut self, expression: &str, values: &[impl Display]) -> String {
        if values.is_empty() {
            // `IN ()` is an error on PostgreSQL.
            return "1 = 0".to_owned();
        }
        let places: Vec<String> = values.iter().map(|value| self.text(value)).collect();
        format!("{expression} IN ({})", places.join(", "))
    }

    /// The text after `WHERE`.
    pub(crate) fn condition(&self) -> &str {
        &self.condition
    }

    /// Binds all values to `query`.
    pub(crate) fn bind<'q>(&self, query: Query<'q, Any, AnyArguments>) -> Query<'q, Any, AnyArguments> {
        self.values.iter().fold(query, |query, value| match value {
            // Cloned, because the query outlives this borrow.
            Bound::Text(text) => query.bind(text.clone()),
            Bound::Number(number) => query.bind(*number),
        })
    }
}
