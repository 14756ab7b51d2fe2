-- Repairs that were logged for a maintenance item.
-- Why: the last time of an item is that of its latest repair, so that it follows when the repair is corrected or deleted.
-- It was copied into `maintenance_item`, and stayed there.

ALTER TABLE repair ADD COLUMN maintenance_item TEXT;

CREATE INDEX repair_maintenance_item_ix ON repair (tenant_id, vehicle_id) WHERE maintenance_item IS NOT NULL;
