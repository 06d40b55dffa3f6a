-- Who let the last of what came into a session in: it knows the texts, and nobody else does.
ALTER TABLE session ADD COLUMN witness TEXT NOT NULL DEFAULT '';
