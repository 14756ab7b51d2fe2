//! The plots of the report, each with its figures as a table.

mod bars;
mod cascade;
mod classes;
mod confusion;
mod curves;
mod load;
mod slices;
mod timing;

pub(super) use cascade::{cascade, cascade_picture};
pub(super) use classes::classes;
pub(super) use confusion::confusion;
pub(super) use curves::{cost, rejection, reliability, risk_coverage};
pub use load::load_picture;
pub(super) use slices::slices;
pub(super) use timing::timing;

/// At most `limit` of `items`, evenly spaced, including the first and the last; all `items` if `limit` is below 2.
pub(super) fn thin<T: Copy>(items: &[T], limit: usize) -> Vec<T> {
    if items.len() <= limit || limit < 2 {
        return items.to_vec();
    }
    (0..limit).map(|index| items[index * (items.len() - 1) / (limit - 1)]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thinned_list_keeps_both_ends() {
        let items: Vec<u32> = (0..1000).collect();
        let thinned = thin(&items, 7);
        assert_eq!((thinned.len(), thinned[0], thinned[6]), (7, 0, 999));
        assert_eq!(thin(&items[..3], 7), [0, 1, 2]);
        assert!(thin::<u32>(&[], 7).is_empty());
    }
}
