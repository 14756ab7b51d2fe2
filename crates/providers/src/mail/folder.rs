use std::path::PathBuf;

use lettre::Message;
use tokio::fs::{self, DirBuilder, OpenOptions};
use tokio::io::AsyncWriteExt;
use uuid::Uuid;

use crate::Error;

/// A folder in which mails are stored as `.eml` files.
#[derive(Debug, Clone)]
pub(crate) struct Folder {
    path: PathBuf,
}

impl Folder {
    pub(crate) fn new(path: PathBuf) -> Self {
        Self { path }
    }

    /// Writes the mail atomically: to a temporary file, which is then renamed. Names sort by time.
    pub(crate) async fn write(&self, message: &Message) -> Result<(), Error> {
        let name = Uuid::now_v7();
        let draft = self.path.join(format!("{name}.draft"));
        let written = async {
            let mut builder = DirBuilder::new();
            builder.recursive(true);
            // Private, because a reset link in such a file gives access to an account.
            #[cfg(unix)]
            builder.mode(0o700);
            builder.create(&self.path).await?;
            let mut options = OpenOptions::new();
            options.write(true).create_new(true);
            #[cfg(unix)]
            options.mode(0o600);
            let mut file = options.open(&draft).await?;
            file.write_all(&message.formatted()).await?;
            // Synced before the rename, so that a file with that name is complete even after a power failure.
            file.sync_all().await?;
            fs::rename(&draft, self.path.join(format!("{name}.eml"))).await
        };
        if let Err(source) = written.await {
            // Partial mails would fill up a full disk, and each may contain a secret link.
            let _ = fs::remove_file(&draft).await;
            return Err(Error::WriteMail { folder: self.path.clone(), source });
        }
        Ok(())
    }
}
