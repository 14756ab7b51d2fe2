use jiff::Timestamp;

use crate::TenantId;
use crate::recognition::LookAlikePair;

/// Most look-alikes that a person may mark of one part: an answer names five at most, and every scan reads all marks.
pub const MAX_LOOK_ALIKES: usize = 20;

/// Two part types that somebody marked as look-alikes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LookAlike {
    /// For whom; `None` for all tenants of this server.
    pub tenant_id: Option<TenantId>,
    /// The two.
    pub pair: LookAlikePair,
    /// When they were marked.
    pub created_at: Timestamp,
}
