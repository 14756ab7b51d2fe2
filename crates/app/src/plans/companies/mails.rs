//! What invitations say.

use partsight_domain::{EmailAddress, User};
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
    inviter: &User,
    token: &SecretToken,
) -> Mail {
    let (name, address) = (inviter.display_name(), &inviter.email);
    Mail {
        to: to.clone(),
        subject: "You are invited to a team on Partsight".to_owned(),
        text: format!(
            "Hello,\n\n\
             \"{name}\" ({address}) has invited you to the team of \"{company}\" on Partsight.\n\
             To see what joining means, and to join or decline, follow this link:\n\n\
             {base_url}/profile#invitation={}\n\n\
             The link is valid for 14 days and can be answered once.\n\
             If you do not know who this is, please ignore this mail: nobody joins without a yes of their own.\n",
            token.as_str()
        ),
        reply_to: None,
        unsubscribe_url: None,
    }
}
