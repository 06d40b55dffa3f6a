-- Questions to a person, and the answers.
CREATE TABLE approval (
    id        TEXT    NOT NULL PRIMARY KEY,
    call      TEXT    NOT NULL,
    flow      TEXT    NOT NULL,
    principal TEXT    NOT NULL,
    session   TEXT    NOT NULL,
    question  TEXT    NOT NULL,
    asked     INTEGER NOT NULL,
    ends      INTEGER NOT NULL,
    status    TEXT    NOT NULL CHECK (status IN ('PENDING', 'APPROVED', 'DENIED', 'USED')),
    reach     TEXT    NOT NULL CHECK (reach IN ('CALL', 'FLOW')),
    uses      INTEGER NOT NULL
) STRICT;

CREATE INDEX approval_call ON approval (call);
CREATE INDEX approval_flow ON approval (flow) WHERE status = 'APPROVED' AND reach = 'FLOW';
CREATE INDEX approval_ends ON approval (ends);
