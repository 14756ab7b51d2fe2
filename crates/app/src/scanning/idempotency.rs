pub(super) mod call_dates;

use std::time::Duration;

use partsight_domain::{InvalidInput, Scan, ScanId, User, messages};
use partsight_inference::sha256;
use partsight_store::{Claim, IdempotentCall};

use crate::scanning::Scanning;
use crate::scanning::scans::ScanRequest;
use crate::{Error, Result};

/// The header with the idempotency key.
pub const IDEMPOTENCY_KEY: &str = "Idempotency-Key";
/// The path of the call that scans.
pub const SCAN_PATH: &str = "/api/identify";

/// Delay between attempts to release a call.
const RELEASE_PAUSE: Duration = Duration::from_millis(250);
/// How long releasing a call is retried: less than the minute after which another run may claim it, since that one's
/// claim must not be released.
const RELEASE_FOR: Duration = Duration::from_secs(30);

/// An idempotent call, to which the client gave the key `key`.
pub fn idempotent_call(path: &str, key: String, body: &[u8]) -> IdempotentCall {
    IdempotentCall { path: path.to_owned(), key, request_sha256: sha256(body) }
}

impl Scanning {
    /// Claims an idempotent call, or returns its state or answer.
    ///
    /// A claimed call must be finished or released.
    pub async fn claim_call(&self, user: &User, call: &IdempotentCall) -> Result<Claim> {
        let (now, stale) = self.call_dates.begin(&self.clock, self.store.database_ahead());
        Ok(self.store.claim_call(user.tenant_id, call, now, stale).await?)
    }

    /// Saves the answer of a claimed call, for 24 hours.
    pub async fn finish_call(
        &self,
        user: &User,
        call: &IdempotentCall,
        status: u16,
        body: &str,
    ) -> Result<()> {
        Ok(self.store.finish_call(user.tenant_id, call, status, body).await?)
    }

    /// Releases a call without a result, so that it can be repeated. If that fails, for example because of a full
    /// disk, it is retried for half a minute.
    pub async fn release_call(&self, user: &User, call: &IdempotentCall) -> Result<()> {
        let released = self.store.release_call(user.tenant_id, call).await;
        if released.is_err() {
            let (store, tenant_id, call) = (self.store.clone(), user.tenant_id, call.clone());
            let again = async move {
                while store.release_call(tenant_id, &call).await.is_err() {
                    tokio::time::sleep(RELEASE_PAUSE).await;
                }
            };
            self.tasks.begin(async move {
                // The caller already has its error, and the claim expires by itself.
                let _ = tokio::time::timeout(RELEASE_FOR, again).await;
            });
        }
        Ok(released?)
    }

    /// As [`scan_and_count`](Self::scan_and_count), but idempotent by `key`: a repeated scan returns the saved answer
    /// and true, and nothing is counted, saved or sent to the judge again.
    ///
    /// The scan and the answer to its call are saved in one transaction, so this holds wherever the first run ends.
    /// Two scans are the same if they have the same photographs, byte for byte, and the same vehicle.
    ///
    /// # Errors
    /// Those of [`scan`](Self::scan); [`Error::CallRunning`] while the same call runs, [`Error::Invalid`] for the key
    /// of another scan, [`Error::NotFound`] if the scan was deleted since.
    pub async fn scan_once(
        &self,
        user: &User,
        request: ScanRequest,
        key: Option<String>,
    ) -> Result<(Scan, bool)> {
        let Some(key) = key else { return Ok((self.scan_and_count(user, request, None).await?, false)) };
        // Hashing up to 125 MB takes a while.
        let (request, call) = tokio::task::spawn_blocking(move || {
            let call = scan_call(key, &request);
            (request, call)
        })
        .await
        .map_err(Error::internal)?;
        match self.claim_call(user, &call).await? {
            Claim::Running => Err(Error::CallRunning),
            Claim::OtherRequest => {
                Err(InvalidInput::new(IDEMPOTENCY_KEY, messages::IDEMPOTENCY_KEY_REUSED).into())
            }
            Claim::Answered { body, .. } => {
                // The saved answer to a scan's call is the scan's id.
                let id: ScanId = body.parse().map_err(Error::internal)?;
                Ok((self.scan_of(user, id).await?, true))
            }
            Claim::New => {
                let claimed = Claimed { scanning: self, user, call: &call, ends_well: false };
                let result = self.scan_and_count(user, request, Some(&call)).await;
                // Before the client gets the error, so that it can retry at once.
                if result.is_err() {
                    give_up(self, user, &call).await;
                }
                claimed.end();
                Ok((result?, false))
            }
        }
    }
}

/// A running call. It is released if the client disconnects, so that the call can be repeated at once.
struct Claimed<'c> {
    scanning: &'c Scanning,
    user: &'c User,
    call: &'c IdempotentCall,
    ends_well: bool,
}

impl Claimed<'_> {
    fn end(mut self) {
        self.ends_well = true;
    }
}

impl Drop for Claimed<'_> {
    fn drop(&mut self) {
        if !self.ends_well {
            let (scanning, user, call) = (self.scanning.clone(), self.user.clone(), self.call.clone());
            self.scanning.tasks.begin(async move { give_up(&scanning, &user, &call).await });
        }
    }
}

/// Releases a call without an answer; an answered one keeps it.
async fn give_up(scanning: &Scanning, user: &User, call: &IdempotentCall) {
    if let Err(error) = scanning.release_call(user, call).await {
        // The claim expires in a minute; the client must get the original error.
        tracing::warn!(error = &error as &dyn std::error::Error, "a call could not be given up");
    }
}

/// What must be equal in two scans: the multipart bodies differ in their boundaries.
fn scan_call(key: String, request: &ScanRequest) -> IdempotentCall {
    let mut content: Vec<String> = request.photos.iter().map(|photo| sha256(photo)).collect();
    content.push(request.vehicle_id.map(|id| id.to_string()).unwrap_or_default());
    if request.several {
        content.push("several".to_owned());
    }
    idempotent_call(SCAN_PATH, key, content.join("\n").as_bytes())
}
