-- What is written to find out whether the database accepts writes.
-- Why: a database with a full disk still answers every query, so only a write shows it.

CREATE TABLE write_probe (
    -- Always 1.
    write_probe_id BIGINT NOT NULL,
    -- About as much as a scan takes with its picture.
    filler         BYTEA  NOT NULL,
    CONSTRAINT write_probe_pk PRIMARY KEY (write_probe_id)
);
