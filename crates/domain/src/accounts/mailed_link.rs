use jiff::SignedDuration;

named! {
    /// Purpose of a link in a mail.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum LinkPurpose {
        /// Verifies the address of the account.
        VerifyEmail = "verify-email",
        /// Lets the holder of the link choose a new password.
        ResetPassword = "reset-password",
    }
}

impl LinkPurpose {
    /// How long a link is valid: a day for verification, an hour for a new password.
    pub fn valid_for(self) -> SignedDuration {
        match self {
            // Long enough for people who read mails once a day. A link for a new password is shorter-lived,
            // because somebody else may find it in the mailbox.
            Self::VerifyEmail => SignedDuration::from_hours(24),
            Self::ResetPassword => SignedDuration::from_hours(1),
        }
    }
}
