use std::fs;
use std::path::Path;

use partsight_domain::{EmailAddress, Secret};
use partsight_providers::{Mail, MailSettings, Outbox};

use partsight_test_support::smtp_server::{Manners, SmtpServer};

fn settings() -> MailSettings {
    MailSettings { from: Some("help@parts.example".to_owned()), ..MailSettings::default() }
}

fn by_smtp(url: String) -> Outbox {
    Outbox::start(&MailSettings { smtp_url: Some(Secret::new(url)), ..settings() }).unwrap()
}

fn into_folder(path: &Path) -> Outbox {
    Outbox::start(&MailSettings { dir: Some(path.to_owned()), ..settings() }).unwrap()
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

#[tokio::test]
async fn a_mail_reaches_the_server_as_it_was_written() {
    let server = SmtpServer::start(Manners::default()).await;
    let outbox = by_smtp(server.url());
    outbox.send(mail("ann@example.com"));
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
    right.send(mail("ann@example.com"));
    assert_eq!(server.next().await.to, ["ann@example.com"]);

    let wrong = by_smtp(format!("smtp://us:guess@{}", server.address));
    wrong.send(mail("bob@example.com"));
    wrong.close().await;
    assert!(server.is_empty().await);
}

#[tokio::test]
async fn a_server_that_is_busy_gets_the_mail_again() {
    let server = SmtpServer::start(Manners { temporary_refusals: 1, ..Manners::default() }).await;
    let outbox = by_smtp(server.url());
    outbox.send(mail("ann@example.com"));
    assert_eq!(server.next().await.to, ["ann@example.com"]);
    assert_eq!(server.attempts(), 2);
}

#[tokio::test]
async fn mails_that_wait_for_another_try_hold_up_nobody() {
    let server = SmtpServer::start(Manners { busy_prefix: Some("busy"), ..Manners::default() }).await;
    let outbox = by_smtp(server.url());
    // More than are sent concurrently.
    for number in 0..20 {
        outbox.send(mail(&format!("busy{number}@example.com")));
    }
    outbox.send(mail("ann@example.com"));
    assert_eq!(server.next().await.to, ["ann@example.com"]);
}

#[tokio::test]
async fn a_refusal_for_good_is_not_tried_again_and_holds_up_nobody() {
    let server = SmtpServer::start(Manners { unknown_prefix: Some("nobody"), ..Manners::default() }).await;
    let outbox = by_smtp(server.url());
    outbox.send(mail("nobody@example.com"));
    outbox.send(mail("ann@example.com"));
    assert_eq!(server.next().await.to, ["ann@example.com"]);
    outbox.close().await;
    assert_eq!(server.attempts(), 2);
}

#[tokio::test]
async fn a_silent_server_holds_up_nobody_who_hands_a_mail_over() {
    let server = SmtpServer::start(Manners { is_silent: true, ..Manners::default() }).await;
    let outbox = by_smtp(server.url());
    // More than the queue holds; the rest is dropped.
    for _ in 0..1000 {
        outbox.send(mail("ann@example.com"));
    }
    assert!(server.is_empty().await);
}

#[tokio::test]
async fn waiting_mails_leave_before_the_outbox_closes_and_none_after() {
    let server = SmtpServer::start(Manners::default()).await;
    let outbox = by_smtp(server.url());
    for number in 0..20 {
        outbox.send(mail(&format!("user{number}@example.com")));
    }
    outbox.close().await;
    for _ in 0..20 {
        server.next().await;
    }
    outbox.send(mail("late@example.com"));
    outbox.close().await;
    assert!(server.is_empty().await);
}

#[tokio::test]
async fn without_a_server_a_mail_is_a_private_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("data/mail");
    let outbox = into_folder(&path);
    assert!(!path.exists());
    outbox.send(mail("ann@example.com"));
    outbox.send(mail("bob@example.com"));
    outbox.close().await;
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
async fn a_folder_that_cannot_be_written_stops_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a file");
    fs::write(&path, "").unwrap();
    let outbox = into_folder(&path.join("mail"));
    outbox.send(mail("ann@example.com"));
    outbox.close().await;
}

#[tokio::test]
async fn an_address_that_is_no_mail_server_is_refused_at_the_start() {
    let smtp_url = Some(Secret::new("smtp://us:secret@mail.example.com"));
    let error = Outbox::start(&MailSettings { smtp_url, ..settings() }).unwrap_err();
    assert!(!format!("{error} {error:?}").contains("secret"), "{error:?}");
}
