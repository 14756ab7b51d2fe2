use std::fs;
use std::path::Path;

use partsight_domain::{EmailAddress, Secret};
use partsight_providers::{Error, Mail, MailSettings, Mailer};

use partsight_test_support::smtp_server::{Manners, SmtpServer};
use uuid::Uuid;

fn settings() -> MailSettings {
    MailSettings { from: Some("help@parts.example".to_owned()), ..MailSettings::default() }
}

fn by_smtp(url: String) -> Mailer {
    Mailer::new(&MailSettings { smtp_url: Some(Secret::new(url)), ..settings() }).unwrap()
}

fn into_folder(path: &Path) -> Mailer {
    Mailer::new(&MailSettings { dir: Some(path.to_owned()), ..settings() }).unwrap()
}

fn mail(to: &str) -> Mail {
    Mail {
        reply_to: None,
        unsubscribe_url: None,
        to: EmailAddress::new(to).unwrap(),
        subject: "Your links".to_owned(),
        text: "Hello,\n\n.a line that begins with a point\n\nhttps://parts.example/a/link/that/is/longer/than/the/seventy/six/characters/of/quoted/text?token=0123abcd\n"
            .to_owned(),
    }
}

fn files(folder: &Path) -> Vec<String> {
    let mut files: Vec<_> = fs::read_dir(folder)
        .map(|entries| entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect())
        .unwrap_or_default();
    files.sort();
    files
}

async fn send(mailer: &Mailer, to: &str) -> Result<(), Error> {
    mailer.send(&mail(to), Uuid::now_v7()).await
}

/// Whether a delivery that failed may succeed later; `None` if it did not fail.
fn is_temporary(sent: &Result<(), Error>) -> Option<bool> {
    match sent {
        Err(Error::Deliver(failure)) => Some(failure.is_temporary()),
        _ => None,
    }
}

#[tokio::test]
async fn a_mail_reaches_the_server_as_it_was_written() {
    let server = SmtpServer::start(Manners::default()).await;
    send(&by_smtp(server.url()), "ann@example.com").await.unwrap();
    let received = server.next().await;
    assert_eq!(
        (received.from.as_str(), received.to.as_slice()),
        ("help@parts.example", &["ann@example.com".to_owned()][..])
    );
    assert_eq!(received.after("Subject: "), "Your links");
    assert_eq!(received.after("From: "), "Partsight <help@parts.example>");
    assert!(received.text.contains("\n.a line that begins with a point\n"), "{}", received.text);
    assert_eq!(received.after("?token="), "0123abcd");
}

#[tokio::test]
async fn the_password_of_the_server_is_used() {
    // "\0us\0it's: a/secret"
    let manners = Manners { credentials: Some("AHVzAGl0J3M6IGEvc2VjcmV0"), ..Manners::default() };
    let server = SmtpServer::start(manners).await;
    let right = by_smtp(format!("smtp://us:it%27s%3A%20a%2Fsecret@{}", server.address));
    send(&right, "ann@example.com").await.unwrap();
    assert_eq!(server.next().await.to, ["ann@example.com"]);

    let wrong = by_smtp(format!("smtp://us:guess@{}", server.address));
    // Until somebody has set the right one.
    assert_eq!(is_temporary(&send(&wrong, "bob@example.com").await), Some(true));
    assert!(server.is_empty().await);
}

#[tokio::test]
async fn a_refusal_says_whether_it_is_for_good() {
    let manners = Manners { busy_prefix: Some("busy"), unknown_prefix: Some("nobody"), ..Manners::default() };
    let server = SmtpServer::start(manners).await;
    let mailer = by_smtp(server.url());
    assert_eq!(is_temporary(&send(&mailer, "busy@example.com").await), Some(true));
    assert_eq!(is_temporary(&send(&mailer, "nobody@example.com").await), Some(false));
}

#[tokio::test]
async fn without_a_server_a_mail_is_a_private_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("data/mail");
    let mailer = into_folder(&path);
    assert!(!path.exists());
    send(&mailer, "ann@example.com").await.unwrap();
    send(&mailer, "bob@example.com").await.unwrap();
    let files = files(&path);
    assert_eq!(files.len(), 2, "{files:?}");
    for name in &files {
        assert_eq!(Path::new(name).extension().unwrap(), "eml");
        let text = fs::read_to_string(path.join(name)).unwrap();
        assert!(text.contains("Subject: Your links\r\n") && text.contains("token=0123abcd"), "{text}");
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&path), mode(&path.join(&files[0]))), (0o700, 0o600));
    }
}

#[tokio::test]
async fn a_folder_that_cannot_be_written_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a file");
    fs::write(&path, "").unwrap();
    let sent = send(&into_folder(&path.join("mail")), "ann@example.com").await;
    assert!(matches!(sent, Err(Error::WriteMail { .. })), "{sent:?}");
}

#[tokio::test]
async fn an_address_that_is_no_mail_server_is_refused_at_the_start() {
    let smtp_url = Some(Secret::new("smtp://us:secret@mail.example.com"));
    let error = Mailer::new(&MailSettings { smtp_url, ..settings() }).unwrap_err();
    assert!(!format!("{error} {error:?}").contains("secret"), "{error:?}");
}
