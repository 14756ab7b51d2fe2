-- Scans with their pictures, what the model saw, and what people said of the answers.
-- Why: a scan counts against an allowance and is worth keeping: it is the history of a garage, and what the model is
-- measured and taught by. All of it goes with its scan, except a reference that was made of one: that is a taught part
-- like any other.

CREATE TABLE scan (
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
    CONSTRAINT scan_by_user_fk FOREIGN KEY (user_id) REFERENCES app_user (user_id) ON DELETE SET NULL,
    CONSTRAINT scan_of_vehicle_fk FOREIGN KEY (vehicle_id) REFERENCES vehicle (vehicle_id)
        ON DELETE SET NULL,
    CONSTRAINT scan_known_verdict CHECK (verdict IN ('identified', 'not-sure')),
    CONSTRAINT scan_whole_category CHECK ((category IS NULL) = (category_confidence IS NULL))
);

CREATE INDEX scan_of_vehicle ON scan (vehicle_id, scanned_at);
-- Serves the deletion of a user.
CREATE INDEX scan_of_user ON scan (user_id);
CREATE INDEX scan_history ON scan (tenant_id, scanned_at, scan_id);

-- Pictures of scans, for those who keep any. They are rows and not files, so that the database is all that has to be
-- copied, and so that they go with their scan.
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

-- What the model saw in the photograph, so that a confirmed scan can become a reference and the confidence can be fitted,
-- without the photograph. Vectors are little-endian 32-bit floats.
CREATE TABLE scan_features (
    scan_id           TEXT             NOT NULL,
    tenant_id         TEXT             NOT NULL,
    model_sha256      TEXT             NOT NULL,
    embedding         BYTEA            NOT NULL,
    fingerprint       BYTEA            NOT NULL,
    -- Raw scores of the model's classes, and its raw score of "shows one of them".
    logits            BYTEA            NOT NULL,
    known             DOUBLE PRECISION NOT NULL,
    -- Logarithms of the probabilities with references and without a tenant's own temperature: of the model's classes,
    -- then of these labels (JSON).
    log_probabilities BYTEA            NOT NULL,
    taught_labels     TEXT             NOT NULL,
    CONSTRAINT scan_features_pk PRIMARY KEY (scan_id),
    CONSTRAINT scan_features_scan_fk FOREIGN KEY (scan_id) REFERENCES scan (scan_id) ON DELETE CASCADE,
    CONSTRAINT scan_features_tenant_fk FOREIGN KEY (tenant_id) REFERENCES tenant (tenant_id) ON DELETE CASCADE
);

CREATE INDEX scan_features_by_tenant ON scan_features (tenant_id);

-- What people say of answers: one that somebody corrected is the best test of the model that there is.
CREATE TABLE scan_feedback (
    scan_id           TEXT   NOT NULL,
    tenant_id         TEXT   NOT NULL,
    user_id           TEXT,
    -- Who learns from it: the company that its author worked for when they gave it; none is the author alone.
    shop_tenant_id    TEXT,
    kind              TEXT   NOT NULL,
    -- The part in the photograph; none where it shows none.
    label             TEXT,
    part_reference_id TEXT,
    changed_at        BIGINT NOT NULL,
    CONSTRAINT scan_feedback_pk PRIMARY KEY (scan_id),
    CONSTRAINT scan_feedback_scan_fk FOREIGN KEY (scan_id) REFERENCES scan (scan_id) ON DELETE CASCADE,
    CONSTRAINT scan_feedback_tenant_fk FOREIGN KEY (tenant_id) REFERENCES tenant (tenant_id) ON DELETE CASCADE,
    CONSTRAINT scan_feedback_shop_fk FOREIGN KEY (shop_tenant_id) REFERENCES tenant (tenant_id) ON DELETE SET NULL,
    CONSTRAINT scan_feedback_user_fk FOREIGN KEY (user_id) REFERENCES app_user (user_id) ON DELETE SET NULL,
    CONSTRAINT scan_feedback_reference_fk FOREIGN KEY (part_reference_id)
        REFERENCES part_reference (part_reference_id) ON DELETE SET NULL,
    CONSTRAINT scan_feedback_known_kind CHECK (kind IN ('right', 'other-part', 'not-a-part')),
    CONSTRAINT scan_feedback_label_of_a_part CHECK ((label IS NULL) = (kind = 'not-a-part'))
);

CREATE INDEX scan_feedback_by_tenant ON scan_feedback (tenant_id, changed_at);
-- Serves the purge of references.
CREATE INDEX scan_feedback_by_reference ON scan_feedback (part_reference_id);
-- Serves what is fitted to the feedback of a shop.
CREATE INDEX scan_feedback_by_learner ON scan_feedback (COALESCE(shop_tenant_id, tenant_id), changed_at);
-- Serves the deletion of a company.
CREATE INDEX scan_feedback_by_shop ON scan_feedback (shop_tenant_id);

-- Answers to calls that may be sent twice: a client that saw no answer sends the same key again, and gets the first answer
-- instead of a second record.
CREATE TABLE idempotent_call (
    tenant_id      TEXT   NOT NULL,
    path           TEXT   NOT NULL,
    call_key       TEXT   NOT NULL,
    -- Of the body: the same key with another body is a mistake of the client.
    request_sha256 TEXT   NOT NULL,
    -- Both or neither: a call that is still running has neither.
    status         BIGINT,
    answer         TEXT,
    created_at     BIGINT NOT NULL,
    CONSTRAINT idempotent_call_pk PRIMARY KEY (tenant_id, path, call_key),
    CONSTRAINT idempotent_call_tenant_fk FOREIGN KEY (tenant_id) REFERENCES tenant (tenant_id)
        ON DELETE CASCADE,
    CONSTRAINT idempotent_call_whole_answer CHECK ((status IS NULL) = (answer IS NULL))
);

CREATE INDEX idempotent_call_by_age ON idempotent_call (created_at);
