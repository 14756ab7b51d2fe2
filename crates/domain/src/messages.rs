//! All sentences that the server shows to people: a file for each room, one for any request, and one for the state of
//! the server.
//!
//! A snapshot test of the whole list shows changes in review.

// Before the modules that use it.
macro_rules! messages {
    ($list:ident; $($(#[$doc:meta])* $name:ident = $text:literal;)*) => {
        $($(#[$doc])* pub const $name: &str = $text;)*

        pub(super) const $list: &[(&str, &str)] = &[$((stringify!($name), $text)),*];
    };
}

mod accounts;
mod batches;
mod evaluations;
mod events;
mod garage;
mod operations;
mod parts;
mod plans;
mod requests;
mod scanning;
mod teaching;

pub use accounts::*;
pub use batches::*;
pub use evaluations::*;
pub use events::*;
pub use garage::*;
pub use operations::*;
pub use parts::*;
pub use plans::*;
pub use requests::*;
pub use scanning::*;
pub use teaching::*;

/// All messages with their names, for the snapshot test and for documentation.
pub const ALL: [&[(&str, &str)]; 11] = [
    accounts::ACCOUNTS,
    plans::PLANS,
    events::EVENTS,
    garage::GARAGE,
    parts::PARTS,
    teaching::TEACHING,
    scanning::SCANNING,
    batches::BATCHES,
    evaluations::EVALUATIONS,
    requests::REQUESTS,
    operations::OPERATIONS,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_catalogue_of_messages_is_as_reviewed() {
        let lines: Vec<String> =
            ALL.into_iter().flatten().map(|(name, text)| format!("{name}: {text}")).collect();
        insta::assert_snapshot!(lines.join("\n"));
    }

    #[test]
    fn no_message_stands_twice() {
        let mut texts: Vec<&str> = ALL.into_iter().flatten().map(|(_, text)| *text).collect();
        let n_messages = texts.len();
        texts.sort_unstable();
        texts.dedup();
        assert_eq!(texts.len(), n_messages);
    }
}
