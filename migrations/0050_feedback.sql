-- What people say of answers, and what is learnt from it.
-- Why: an answer that somebody corrected is the best test of the model that there is, and on a shop's own parts.
-- All of it goes with its scan, except a reference that was made of one: that is a taught part like any other.

-- What the model saw in the photograph of a scan, so that a confirmed scan can become a reference and the confidence
-- can be fitted, without the photograph. Vectors are little-endian 32-bit floats; SQLite has no type BYTEA, there such
-- a column takes bytes as they come.
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

CREATE TABLE scan_feedback (
    scan_id           TEXT   NOT NULL,
    tenant_id         TEXT   NOT NULL,
    user_id           TEXT,
    kind              TEXT   NOT NULL,
    -- The part in the photograph; none where it shows none.
    label             TEXT,
    part_reference_id TEXT,
    changed_at        BIGINT NOT NULL,
    CONSTRAINT scan_feedback_pk PRIMARY KEY (scan_id),
    CONSTRAINT scan_feedback_scan_fk FOREIGN KEY (scan_id) REFERENCES scan (scan_id) ON DELETE CASCADE,
    CONSTRAINT scan_feedback_tenant_fk FOREIGN KEY (tenant_id) REFERENCES tenant (tenant_id) ON DELETE CASCADE,
    CONSTRAINT scan_feedback_user_fk FOREIGN KEY (user_id) REFERENCES app_user (user_id) ON DELETE SET NULL,
    CONSTRAINT scan_feedback_reference_fk FOREIGN KEY (part_reference_id)
        REFERENCES part_reference (part_reference_id) ON DELETE SET NULL,
    CONSTRAINT scan_feedback_known_kind CHECK (kind IN ('right', 'other-part', 'not-a-part')),
    CONSTRAINT scan_feedback_label_of_a_part CHECK ((label IS NULL) = (kind = 'not-a-part'))
);

CREATE INDEX scan_feedback_by_tenant ON scan_feedback (tenant_id, changed_at);
-- Serves the purge of references.
CREATE INDEX scan_feedback_by_reference ON scan_feedback (part_reference_id);

-- What a tenant lets the server learn. No row is no choice.
CREATE TABLE learning_choice (
    tenant_id             TEXT   NOT NULL,
    confirmed_scans_teach BIGINT NOT NULL,
    refit_calibration     BIGINT NOT NULL,
    changed_at            BIGINT NOT NULL,
    CONSTRAINT learning_choice_pk PRIMARY KEY (tenant_id),
    CONSTRAINT learning_choice_tenant_fk FOREIGN KEY (tenant_id) REFERENCES tenant (tenant_id) ON DELETE CASCADE,
    CONSTRAINT learning_choice_truth CHECK (confirmed_scans_teach IN (0, 1) AND refit_calibration IN (0, 1))
);

-- A tenant's own calibration of the model in use, and the last attempt to better it.
CREATE TABLE tenant_calibration (
    tenant_id    TEXT   NOT NULL,
    model_sha256 TEXT   NOT NULL,
    -- None while the model's own holds.
    temperature  DOUBLE PRECISION,
    outcome      TEXT   NOT NULL,
    n            BIGINT NOT NULL,
    -- JSON: the figures before and after.
    figures      TEXT   NOT NULL,
    attempted_at BIGINT NOT NULL,
    CONSTRAINT tenant_calibration_pk PRIMARY KEY (tenant_id),
    CONSTRAINT tenant_calibration_tenant_fk FOREIGN KEY (tenant_id) REFERENCES tenant (tenant_id) ON DELETE CASCADE,
    CONSTRAINT tenant_calibration_known_outcome CHECK (outcome IN ('changed', 'kept', 'too-few'))
);
