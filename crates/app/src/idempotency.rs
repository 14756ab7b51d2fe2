use partsight_domain::User;
use partsight_inference::sha256;
use partsight_store::{Claim, IdempotentCall};

use crate::{App, Result};

/// A call that its client names `key` and may send twice.
pub fn idempotent_call(path: &str, key: String, body: &[u8]) -> IdempotentCall {
    IdempotentCall { path: path.to_owned(), key, request_sha256: sha256(body) }
}

impl App {
    /// Reserves a call that its client may send twice, or says what came of it.
    ///
    /// A call that was reserved must be finished or released.
    pub async fn claim_call(&self, user: &User, call: &IdempotentCall) -> Result<Claim> {
        Ok(self.store.claim_call(user.tenant_id, call, self.now()).await?)
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

    /// Gives up a call of which nothing came, so that it can be sent again.
    pub async fn release_call(&self, user: &User, call: &IdempotentCall) -> Result<()> {
        Ok(self.store.release_call(user.tenant_id, call).await?)
    }
}
