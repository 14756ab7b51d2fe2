use std::path::PathBuf;

use partsight_domain::{EmailAddress, Secret, settings};

use super::is_smtp_url;

settings! {
    /// Where mails go, and whom they are from.
    pub struct MailSettings {
        /// The mail server: `smtps://user:password@host:465`, `smtp://user:password@host:587?tls=required`, or
        /// `smtp://host:25` without either; user and password are percent-encoded.
        "smtp_url" smtp_url: Option<Secret> = None, without "mails are written into `mail_dir`",
            must be "an address such as `smtps://user:password@host:465`, encrypted where it holds a password"
            if |url| url.as_ref().is_none_or(|url| is_smtp_url(url.reveal()));
        /// Sender of mails.
        "mail_from" from: Option<String> = None, without "`support_email`",
            must be "an e-mail address"
            if |from| from.as_deref().is_none_or(|address| EmailAddress::new(address).is_ok());
        /// Folder for mails while `smtp_url` is not set: one `.eml` file a mail, for nobody else to read. It is created
        /// with the first one.
        "mail_dir" dir: Option<PathBuf> = None, without "`mail` in `data_dir`";
    }
}
