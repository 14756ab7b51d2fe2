use std::sync::{Arc, OnceLock};

use argon2::Argon2;
use argon2::password_hash::phc::PasswordHash;
use argon2::password_hash::{PasswordHasher, PasswordVerifier};
use partsight_domain::{ChosenPassword, Password};
use rayon::{ThreadPool, ThreadPoolBuilder};
use tokio::sync::{Semaphore, oneshot};

use crate::{Error, Result};

/// Concurrent hashings. Each takes 19 MiB and tens of milliseconds, so they could exhaust a server.
const PARALLEL_HASHINGS: usize = 2;
/// Sign-ins that may wait for a hashing; further ones fail as busy.
const WAITING_HASHINGS: usize = 64;

/// Argon2id with the crate's defaults (19 MiB, 2 passes, 1 lane), which OWASP's password storage cheat sheet
/// recommends.
#[derive(Debug, Clone)]
pub(crate) struct Passwords {
    /// Own threads: many sign-ins at once must not delay photographs.
    threads: Arc<ThreadPool>,
    waiting: Arc<Semaphore>,
}

impl Passwords {
    /// Starts the threads.
    pub(crate) fn start() -> Result<Self> {
        let threads = ThreadPoolBuilder::new()
            .num_threads(PARALLEL_HASHINGS)
            .thread_name(|index| format!("password-{index}"))
            .panic_handler(|_| tracing::error!("hashing a password panicked"))
            .build()
            .map_err(Error::internal)?;
        // Running hashings hold a place as well.
        let waiting = Semaphore::new(PARALLEL_HASHINGS + WAITING_HASHINGS);
        // Before the first sign-in, which would otherwise take longer for an unknown address.
        threads.spawn(|| {
            if let Err(error) = decoy_hash() {
                tracing::error!(%error, "the password of nobody could not be hashed");
            }
        });
        Ok(Self { threads: Arc::new(threads), waiting: Arc::new(waiting) })
    }

    /// The hash of `password` in PHC format, with a random salt. The type ensures that the password is allowed.
    pub(crate) async fn hash(&self, password: ChosenPassword) -> Result<String> {
        self.in_turn(move || hash(password.as_bytes())).await?
    }

    /// Whether `password` matches `hash`; `None` takes the same time and returns false, so that the response time
    /// does not tell whether an account exists.
    pub(crate) async fn verify(&self, password: Password, hash: Option<String>) -> Result<bool> {
        self.in_turn(move || {
            let exists = hash.is_some();
            // Argon2 also runs for an unknown address, on a hash that nothing can match.
            let hash = match hash {
                Some(hash) => hash,
                None => decoy_hash()?.to_owned(),
            };
            let parsed = PasswordHash::new(&hash).map_err(|error| Error::internal(error.to_string()))?;
            Ok(Argon2::default().verify_password(password.as_bytes(), &parsed).is_ok() && exists)
        })
        .await?
    }

    async fn in_turn<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> Result<T> {
        // Refused at once if the queue is full: waiting for a place in it would be an unbounded queue.
        let waiting = Arc::clone(&self.waiting).try_acquire_owned().map_err(|_| Error::Busy)?;
        let (sender, receiver) = oneshot::channel();
        self.threads.spawn(move || {
            // Skipped if the request was cancelled.
            if !sender.is_closed() {
                let _ = sender.send(work());
            }
            // Only now: a cancelled request must not let the next one start beside its own work.
            drop(waiting);
        });
        receiver.await.map_err(Error::internal)
    }
}

fn hash(password: &[u8]) -> Result<String> {
    let hash =
        Argon2::default().hash_password(password).map_err(|error| Error::internal(error.to_string()))?;
    Ok(hash.to_string())
}

fn decoy_hash() -> Result<&'static str> {
    static DECOY: OnceLock<String> = OnceLock::new();
    // Not only `get_or_init`, because hashing can fail. Two concurrent calls both hash, which is harmless.
    if let Some(decoy) = DECOY.get() {
        return Ok(decoy);
    }
    let decoy = hash(b"nobody has this password")?;
    Ok(DECOY.get_or_init(|| decoy))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn password(text: &str) -> Password {
        Password::new(text.to_owned()).unwrap()
    }

    #[tokio::test]
    async fn a_password_verifies_against_its_own_hash_only() {
        let passwords = Passwords::start().unwrap();
        let hash = passwords.hash(password("correct horse").chosen_for("").unwrap()).await.unwrap();
        assert!(hash.starts_with("$argon2id$"), "{hash}");
        assert!(passwords.verify(password("correct horse"), Some(hash.clone())).await.unwrap());
        assert!(!passwords.verify(password("wrong horse"), Some(hash)).await.unwrap());
        assert!(!passwords.verify(password("nobody has this password"), None).await.unwrap());
    }

    #[tokio::test]
    async fn a_common_password_that_an_account_has_goes_on_opening_it() {
        let passwords = Passwords::start().unwrap();
        password("123456").chosen_for("").unwrap_err();
        let of_earlier = hash(b"123456").unwrap();
        assert!(passwords.verify(password("123456"), Some(of_earlier)).await.unwrap());
    }
}
