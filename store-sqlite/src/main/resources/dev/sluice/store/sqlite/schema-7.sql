-- Before each decision it is asked what else a principal has open.
CREATE INDEX session_live_principal ON session (principal) WHERE ended IS NULL;
