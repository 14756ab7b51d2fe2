-- Accounts that are about to be deleted.
-- Why: a subscription ends at the payment provider before the account goes here, and that takes seconds. Whoever
-- joined the owner's company meanwhile would keep the account from going, with the subscription gone. So the account
-- says first that it is closing, and nobody joins, makes or is handed its company until then. A server that dies on
-- the way leaves a moment that passes by itself.

ALTER TABLE app_user ADD COLUMN closing_until BIGINT;
