use jiff::SignedDuration;

named! {
    /// What a link in a mail is good for.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum LinkPurpose {
        /// Proves that the address is the account owner's.
        VerifyEmail = "verify-email",
        /// Lets whoever has the link choose a new password.
        ResetPassword = "reset-password",
    }
}

impl LinkPurpose {
    /// How long a link opens something: a day for a proof, an hour for what opens the account.
    pub fn valid_for(self) -> SignedDuration {
        match self {
            // Whoever reads mails once a day must still be able to confirm. What opens an account lies in a
            // mailbox, where somebody else may find it.
            Self::VerifyEmail => SignedDuration::from_hours(24),
            Self::ResetPassword => SignedDuration::from_hours(1),
        }
    }
}
