-- The scans that an account had used when it was deleted, for 30 days.
-- Why: whoever deletes an account and makes it again with the same address would have its free scans anew each time.

CREATE TABLE past_allowance (
    -- HMAC-SHA256 of the address with a key of this installation (`server_key`), in hexadecimal. No address and no id of
    -- the account stands here; only who has the key can ask whether an address is among these.
    address_mac TEXT   NOT NULL,
    scans_used  BIGINT NOT NULL,
    forget_at   BIGINT NOT NULL,
    CONSTRAINT past_allowance_pk PRIMARY KEY (address_mac),
    CONSTRAINT past_allowance_used CHECK (scans_used > 0)
);

CREATE INDEX past_allowance_by_end ON past_allowance (forget_at);
