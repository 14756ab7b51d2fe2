-- References that went with their tenant, by number and nothing else.
-- Why: a row that is gone tells no index that it is gone. Each vector index, in the memory of each server and on a
-- server of its own, reads here what it has to forget. The ids are random and say nothing of anybody.

CREATE TABLE forgotten_reference (
    part_reference_id TEXT   NOT NULL,
    -- Of the deletion, among the numbers of part_reference_revision.
    revision          BIGINT NOT NULL,
    CONSTRAINT forgotten_reference_pk PRIMARY KEY (part_reference_id)
);

CREATE INDEX forgotten_reference_by_revision ON forgotten_reference (revision);
