use jiff::Timestamp;

use crate::TenantId;
use crate::recognition::LookAlikePair;

/// Maximum of look-alikes of a part: an answer names at most five, and every scan reads all marks.
pub const MAX_LOOK_ALIKES: usize = 20;

/// Two part types that a user marked as look-alikes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LookAlike {
    /// The owner; `None` for all tenants of this server.
    pub tenant_id: Option<TenantId>,
    /// Both types.
    pub pair: LookAlikePair,
    /// When they were marked.
    pub created_at: Timestamp,
}
