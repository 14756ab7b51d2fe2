-- How often an event was sent to an endpoint before somebody had it sent again.
-- Why: a resent event has all of its tries once more, so they are counted from 0; but receivers are told the number of a
-- try, and must not see the first one twice.

ALTER TABLE webhook_delivery ADD COLUMN earlier_attempts BIGINT NOT NULL DEFAULT 0;
