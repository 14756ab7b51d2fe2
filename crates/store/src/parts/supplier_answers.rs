//! Cached answers of external suppliers.

use jiff::Timestamp;
use partsight_domain::{Offer, OfferSource, TenantId};

use crate::{Error, Store, rows};

/// A cached answer.
#[derive(Debug, Clone, PartialEq)]
pub struct SupplierAnswer {
    /// The offers.
    pub offers: Vec<Offer>,
    /// When the supplier answered.
    pub answered_at: Timestamp,
}

impl Store {
    /// Caches the answer of a source to a question of a tenant, in place of an earlier one.
    pub async fn keep_supplier_answer(
        &self,
        tenant_id: TenantId,
        source: OfferSource,
        question_sha256: &str,
        answer: &SupplierAnswer,
    ) -> Result<(), Error> {
        let query = sql!(
            "INSERT INTO supplier_answer (tenant_id, source, question_sha256, offers, answered_at) \
             VALUES ($1, $2, $3, $4, $5) \
             ON CONFLICT (tenant_id, source, question_sha256) \
             DO UPDATE SET offers = excluded.offers, answered_at = excluded.answered_at",
            [tenant_id, source, question_sha256, rows::to_json("offers", &answer.offers)?],
            [answer.answered_at]
        );
        self.write(query).await?;
        Ok(())
    }

    /// The answer of a source to a question of a tenant, if it is newer than a given time.
    pub async fn find_supplier_answer(
        &self,
        tenant_id: TenantId,
        source: OfferSource,
        question_sha256: &str,
        after: Timestamp,
    ) -> Result<Option<SupplierAnswer>, Error> {
        let query = sql!(
            "SELECT offers, answered_at FROM supplier_answer \
             WHERE tenant_id = $1 AND source = $2 AND question_sha256 = $3 AND answered_at > $4",
            [tenant_id, source, question_sha256, after]
        );
        self.find(query, |row| {
            let offers = rows::json(row, "offers")?;
            Ok(SupplierAnswer { offers, answered_at: rows::timestamp(row, "answered_at")? })
        })
        .await
    }

    /// Deletes the answers of all tenants from before a given time; returns how many.
    pub async fn purge_supplier_answers(&self, before: Timestamp) -> Result<u64, Error> {
        let query = sql!("DELETE FROM supplier_answer WHERE answered_at < $1", [before]);
        self.write(query).await
    }
}
