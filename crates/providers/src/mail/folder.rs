use std::path::PathBuf;

use lettre::Message;
use tokio::fs::{self, DirBuilder, OpenOptions};
use tokio::io::AsyncWriteExt;
use uuid::Uuid;

use crate::Error;

/// A folder that mails are written into, as `.eml` files.
#[derive(Debug, Clone)]
pub(crate) struct Folder {
    path: PathBuf,
}

impl Folder {
    pub(crate) fn new(path: PathBuf) -> Self {
        Self { path }
    }

    /// Writes the whole mail or nothing: to a temporary name first, which is then renamed. Names sort by time.
    pub(crate) async fn write(&self, message: &Message) -> Result<(), Error> {
        let name = Uuid::now_v7();
        let draft = self.path.join(format!("{name}.draft"));
        let written = async {
            let mut builder = DirBuilder::new();
            builder.recursive(true);
            // A reset link in such a file opens an account.
            #[cfg(unix)]
            builder.mode(0o700);
            builder.create(&self.path).await?;
            let mut options = OpenOptions::new();
            options.write(true).create_new(true);
            #[cfg(unix)]
            options.mode(0o600);
            let mut file = options.open(&draft).await?;
            file.write_all(&message.formatted()).await?;
            // Before it is renamed, so that after a power cut a file of that name is whole.
            file.sync_all().await?;
            fs::rename(&draft, self.path.join(format!("{name}.eml"))).await
        };
        if let Err(source) = written.await {
            // A full disk must not fill up with partial mails, each with a secret link in it.
            let _ = fs::remove_file(&draft).await;
            return Err(Error::WriteMail { folder: self.path.clone(), source });
        }
        Ok(())
    }
}
