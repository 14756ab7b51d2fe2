-- Where the parts are on a photograph that shows several, and what each is.
-- Why: people photograph a shelf or a crate at once. The boxes are kept with their scan, so that they are there again when
-- it is opened, and go with it.

CREATE TABLE scan_regions (
    scan_id    TEXT   NOT NULL,
    tenant_id  TEXT   NOT NULL,
    -- JSON: each box with its answer, in the order of their numbers.
    regions    TEXT   NOT NULL,
    changed_at BIGINT NOT NULL,
    CONSTRAINT scan_regions_pk PRIMARY KEY (scan_id),
    CONSTRAINT scan_regions_scan_fk FOREIGN KEY (scan_id) REFERENCES scan (scan_id) ON DELETE CASCADE,
    CONSTRAINT scan_regions_tenant_fk FOREIGN KEY (tenant_id) REFERENCES tenant (tenant_id) ON DELETE CASCADE
);

CREATE INDEX scan_regions_by_tenant ON scan_regions (tenant_id);
