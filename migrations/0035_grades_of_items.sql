-- What a grade still says once the list of its batch is deleted, and once it was changed.
-- Why: several photographs of one item count as one part in the totals, also of days whose batches are gone. And a grade
-- that left the scale can be brought back by whoever undoes a change.

-- The item of a deleted batch that the photograph showed; until then the batch says it.
ALTER TABLE scan_grade ADD COLUMN item_id TEXT;
-- The grade before the current one, as the scale named it then; none where it was never another.
ALTER TABLE scan_grade ADD COLUMN earlier_grade TEXT;

-- Serves the totals.
CREATE INDEX scan_grade_by_item ON scan_grade (item_id);
