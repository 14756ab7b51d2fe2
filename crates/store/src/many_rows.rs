//! Statements that write several rows. Each statement is a round trip to the database, or to the thread that SQLite
//! runs in.

/// Most rows in one statement. With 16 values a row this is far below the limit of the databases, 32,766 values or
/// more.
const MOST: usize = 32;

/// The rows in chunks, one for each statement. The lengths are powers of two: a connection caches prepared
/// statements, and each length is a statement of its own.
pub(crate) fn runs<T>(rows: &[T]) -> impl Iterator<Item = &[T]> {
    let mut rest = rows;
    std::iter::from_fn(move || {
        let n = (1 << rest.len().checked_ilog2()?).min(MOST);
        let run;
        (run, rest) = rest.split_at(n);
        Some(run)
    })
}

/// `row`, which has the placeholders `$1` to `$n_values`, repeated for `n_rows` rows and separated by commas. The
/// numbers of the first row begin after `n_before`.
pub(crate) fn repeated(row: &str, n_values: usize, n_rows: usize, n_before: usize) -> String {
    let rows: Vec<String> = (0..n_rows).map(|index| renumbered(row, n_before + index * n_values)).collect();
    rows.join(", ")
}

/// `text` with `n` added to the number of each placeholder.
fn renumbered(text: &str, n: usize) -> String {
    let mut parts = text.split('$');
    let mut renumbered = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let rest = part.trim_start_matches(|c: char| c.is_ascii_digit());
        let number: usize = part[..part.len() - rest.len()].parse().unwrap_or_default();
        renumbered.push('$');
        renumbered.push_str(&(number + n).to_string());
        renumbered.push_str(rest);
    }
    renumbered
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_row_has_values_of_its_own() {
        let row = "($1, (SELECT 1 WHERE $12 = $2), $3)";
        assert_eq!(
            repeated(row, 12, 2, 1),
            "($2, (SELECT 1 WHERE $13 = $3), $4), ($14, (SELECT 1 WHERE $25 = $15), $16)"
        );
        assert_eq!(repeated("(NULL)", 0, 2, 0), "(NULL), (NULL)");
    }

    #[test]
    fn runs_are_powers_of_two_and_hold_every_row() {
        let rows: Vec<usize> = (0..77).collect();
        let lengths = |n| runs(&rows[..n]).map(<[usize]>::len).collect::<Vec<_>>();
        assert_eq!(lengths(0), [0; 0]);
        assert_eq!(lengths(1), [1]);
        assert_eq!(lengths(27), [16, 8, 2, 1]);
        assert_eq!(lengths(77), [32, 32, 8, 4, 1]);
        assert_eq!(runs(&rows).flatten().copied().collect::<Vec<_>>(), rows);
    }
}
