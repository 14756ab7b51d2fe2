-- Evaluations: how well the model knows the photographs of a shop.
-- Why: a shop's admin has no command line. The jobs are rows, so that a restart loses none and several servers share
-- them; the photographs go when an evaluation has ended, and what was measured stays.

CREATE TABLE evaluation (
    evaluation_id TEXT   NOT NULL,
    -- Whose model answers are measured: a person alone, or a company.
    tenant_id     TEXT   NOT NULL,
    name          TEXT   NOT NULL,
    state         TEXT   NOT NULL,
    -- Why it failed, as people read it.
    problem       TEXT,
    created_at    BIGINT NOT NULL,
    -- When a server began with it; anew after a restart.
    started_at    BIGINT,
    ended_at      BIGINT,
    n_photos      BIGINT NOT NULL DEFAULT 0,
    n_done        BIGINT NOT NULL DEFAULT 0,
    attempts      BIGINT NOT NULL DEFAULT 0,
    -- Which server has it, and until when it is theirs.
    lease_worker  TEXT,
    lease_until   BIGINT,
    -- Photographs of known labels, and right best guesses among them, for the list.
    n_known       BIGINT,
    n_right       BIGINT,
    -- Name and version of the model.
    model         TEXT,
    -- The figures as JSON.
    report        TEXT,
    CONSTRAINT evaluation_pk PRIMARY KEY (evaluation_id),
    CONSTRAINT evaluation_tenant_fk FOREIGN KEY (tenant_id) REFERENCES tenant (tenant_id) ON DELETE CASCADE,
    CONSTRAINT evaluation_known_state CHECK (state IN
        ('receiving', 'waiting', 'running', 'done', 'failed', 'cancelled')),
    CONSTRAINT evaluation_leased_while_running CHECK ((state = 'running') = (lease_worker IS NOT NULL)),
    CONSTRAINT evaluation_lease_ends CHECK ((lease_worker IS NULL) = (lease_until IS NULL)),
    CONSTRAINT evaluation_reported_when_done CHECK ((state = 'done') = (report IS NOT NULL))
);

CREATE INDEX evaluation_by_tenant ON evaluation (tenant_id, created_at);
CREATE INDEX evaluation_in_turn ON evaluation (state, created_at);
-- One at a time of each account.
CREATE UNIQUE INDEX evaluation_one_at_a_time ON evaluation (tenant_id)
    WHERE state IN ('receiving', 'waiting', 'running');

-- The photographs of one that has not ended, and its list of labels where it came with one.
CREATE TABLE evaluation_photo (
    evaluation_id TEXT  NOT NULL,
    tenant_id     TEXT  NOT NULL,
    -- Its path in the zip or folder, with slashes.
    path          TEXT  NOT NULL,
    bytes         BYTEA NOT NULL,
    CONSTRAINT evaluation_photo_pk PRIMARY KEY (evaluation_id, path),
    CONSTRAINT evaluation_photo_evaluation_fk FOREIGN KEY (evaluation_id) REFERENCES evaluation (evaluation_id) ON DELETE CASCADE,
    CONSTRAINT evaluation_photo_tenant_fk FOREIGN KEY (tenant_id) REFERENCES tenant (tenant_id) ON DELETE CASCADE
);

CREATE INDEX evaluation_photo_by_tenant ON evaluation_photo (tenant_id);

-- The files of a report: its page, JSON, CSV, and small pictures of the mistakes.
CREATE TABLE evaluation_file (
    evaluation_id TEXT  NOT NULL,
    tenant_id     TEXT  NOT NULL,
    name          TEXT  NOT NULL,
    bytes         BYTEA NOT NULL,
    CONSTRAINT evaluation_file_pk PRIMARY KEY (evaluation_id, name),
    CONSTRAINT evaluation_file_evaluation_fk FOREIGN KEY (evaluation_id) REFERENCES evaluation (evaluation_id) ON DELETE CASCADE,
    CONSTRAINT evaluation_file_tenant_fk FOREIGN KEY (tenant_id) REFERENCES tenant (tenant_id) ON DELETE CASCADE
);

CREATE INDEX evaluation_file_by_tenant ON evaluation_file (tenant_id);
