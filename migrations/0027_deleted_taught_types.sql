-- When a taught part type was deleted. Its photographs are marked with the same moment, and come back with it.
-- Why: whoever mistyped a name was left with the part for good. The row stays, because scans, feedback and repairs of
-- before name the part; its name can be given to a new one, which takes the row.

ALTER TABLE taught_part_type ADD COLUMN deleted_at BIGINT;
