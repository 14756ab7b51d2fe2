pub(super) mod call_dates;

use std::time::Duration;

use partsight_domain::{InvalidInput, Scan, ScanId, User, messages};
use partsight_inference::sha256;
use partsight_store::{Claim, IdempotentCall};

use crate::scanning::Scanning;
use crate::scanning::scans::ScanRequest;
use crate::{Error, Result};

/// The header that names a call.
pub const IDEMPOTENCY_KEY: &str = "Idempotency-Key";
/// The path of a scan.
pub const SCAN_PATH: &str = "/api/identify";

/// Between two attempts to give up a call.
const RELEASE_PAUSE: Duration = Duration::from_millis(250);
/// How long a call is tried to be given up: less than the minute after which another may run in its place, since the
/// place of that one must not be given up.
const RELEASE_FOR: Duration = Duration::from_secs(30);

/// A call that its client names `key` and may send twice.
pub fn idempotent_call(path: &str, key: String, body: &[u8]) -> IdempotentCall {
    IdempotentCall { path: path.to_owned(), key, request_sha256: sha256(body) }
}

impl Scanning {
    /// Reserves a call that its client may send twice, or says what came of it.
    ///
    /// A call that was reserved must be finished or released.
    pub async fn claim_call(&self, user: &User, call: &IdempotentCall) -> Result<Claim> {
        let (now, stale) = self.call_dates.begin(&self.clock);
        Ok(self.store.claim_call(user.tenant_id, call, now, stale).await?)
    }

    /// Keeps the answer of a call that was reserved, for 24 hours.
    pub async fn finish_call(
        &self,
        user: &User,
        call: &IdempotentCall,
        status: u16,
        body: &str,
    ) -> Result<()> {
        Ok(self.store.finish_call(user.tenant_id, call, status, body).await?)
    }

    /// Gives up a call of which nothing came, so that it can be sent again. Where that fails, such as with a full disk,
    /// it is tried again for half a minute.
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
                // Whoever gave it up was told why; it runs out by itself then.
                let _ = tokio::time::timeout(RELEASE_FOR, again).await;
            });
        }
        Ok(released?)
    }

    /// As [`scan_and_count`](Self::scan_and_count); of a scan that its client names `key`, the answer that it has
    /// once been given, and true: nothing is counted, saved or asked of the judge a second time.
    ///
    /// The scan and the answer to its call are saved in one transaction, so that this holds wherever the first run
    /// ends. The same scan is the one with the same photographs, byte for byte, and the same vehicle.
    ///
    /// # Errors
    /// Those of [`scan`](Self::scan); [`Error::CallRunning`] while the same call runs, [`Error::Invalid`] for a key of
    /// another scan, [`Error::NotFound`] where the scan has been deleted since.
    pub async fn scan_once(
        &self,
        user: &User,
        request: ScanRequest,
        key: Option<String>,
    ) -> Result<(Scan, bool)> {
        let Some(key) = key else { return Ok((self.scan_and_count(user, request, None).await?, false)) };
        // Hashing 125 MB takes a while.
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
                // The answer that is kept for the call of a scan is the scan's id.
                let id: ScanId = body.parse().map_err(Error::internal)?;
                Ok((self.scan_of(user, id).await?, true))
            }
            Claim::New => {
                let claimed = Claimed { scanning: self, user, call: &call, ends_well: false };
                let result = self.scan_and_count(user, request, Some(&call)).await;
                // Before the client hears of it, so that it can send the call again at once.
                if result.is_err() {
                    give_up(self, user, &call).await;
                }
                claimed.end();
                Ok((result?, false))
            }
        }
    }
}

/// A call that runs. It is given up where the client goes away in the middle, so that what was cancelled can be sent
/// again at once.
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

/// Gives up a call that has no answer; one that has keeps it.
async fn give_up(scanning: &Scanning, user: &User, call: &IdempotentCall) {
    if let Err(error) = scanning.release_call(user, call).await {
        // It holds for a minute then; what the client has to hear is why there is no answer.
        tracing::warn!(error = &error as &dyn std::error::Error, "a call could not be given up");
    }
}

/// What of a scan must be the same: the bodies that carry it differ in their boundaries.
fn scan_call(key: String, request: &ScanRequest) -> IdempotentCall {
    let mut content: Vec<String> = request.photos.iter().map(|photo| sha256(photo)).collect();
    content.push(request.vehicle_id.map(|id| id.to_string()).unwrap_or_default());
    if request.several {
        content.push("several".to_owned());
    }
    idempotent_call(SCAN_PATH, key, content.join("\n").as_bytes())
}
