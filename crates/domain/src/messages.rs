//! Every sentence of the specification that a server answer carries, in one place.
//!
//! A test keeps a snapshot of the whole list, so that a changed word is seen in review.

macro_rules! messages {
    ($($(#[$doc:meta])* $name:ident = $text:literal;)*) => {
        $($(#[$doc])* pub const $name: &str = $text;)*

        /// All messages with their names, for the snapshot test and for documentation.
        pub const ALL: &[(&str, &str)] = &[$((stringify!($name), $text)),*];
    };
}

messages! {
    /// A call that needs a signed-in user came without one.
    UNAUTHORIZED = "Unauthorized";
    /// Sign-in failed; deliberately the same for a wrong password and an unknown e-mail.
    SIGN_IN_FAILED = "Please check your credentials and try again.";
    /// Sign-up with an e-mail that has an account.
    EMAIL_IN_USE = "An account with this e-mail address already exists. Please sign in instead.";
    /// A password under the minimum length.
    PASSWORD_TOO_SHORT = "Password must be at least 6 characters";
    /// The scan allowance is used up.
    SCAN_LIMIT_EXCEEDED = "Monthly scan limit exceeded. Please upgrade to Pro or Business plan for unlimited scans.";
    /// A scan without a vehicle.
    SELECT_VEHICLE = "Please select a vehicle first";
    /// The photograph shows no part that the model knows.
    NOT_IDENTIFIED = "We couldn't identify this part. Try adjusting the lighting or angle.";
    /// A new vehicle without make, model or year.
    VEHICLE_FIELDS_MISSING = "Please fill in make, model, and year.";
    /// A vehicle id that does not exist or belongs to somebody else.
    VEHICLE_NOT_FOUND = "This vehicle does not exist. Please choose another one.";
    /// A part id that is not in the catalogue.
    PART_NOT_FOUND = "This part is not in the catalogue.";
    /// A path under /api that is no call.
    CALL_NOT_FOUND = "There is no such call. The list of calls is at /api/openapi.json.";
    /// A write from another site's page.
    CROSS_ORIGIN = "This request came from another site and was refused. Please use the app's own address.";
    /// Too much work is waiting.
    BUSY = "The server is busy. Please try again in a few seconds.";
    /// The database is locked by another process.
    DATABASE_BUSY = "The database is busy. Nothing was saved; please try again in a few seconds.";
    /// No space is left for the database.
    STORAGE_FULL = "The server's disk is full. Nothing was saved; please free some space and try again.";
    /// Anything unexpected.
    INTERNAL = "Something went wrong on our side. Please try again; if it happens again, contact support.";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_catalogue_of_messages_is_as_reviewed() {
        let lines: Vec<String> = ALL.iter().map(|(name, text)| format!("{name}: {text}")).collect();
        insta::assert_snapshot!(lines.join("\n"));
    }

    #[test]
    fn no_message_stands_twice() {
        let mut texts: Vec<&str> = ALL.iter().map(|(_, text)| *text).collect();
        texts.sort_unstable();
        texts.dedup();
        assert_eq!(texts.len(), ALL.len());
    }
}
