//! Texts of invitations.

use partsight_domain::{EmailAddress, User};
use partsight_providers::Mail;

use crate::SecretToken;

/// Invites somebody to a company. The token is in the URL fragment, which browsers do not send to servers.
///
/// The names are user input, so they are quoted and kept on one line, to be distinguishable from our own text and link.
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
