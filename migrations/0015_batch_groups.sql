-- Which photographs of a batch show one item, and which somebody took out of it.
-- Why: a part is photographed from several sides, and its photographs have one answer together. What is proposed and what
-- a person said are told apart, so that a proposal never undoes what a person did.

-- The first item of the group, which is itself for the first one; none for a photograph alone.
ALTER TABLE batch_item ADD COLUMN group_id TEXT;
-- Who put it there, or set it apart; none where nobody did.
ALTER TABLE batch_item ADD COLUMN grouped_by TEXT
    CONSTRAINT batch_item_known_grouper CHECK (grouped_by IN ('proposal', 'person'));
-- When the photograph was taken by the camera's clock, which tells no time zone: 2026-11-20T14:03:59.
ALTER TABLE batch_item ADD COLUMN captured_at TEXT;
-- Taken out of the list by a person, who may put it back: 1 or 0.
ALTER TABLE batch_item ADD COLUMN is_discarded BIGINT NOT NULL DEFAULT 0;

CREATE INDEX batch_item_by_group ON batch_item (batch_id, group_id);
-- Serves the warning that a photograph was in another batch: the same pallet sent twice.
CREATE INDEX batch_item_by_content ON batch_item (tenant_id, sha256);
