-- What condition a scanned part is in, by the shop's own scale.
-- Why: returns and cores are paid by their condition. A grade belongs to the scan, whose picture is its evidence, and goes
-- with it.

CREATE TABLE grade_scale (
    tenant_id TEXT NOT NULL,
    -- JSON: the names of the grades, the best first.
    grades    TEXT NOT NULL,
    CONSTRAINT grade_scale_pk PRIMARY KEY (tenant_id),
    CONSTRAINT grade_scale_tenant_fk FOREIGN KEY (tenant_id) REFERENCES tenant (tenant_id) ON DELETE CASCADE
);

CREATE TABLE scan_grade (
    scan_id        TEXT   NOT NULL,
    tenant_id      TEXT   NOT NULL,
    user_id        TEXT,
    -- The company that the person worked for when they gave it; none is the person alone.
    shop_tenant_id TEXT,
    -- As the scale named it then: a scale that changes changes no grade.
    grade          TEXT   NOT NULL,
    -- JSON: what is damaged, as texts.
    damage         TEXT   NOT NULL,
    note           TEXT   NOT NULL,
    graded_at      BIGINT NOT NULL,
    CONSTRAINT scan_grade_pk PRIMARY KEY (scan_id),
    CONSTRAINT scan_grade_scan_fk FOREIGN KEY (scan_id) REFERENCES scan (scan_id) ON DELETE CASCADE,
    CONSTRAINT scan_grade_tenant_fk FOREIGN KEY (tenant_id) REFERENCES tenant (tenant_id) ON DELETE CASCADE,
    CONSTRAINT scan_grade_shop_fk FOREIGN KEY (shop_tenant_id) REFERENCES tenant (tenant_id) ON DELETE SET NULL,
    CONSTRAINT scan_grade_user_fk FOREIGN KEY (user_id) REFERENCES app_user (user_id) ON DELETE SET NULL
);

CREATE INDEX scan_grade_by_tenant ON scan_grade (tenant_id, graded_at);
-- Serves the totals of a shop.
CREATE INDEX scan_grade_by_shop ON scan_grade (shop_tenant_id, graded_at);
-- Serves the deletion of a user.
CREATE INDEX scan_grade_by_user ON scan_grade (user_id);
