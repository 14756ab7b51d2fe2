use super::disk::refuses_files;
use crate::Settings;

/// What to do about [`mail_folder_problem`].
pub const MAIL_FOLDER_ADVICE: &str =
    "set `smtp_url`, or let `mail_dir` name a folder that the user of the server may write";

/// Why mails cannot be written into their folder; `None` if they can, or go to a mail server.
pub fn mail_folder_problem(settings: &Settings) -> Option<String> {
    let mail = settings.effective_mail();
    let folder = mail.dir.filter(|_| mail.smtp_url.is_none())?;
    let reason = refuses_files(&folder)?;
    Some(format!("mails cannot be written into `{}`: {reason}", folder.display()))
}
