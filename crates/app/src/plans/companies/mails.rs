//! Texts of invitations.

use partsight_domain::{EmailAddress, InvitationId, User};
use partsight_store::{MailLink, NewMail};

use crate::accounts::SECRET;

/// Invites somebody to a company. The token is in the URL fragment, which browsers do not send to servers.
///
/// The names are user input, so they are quoted and kept on one line, to be distinguishable from our own text and link.
pub(super) fn invitation(
    to: &EmailAddress,
    base_url: &str,
    company: &str,
    inviter: &User,
    id: InvitationId,
) -> NewMail {
    let (name, address) = (inviter.display_name(), &inviter.email);
    NewMail {
        to: to.clone(),
        subject: "You are invited to a team on Partsight".to_owned(),
        text: format!(
            "Hello,\n\n\
             \"{name}\" ({address}) has invited you to the team of \"{company}\" on Partsight.\n\
             To see what joining means, and to join or decline, follow this link:\n\n\
             {base_url}/profile#invitation={SECRET}\n\n\
             The link is valid for 14 days and can be answered once.\n\
             If you do not know who this is, please ignore this mail: nobody joins without a yes of their own.\n"
        ),
        reply_to: None,
        link: Some(MailLink::Invitation(id)),
    }
}
