//! Accounts, signing in, sessions and API keys.

messages! {
    ACCOUNTS;
    /// A call that needs a signed-in user came without one.
    UNAUTHORIZED = "Unauthorized";
    /// Sign-in failed; deliberately the same for a wrong password and an unknown e-mail.
    SIGN_IN_FAILED = "Please check your credentials and try again.";
    /// Sign-up with an e-mail that has an account.
    EMAIL_IN_USE = "An account with this e-mail address already exists. Please sign in instead.";
    /// A password under the minimum length.
    PASSWORD_TOO_SHORT = "Password must be at least 6 characters";
    /// A new password that is among those that are tried first.
    PASSWORD_COMMON = "This password is one of the first that people try. Please choose another, such as three words that have nothing to do with each other.";
    /// Too many failed sign-ins, or too many mails asked for, from one place.
    TOO_MANY_ATTEMPTS = "Too many attempts. Please wait a few minutes and try again.";
    /// The old password given with a new one is wrong.
    CURRENT_PASSWORD_WRONG = "This is not your current password.";
    /// A link from a mail that was followed before, is too old, or was never sent.
    LINK_NOT_VALID = "This link is no longer valid. Please ask for a new one.";
    /// Something that cannot be taken back, on an account without a password, long after the sign-in.
    FRESH_SIGN_IN_NEEDED = "Please sign in again to confirm that it is you, and repeat this within ten minutes.";
    /// A session id that is not one's own.
    SESSION_NOT_FOUND = "This session does not exist. It may have ended already.";
    /// A key for programs without the plan for it.
    API_KEY_PLAN_NEEDED = "API keys are part of the Business plan. Please upgrade to Business to create one.";
    /// A key whose owner no longer has the plan for it.
    API_KEY_PLAN_LAPSED = "This API key needs the Business plan, which its owner no longer has. It works again once they have the plan again.";
    /// A key that was never given out or was revoked.
    API_KEY_UNKNOWN = "This API key is not valid. Please send one key as `Authorization: Bearer ps_live_...`; the page API Keys makes one.";
    /// A key beyond its end.
    API_KEY_EXPIRED = "This API key has expired. Please make a new one on the page API Keys.";
    /// A call that takes no key.
    API_KEY_NOT_FOR_THIS = "This call takes no API key. Please sign in and use the app for it.";
    /// A key id that is not one's own.
    API_KEY_NOT_FOUND = "This API key does not exist. It may have been revoked.";
    /// As many keys as there may be.
    API_KEYS_FULL = "You have 20 keys, which is the most. Please revoke one first.";
    /// Too many requests with one key.
    RATE_LIMITED = "Too many requests with this API key. The headers RateLimit and Retry-After say when to go on.";
}
