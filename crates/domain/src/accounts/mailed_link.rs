use jiff::SignedDuration;

/// What a link in a mail is good for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinkPurpose {
    /// Proves that the address is the account owner's.
    VerifyEmail,
    /// Lets whoever has the link choose a new password.
    ResetPassword,
}

impl LinkPurpose {
    /// The name in the database.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::VerifyEmail => "verify-email",
            Self::ResetPassword => "reset-password",
        }
    }

    /// How long a link opens something: a day for a proof, an hour for what opens the account.
    pub fn valid_for(self) -> SignedDuration {
        match self {
            Self::VerifyEmail => SignedDuration::from_hours(24),
            Self::ResetPassword => SignedDuration::from_hours(1),
        }
    }
}
