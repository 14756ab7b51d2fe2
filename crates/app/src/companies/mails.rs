//! What invitations say.

use partsight_domain::EmailAddress;
use partsight_providers::Mail;

use crate::SecretToken;

/// Asks somebody into a company. The secret stands behind `#`, which browsers tell no server.
///
/// The names are what people typed. They stand in quotation marks and on one line, and the one link in the mail
/// that we vouch for is our own.
pub(super) fn invitation(
    to: &EmailAddress,
    base_url: &str,
    company: &str,
    inviter: &str,
    token: &SecretToken,
) -> Mail {
    Mail {
        to: to.clone(),
        subject: "You are invited to a team on Partsight".to_owned(),
        text: format!(
            "Hello,\n\n\
             \"{inviter}\" has invited you to the team of \"{company}\" on Partsight.\n\
             To join, follow this link and sign in or sign up:\n\n\
             {base_url}/profile#invitation={}\n\n\
             The link is valid for 14 days and opens once.\n\
             If you do not know who this is, please ignore this mail: nothing happens.\n",
            token.as_str()
        ),
        reply_to: None,
    }
}
