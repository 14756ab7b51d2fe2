//! What the model saw in the scans of a while, as far as drift needs it.

use jiff::Timestamp;
use partsight_domain::TenantId;
use sqlx::any::AnyRow;
use sqlx::{AssertSqlSafe, Row};

use crate::{Error, Store, rows};

/// The newest scans of a while, of a tenant or of all.
#[derive(Debug, Clone, Copy)]
pub struct ScanSpan<'a> {
    /// Whose scans they are; `None` for those of all tenants.
    pub tenant_id: Option<TenantId>,
    /// SHA-256 of a model, lower-case hex: of the newest, only those that it saw.
    pub model_sha256: &'a str,
    /// Only those from this moment on.
    pub from: Timestamp,
    /// Only those before this moment.
    pub before: Timestamp,
    /// How many of the newest, whatever model saw them.
    pub limit: u32,
}

/// The raw scores of a scan.
#[derive(Debug, Clone, PartialEq)]
pub struct RawScanScores {
    /// Raw scores of the model's classes, f32 `[c]`.
    pub logits: Vec<f32>,
    /// Raw score of "shows one of them".
    pub known: f32,
}

impl Store {
    /// `columns` of what the model saw in the scans of a span, the newest scan first.
    async fn list_span<T>(
        &self,
        columns: &str,
        span: ScanSpan<'_>,
        read: impl Fn(&AnyRow) -> Result<T, Error>,
    ) -> Result<Vec<T>, Error> {
        let ScanSpan { tenant_id, model_sha256, from, before, limit } = span;
        let owner = if tenant_id.is_some() { "tenant_id = $5 AND" } else { "" };
        // The newest are chosen by an index that has all of it; the large rows beside them are read for those alone.
        let sql = format!(
            "SELECT {columns} FROM \
                (SELECT scan_id, scanned_at FROM scan WHERE {owner} scanned_at >= $1 AND scanned_at < $2 \
                 ORDER BY scanned_at DESC, scan_id DESC LIMIT $3) AS newest \
             JOIN scan_features ON scan_features.scan_id = newest.scan_id \
             WHERE model_sha256 = $4 ORDER BY newest.scanned_at DESC, newest.scan_id DESC"
        );
        let sql = AssertSqlSafe(sql);
        match tenant_id {
            Some(tenant_id) => {
                self.list(sql!(sql, [from, before, limit, model_sha256, tenant_id]), read).await
            }
            None => self.list(sql!(sql, [from, before, limit, model_sha256]), read).await,
        }
    }

    /// The raw scores of the scans of a span, the newest first.
    pub async fn list_scan_scores(&self, span: ScanSpan<'_>) -> Result<Vec<RawScanScores>, Error> {
        self.list_span("logits, known", span, |row| {
            Ok(RawScanScores {
                logits: rows::floats(row, "logits")?,
                known: row.try_get::<f64, _>("known")? as f32,
            })
        })
        .await
    }

    /// The embeddings of the scans of a span, f32 `[d]` each, the newest first.
    pub async fn list_scan_embeddings(&self, span: ScanSpan<'_>) -> Result<Vec<Vec<f32>>, Error> {
        self.list_span("embedding", span, |row| rows::floats(row, "embedding")).await
    }
}
