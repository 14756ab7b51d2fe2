-- How many scans were asked for, by day, key and way to the answer, and what they cost.
-- Why: who pays for scans must be able to see where they come from, also after the history was cleared.

CREATE TABLE scan_usage (
    user_id     TEXT   NOT NULL,
    -- The day in UTC, as YYYY-MM-DD.
    day         TEXT   NOT NULL,
    -- The id of an API key, or 'web'. No reference: the count outlives the key.
    source      TEXT   NOT NULL,
    path        TEXT   NOT NULL,
    n_scans     BIGINT NOT NULL,
    -- Millionths of a US dollar.
    cost_micros BIGINT NOT NULL,
    CONSTRAINT scan_usage_pk PRIMARY KEY (user_id, day, source, path),
    CONSTRAINT scan_usage_user_fk FOREIGN KEY (user_id) REFERENCES app_user (user_id) ON DELETE CASCADE,
    CONSTRAINT scan_usage_known_path CHECK (path IN ('local', 'reused', 'llm', 'not-a-part', 'error'))
);
