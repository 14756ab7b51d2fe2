//! The texts of mails about accounts.

use partsight_domain::{EmailAddress, LinkPurpose};
use partsight_store::{MailLink, NewMail};

use super::outbox::SECRET;

/// Links to a page that verifies the address of a new account. The page asks for a click, since mail scanners follow
/// links too. The secret is in the fragment (`#`), which browsers send to no server.
pub(super) fn verify_email(to: &EmailAddress, base_url: &str) -> NewMail {
    let mail = mail(
        to,
        "Please confirm your e-mail address",
        format!(
            "Hello,\n\n\
             please follow this link to confirm that this is your e-mail address:\n\n\
             {base_url}/profile#verify-email={SECRET}\n\n\
             The link is valid for 24 hours.\n\
             If you did not sign up for Partsight, please ignore this mail.\n"
        ),
    );
    NewMail { link: Some(MailLink::Account(LinkPurpose::VerifyEmail)), ..mail }
}

/// Links to a page for a new password. The secret is in the fragment (`#`), which browsers send to no server.
pub(super) fn reset_password(to: &EmailAddress, base_url: &str) -> NewMail {
    let mail = mail(
        to,
        "Choose a new password",
        format!(
            "Hello,\n\n\
             somebody asked for a new password for your account. If it was you, follow this link:\n\n\
             {base_url}/profile#reset-password={SECRET}\n\n\
             The link is valid for one hour and opens once. It ends all your sessions.\n\
             If it was not you, please ignore this mail: your password stays as it is.\n"
        ),
    );
    NewMail { link: Some(MailLink::Account(LinkPurpose::ResetPassword)), ..mail }
}

/// Tells the owner, who may not have changed the password.
pub(super) fn password_changed(
    to: &EmailAddress,
    base_url: &str,
    support: &EmailAddress,
    keys_end: bool,
) -> NewMail {
    let keys = if keys_end {
        "API keys and the calendar address were ended too."
    } else {
        "A new password does not end API keys or the calendar address, unless you choose that with it."
    };
    mail(
        to,
        "Your password was changed",
        format!(
            "Hello,\n\n\
             the password of your account at {base_url} was changed, and all other sessions were ended.\n\n\
             If it was not you, please choose a new password at once, on the sign-in page under \"Forgot your \
             password?\", and write to {support}. {keys}\n",
            support = support.as_str()
        ),
    )
}

fn mail(to: &EmailAddress, subject: &str, text: String) -> NewMail {
    NewMail { to: to.clone(), subject: subject.to_owned(), text, reply_to: None, link: None }
}
