//! The stored model outputs of a period's scans, as far as drift detection needs them.

use jiff::Timestamp;
use partsight_domain::TenantId;
use sqlx::any::AnyRow;
use sqlx::{AssertSqlSafe, Row};

use crate::{Error, Store, rows};

/// The newest scans in a period, of one tenant or of all.
#[derive(Debug, Clone, Copy)]
pub struct ScanSpan<'a> {
    /// Whose scans they are; `None` for those of all tenants.
    pub tenant_id: Option<TenantId>,
    /// SHA-256 of a model, lower-case hex: only scans by this model.
    pub model_sha256: &'a str,
    /// Only scans from this time on.
    pub from: Timestamp,
    /// Only scans before this time.
    pub before: Timestamp,
    /// How many of the newest scans are considered, whatever their model.
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
    /// `columns` of the stored model outputs in a span, the newest scan first.
    async fn list_span<T>(
        &self,
        columns: &str,
        span: ScanSpan<'_>,
        read: impl Fn(&AnyRow) -> Result<T, Error>,
    ) -> Result<Vec<T>, Error> {
        let ScanSpan { tenant_id, model_sha256, from, before, limit } = span;
        let owner = if tenant_id.is_some() { "tenant_id = $5 AND" } else { "" };
        // An index covers the choice of the newest; the large rows are read only for those.
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
