use std::sync::{Arc, OnceLock};

use argon2::Argon2;
use argon2::password_hash::phc::PasswordHash;
use argon2::password_hash::{PasswordHasher, PasswordVerifier};
use partsight_domain::{ChosenPassword, Password};
use rayon::{ThreadPool, ThreadPoolBuilder};
use tokio::sync::oneshot;

use crate::limits::places::{Places, Share};
use crate::{Error, Result};

/// Concurrent hashings. Each takes 19 MiB and tens of milliseconds, so they could exhaust a server.
const PARALLEL_HASHINGS: usize = 2;
/// Hashings that may wait; further ones fail as busy.
const WAITING_HASHINGS: usize = 64;
/// Hashings that an address may have in any case; usually as many as are left.
const LEAST_HASHINGS: usize = 8;

/// Argon2id with the crate's defaults (19 MiB, 2 passes, 1 lane), which OWASP's password storage cheat sheet
/// recommends.
#[derive(Debug, Clone)]
pub(crate) struct Passwords {
    /// Own threads: many sign-ins at once must not delay photographs.
    threads: Arc<ThreadPool>,
    /// By the network of the client, so that nobody has all.
    places: Places<String>,
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
        let places = Places::new(PARALLEL_HASHINGS + WAITING_HASHINGS, Share::OfFree, LEAST_HASHINGS);
        // Before the first sign-in, which would otherwise take longer for an unknown address.
        threads.spawn(|| {
            if let Err(error) = decoy_hash() {
                tracing::error!(%error, "the password of nobody could not be hashed");
            }
        });
        Ok(Self { threads: Arc::new(threads), places })
    }

    /// The hash of `password` in PHC format, with a random salt, for a client of `network`. The type ensures that the
    /// password is allowed.
    ///
    /// # Errors
    /// [`Error::Busy`] if too many wait, or too many of this network.
    pub(crate) async fn hash(&self, password: ChosenPassword, network: String) -> Result<String> {
        self.in_turn(network, move || hash(password.as_bytes())).await?
    }

    /// Whether `password` matches `hash`; `None` takes the same time and returns false, so that the response time
    /// does not tell whether an account exists.
    ///
    /// # Errors
    /// As [`hash`](Self::hash).
    pub(crate) async fn verify(
        &self,
        password: Password,
        hash: Option<String>,
        network: String,
    ) -> Result<bool> {
        self.in_turn(network, move || {
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

    async fn in_turn<T: Send + 'static>(
        &self,
        network: String,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T> {
        // Refused at once if the queue is full: waiting for a place in it would be an unbounded queue.
        let place = self.places.take(network)?;
        let (sender, receiver) = oneshot::channel();
        self.threads.spawn(move || {
            // Skipped if the request was cancelled.
            if !sender.is_closed() {
                let _ = sender.send(work());
            }
            // Only now: a cancelled request must not let the next one start beside its own work.
            drop(place);
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
    use std::sync::{Mutex, mpsc};

    use tokio::task::JoinSet;

    use super::*;

    fn password(text: &str) -> Password {
        Password::new(text.to_owned()).unwrap()
    }

    #[tokio::test]
    async fn a_password_verifies_against_its_own_hash_only() {
        let passwords = Passwords::start().unwrap();
        let chosen = password("correct horse").chosen_for("").unwrap();
        let hash = passwords.hash(chosen, "one".to_owned()).await.unwrap();
        assert!(hash.starts_with("$argon2id$"), "{hash}");
        let verify =
            async |text, hash| passwords.verify(password(text), hash, "one".to_owned()).await.unwrap();
        assert!(verify("correct horse", Some(hash.clone())).await);
        assert!(!verify("wrong horse", Some(hash)).await);
        assert!(!verify("nobody has this password", None).await);
    }

    #[tokio::test]
    async fn one_address_with_many_sign_ins_leaves_places_to_others() {
        let passwords = Passwords::start().unwrap();
        let (release, released) = mpsc::channel::<()>();
        let released = Arc::new(Mutex::new(released));
        let mut many = JoinSet::new();
        for _ in 0..70 {
            let (passwords, released) = (passwords.clone(), Arc::clone(&released));
            many.spawn(async move {
                passwords.in_turn("one".to_owned(), move || released.lock().unwrap().recv().is_ok()).await
            });
        }
        // 66 places, of which it has half; the others are refused at once.
        for _ in 0..37 {
            assert!(matches!(many.join_next().await.unwrap().unwrap(), Err(Error::Busy)));
        }
        let (other, ()) =
            tokio::join!(passwords.in_turn("another".to_owned(), || 7), async { drop(release) });
        assert_eq!(other.unwrap(), 7);
        assert!(many.join_all().await.into_iter().all(|ended| ended.is_ok()));
    }

    #[tokio::test]
    async fn a_common_password_that_an_account_has_goes_on_opening_it() {
        let passwords = Passwords::start().unwrap();
        password("123456").chosen_for("").unwrap_err();
        let of_earlier = hash(b"123456").unwrap();
        assert!(passwords.verify(password("123456"), Some(of_earlier), "one".to_owned()).await.unwrap());
    }
}
