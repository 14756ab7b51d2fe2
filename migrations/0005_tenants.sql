-- A tenant owns vehicles, scans and whatever else people keep.
-- Why: members of a company share a garage, so the owner of a row is not the person who wrote it.
-- Everybody who has an account becomes a tenant of their own, of the same id.
--
-- SQLite can add no NOT NULL reference to a table that has rows, so the tables are built anew. It would also
-- delete what refers to a dropped table, so those that refer are dropped first. Names of constraints and
-- indexes are new ones, because in PostgreSQL both generations stand side by side for a moment.

CREATE TABLE tenant (
    tenant_id  TEXT   NOT NULL,
    created_at BIGINT NOT NULL,
    CONSTRAINT tenant_pk PRIMARY KEY (tenant_id)
);

INSERT INTO tenant (tenant_id, created_at) SELECT user_id, created_at FROM app_user;

CREATE TABLE new_app_user (
    user_id           TEXT   NOT NULL,
    tenant_id         TEXT   NOT NULL,
    email             TEXT   NOT NULL,
    -- None for an account that signs in through another service only.
    password_hash     TEXT,
    first_name        TEXT   NOT NULL,
    last_name         TEXT   NOT NULL,
    plan              TEXT   NOT NULL,
    -- Counts every scan that returned an answer, so clearing the history gives no allowance back.
    scans_used        BIGINT NOT NULL DEFAULT 0,
    created_at        BIGINT NOT NULL,
    terms_accepted_at BIGINT,
    CONSTRAINT app_user_key PRIMARY KEY (user_id),
    CONSTRAINT app_user_email_taken UNIQUE (email),
    CONSTRAINT app_user_tenant_fk FOREIGN KEY (tenant_id) REFERENCES tenant (tenant_id) ON DELETE CASCADE,
    CONSTRAINT app_user_known_plan CHECK (plan IN ('basic', 'pro', 'business'))
);

CREATE TABLE new_session (
    session_id   TEXT   NOT NULL,
    user_id      TEXT   NOT NULL,
    token_sha256 TEXT   NOT NULL,
    created_at   BIGINT NOT NULL,
    expires_at   BIGINT NOT NULL,
    CONSTRAINT session_key PRIMARY KEY (session_id),
    CONSTRAINT session_token_taken UNIQUE (token_sha256),
    CONSTRAINT session_of_user_fk FOREIGN KEY (user_id) REFERENCES new_app_user (user_id) ON DELETE CASCADE
);

CREATE TABLE new_vehicle (
    vehicle_id    TEXT   NOT NULL,
    tenant_id     TEXT   NOT NULL,
    make          TEXT   NOT NULL,
    model         TEXT   NOT NULL,
    year          BIGINT NOT NULL,
    engine        TEXT,
    transmission  TEXT,
    vin           TEXT,
    license_plate TEXT,
    is_default    BIGINT NOT NULL DEFAULT 0,
    created_at    BIGINT NOT NULL,
    CONSTRAINT vehicle_key PRIMARY KEY (vehicle_id),
    CONSTRAINT vehicle_tenant_fk FOREIGN KEY (tenant_id) REFERENCES tenant (tenant_id) ON DELETE CASCADE,
    CONSTRAINT vehicle_is_default_flag CHECK (is_default IN (0, 1))
);

CREATE TABLE new_scan (
    scan_id             TEXT             NOT NULL,
    tenant_id           TEXT             NOT NULL,
    -- Who made it; their scans stay with the tenant when they go.
    user_id             TEXT,
    vehicle_id          TEXT,
    -- The vehicle as it was called at the time, kept when the vehicle goes.
    vehicle_year        BIGINT,
    vehicle_make        TEXT,
    vehicle_model       TEXT,
    verdict             TEXT             NOT NULL,
    label               TEXT             NOT NULL,
    confidence          DOUBLE PRECISION NOT NULL,
    known_score         DOUBLE PRECISION NOT NULL,
    -- JSON: the next candidates, most probable first.
    alternatives        TEXT             NOT NULL,
    -- The category that answered for its part types where they tied: both columns or neither.
    category            TEXT,
    category_confidence DOUBLE PRECISION,
    -- JSON: model, thresholds, milliseconds a stage.
    receipt             TEXT             NOT NULL,
    scanned_at          BIGINT           NOT NULL,
    CONSTRAINT scan_key PRIMARY KEY (scan_id),
    CONSTRAINT scan_tenant_fk FOREIGN KEY (tenant_id) REFERENCES tenant (tenant_id) ON DELETE CASCADE,
    CONSTRAINT scan_by_user_fk FOREIGN KEY (user_id) REFERENCES new_app_user (user_id) ON DELETE SET NULL,
    CONSTRAINT scan_of_vehicle_fk FOREIGN KEY (vehicle_id) REFERENCES new_vehicle (vehicle_id)
        ON DELETE SET NULL,
    CONSTRAINT scan_known_verdict CHECK (verdict IN ('identified', 'not-sure')),
    CONSTRAINT scan_whole_category CHECK ((category IS NULL) = (category_confidence IS NULL))
);

INSERT INTO new_app_user (user_id, tenant_id, email, password_hash, first_name, last_name, plan, scans_used,
                          created_at, terms_accepted_at)
SELECT user_id, user_id, email, password_hash, first_name, last_name, plan, scans_used, created_at,
       terms_accepted_at
FROM app_user;

INSERT INTO new_session (session_id, user_id, token_sha256, created_at, expires_at)
SELECT session_id, user_id, token_sha256, created_at, expires_at FROM session;

INSERT INTO new_vehicle (vehicle_id, tenant_id, make, model, year, engine, transmission, vin, license_plate,
                         is_default, created_at)
SELECT vehicle_id, user_id, make, model, year, engine, transmission, vin, license_plate, is_default, created_at
FROM vehicle;

INSERT INTO new_scan (scan_id, tenant_id, user_id, vehicle_id, vehicle_year, vehicle_make, vehicle_model,
                      verdict, label, confidence, known_score, alternatives, category, category_confidence,
                      receipt, scanned_at)
SELECT scan_id, user_id, user_id, vehicle_id, vehicle_year, vehicle_make, vehicle_model, verdict, label,
       confidence, known_score, alternatives, category, category_confidence, receipt, scanned_at
FROM scan;

DROP TABLE scan;
DROP TABLE vehicle;
DROP TABLE session;
DROP TABLE app_user;

ALTER TABLE new_app_user RENAME TO app_user;
ALTER TABLE new_session RENAME TO session;
ALTER TABLE new_vehicle RENAME TO vehicle;
ALTER TABLE new_scan RENAME TO scan;

CREATE INDEX app_user_by_tenant ON app_user (tenant_id);
CREATE INDEX session_of_user ON session (user_id);
CREATE INDEX session_until ON session (expires_at);
CREATE INDEX vehicle_by_tenant ON vehicle (tenant_id);

-- Two tabs that each set a default at once cannot leave two of them.
CREATE UNIQUE INDEX vehicle_one_default_a_tenant ON vehicle (tenant_id) WHERE is_default = 1;

-- Serves "the newest of this tenant", with and without a vehicle.
CREATE INDEX scan_by_tenant ON scan (tenant_id, scanned_at);
CREATE INDEX scan_of_vehicle ON scan (vehicle_id, scanned_at);
-- Serves the deletion of a user.
CREATE INDEX scan_of_user ON scan (user_id);
