-- Indexes for what read whole tables.
-- Why: SQLite has one writer at a time, and a deletion that first reads 300,000 pictures to find none keeps all others
-- waiting.

-- Serves the deletion of what is older than may be kept: pictures of one size are kept without end, and those of the other
-- for a time or not at all.
DROP INDEX scan_photo_by_age;
CREATE INDEX scan_photo_by_size_and_age ON scan_photo (size, created_at);

-- Serves the search for calls whose server died.
CREATE INDEX idempotent_call_running ON idempotent_call (created_at) WHERE status IS NULL;

-- Histories that were cleared and whose scans are still being erased. Up to these, no scan of the tenant is shown.
CREATE TABLE cleared_history (
    tenant_id     TEXT   NOT NULL,
    -- The time of its newest scan, and the number of its last event, when it was cleared.
    scanned_until BIGINT NOT NULL,
    event_until   BIGINT NOT NULL,
    CONSTRAINT cleared_history_pk PRIMARY KEY (tenant_id),
    CONSTRAINT cleared_history_tenant_fk FOREIGN KEY (tenant_id) REFERENCES tenant (tenant_id) ON DELETE CASCADE
);
