-- How lists of photographs are sorted, searched and cleaned up.
-- Why: of an item with several photographs their common answer counts and not that of the first; people look for the
-- number on a part; and what somebody took out of their past scans stays out until they put it back.

-- How doubtful the answer of a group is, at the item that names the group; none of a photograph alone, and of a group
-- whose answer has to be worked out anew.
ALTER TABLE batch_item ADD COLUMN group_doubt BIGINT;
-- Serves the list with one entry an item, the most doubtful first.
CREATE INDEX batch_item_by_group_doubt ON batch_item (batch_id, COALESCE(group_doubt, doubt), batch_item_id);

-- What was read on the photographs of a scan, each line as a part number in which easily confused characters are one,
-- between bars: |7060010|06ad105|. Empty for what was read before this column was there.
ALTER TABLE scan_reading ADD COLUMN folded_lines TEXT NOT NULL DEFAULT '';

-- Taken out of the list of past scans by a person, who may put it back: 1 or 0.
ALTER TABLE scan ADD COLUMN is_discarded BIGINT NOT NULL DEFAULT 0;
