-- What can be used once and was, until it could not be used anyhow.
CREATE TABLE spent (
    nonce TEXT    NOT NULL PRIMARY KEY,
    ends  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX spent_ends ON spent (ends);

-- One row once it is needed: by this it is known again what was given away to be brought back.
CREATE TABLE secret (
    one   INTEGER NOT NULL PRIMARY KEY CHECK (one = 1),
    value TEXT    NOT NULL
) STRICT;
