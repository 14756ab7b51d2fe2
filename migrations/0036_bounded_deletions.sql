-- Indexes for what read whole tables.
-- Why: SQLite has one writer at a time, and a deletion that first reads 300,000 pictures to find none keeps all others
-- waiting.

-- Serves the deletion of what is older than may be kept: pictures of one size are kept without end, and those of the other
-- for a time or not at all.
DROP INDEX scan_photo_by_age;
CREATE INDEX scan_photo_by_size_and_age ON scan_photo (size, created_at);

-- Serve the sum of the pictures of a tenant, and its deletion. On SQLite the sum is read from the index alone. PostgreSQL
-- never does that for an expression; it reads the rows, which are small there: larger values lie outside of them.
DROP INDEX scan_photo_by_tenant;
CREATE INDEX scan_photo_bytes_by_tenant ON scan_photo (tenant_id, LENGTH(bytes));
DROP INDEX batch_photo_by_tenant;
CREATE INDEX batch_photo_bytes_by_tenant ON batch_photo (tenant_id, LENGTH(bytes));
DROP INDEX evaluation_photo_by_tenant;
CREATE INDEX evaluation_photo_bytes_by_tenant ON evaluation_photo (tenant_id, LENGTH(bytes));
DROP INDEX evaluation_file_by_tenant;
CREATE INDEX evaluation_file_bytes_by_tenant ON evaluation_file (tenant_id, LENGTH(bytes));
-- The bytes of those outside stand with their objects.
CREATE INDEX scan_photo_outside ON scan_photo (tenant_id, scan_id, size) WHERE is_outside = 1;
CREATE INDEX part_reference_of_tenant ON part_reference (tenant_id, part_reference_id);
CREATE INDEX part_reference_photo_bytes ON part_reference_photo (part_reference_id, LENGTH(bytes));

-- Serves the search for calls whose server died.
CREATE INDEX idempotent_call_running ON idempotent_call (created_at) WHERE status IS NULL;

-- Serve the deletion of an account.
CREATE INDEX company_invitation_by_inviter ON company_invitation (invited_by);
CREATE INDEX part_reference_by_creator ON part_reference (created_by);
CREATE INDEX scan_feedback_by_user ON scan_feedback (user_id);
CREATE INDEX taught_part_type_by_creator ON taught_part_type (created_by);
CREATE INDEX taught_part_type_by_tenant ON taught_part_type (tenant_id);
-- Serves the search for tenants that are still to be erased.
CREATE INDEX tenant_deleted ON tenant (tenant_id) WHERE is_deleted = 1;

-- Serves the founding of a company, to which the grades of its founder move.
CREATE INDEX scan_grade_by_learner ON scan_grade (COALESCE(shop_tenant_id, tenant_id));

-- Serves whoever leaves a company: which of its parts their scans show.
CREATE INDEX scan_by_label ON scan (tenant_id, label);

-- Histories that were cleared and whose scans are still being erased. Up to these, no scan of the tenant is shown.
CREATE TABLE cleared_history (
    tenant_id     TEXT   NOT NULL,
    -- The time of its newest scan, and the number of its last event, when it was cleared.
    scanned_until BIGINT NOT NULL,
    event_until   BIGINT NOT NULL,
    CONSTRAINT cleared_history_pk PRIMARY KEY (tenant_id),
    CONSTRAINT cleared_history_tenant_fk FOREIGN KEY (tenant_id) REFERENCES tenant (tenant_id) ON DELETE CASCADE
);
