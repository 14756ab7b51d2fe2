-- Whether the text on the photographs of a batch is read.
-- Why: a pallet of returns is sorted by the numbers on the parts, but reading takes many times as long as answering.

ALTER TABLE batch ADD COLUMN reads_text BIGINT NOT NULL DEFAULT 0
    CONSTRAINT batch_reads_text CHECK (reads_text IN (0, 1));
