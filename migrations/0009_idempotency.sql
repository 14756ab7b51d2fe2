-- Answers to calls that may be sent twice: a client that saw no answer sends the same key again, and gets the
-- first answer instead of a second record.

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
