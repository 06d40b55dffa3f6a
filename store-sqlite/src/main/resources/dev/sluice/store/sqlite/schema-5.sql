-- How far each session is in sequences of calls.

CREATE TABLE sequence (
    session   TEXT    NOT NULL,
    automaton TEXT    NOT NULL,
    state     INTEGER NOT NULL,
    PRIMARY KEY (session, automaton)
) STRICT, WITHOUT ROWID;
