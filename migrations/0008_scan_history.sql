-- Pictures of scans, for those who keep any.
-- They are rows and not files, so that the database is all that has to be copied, and so that they go with
-- their scan. SQLite has no type BYTEA; there the column takes bytes as they come.

CREATE TABLE scan_photo (
    scan_id    TEXT   NOT NULL,
    tenant_id  TEXT   NOT NULL,
    -- A small picture without anything but its pixels, or the photograph as it was sent.
    size       TEXT   NOT NULL,
    media_type TEXT   NOT NULL,
    bytes      BYTEA  NOT NULL,
    created_at BIGINT NOT NULL,
    CONSTRAINT scan_photo_pk PRIMARY KEY (scan_id, size),
    CONSTRAINT scan_photo_scan_fk FOREIGN KEY (scan_id) REFERENCES scan (scan_id) ON DELETE CASCADE,
    CONSTRAINT scan_photo_tenant_fk FOREIGN KEY (tenant_id) REFERENCES tenant (tenant_id) ON DELETE CASCADE,
    CONSTRAINT scan_photo_known_size CHECK (size IN ('thumbnail', 'full'))
);

-- Serves the deletion of what is older than may be kept.
CREATE INDEX scan_photo_by_age ON scan_photo (created_at);
CREATE INDEX scan_photo_by_tenant ON scan_photo (tenant_id);

-- The order of the history is that of moment and id together.
DROP INDEX scan_by_tenant;
CREATE INDEX scan_history ON scan (tenant_id, scanned_at, scan_id);
