/**
 * The history of runs. A run has a short integer `run` inside the database; its id is the name of its folder. What a resumed segment replaces stays, with
 * `superseded_by` set to that segment: curves read `superseded_by IS NULL`. A REAL that is NULL was NaN, which SQL has not.
 * `fields` of a visit and per-row figures are little-endian float64 blobs (three a field: sum of -lp, count, exact).
 */
export const initial = `
CREATE TABLE runs (
  run INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  folder TEXT NOT NULL,
  name TEXT NOT NULL,
  recipe TEXT NOT NULL,
  created REAL NOT NULL,
  created_by TEXT,
  output TEXT NOT NULL,
  plan_sha256 TEXT NOT NULL,
  settings TEXT NOT NULL,
  roles TEXT NOT NULL,
  model TEXT NOT NULL,
  ranks INTEGER NOT NULL,
  total_rows INTEGER NOT NULL,
  total_steps INTEGER NOT NULL,
  bad_rows_allowed INTEGER NOT NULL,
  bad_rows_found INTEGER NOT NULL,
  -- How far events.jsonl has been taken in, and what of it decides about the run's state.
  events_offset INTEGER NOT NULL DEFAULT 0,
  unknown_lines INTEGER NOT NULL DEFAULT 0,
  segment INTEGER NOT NULL DEFAULT -1,
  phase TEXT,
  last_time REAL,
  terminal TEXT
) STRICT;

CREATE TABLE segments (
  run INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
  segment INTEGER NOT NULL,
  time REAL NOT NULL,
  from_rows INTEGER NOT NULL,
  from_step INTEGER NOT NULL,
  started TEXT NOT NULL,
  PRIMARY KEY (run, segment)
) STRICT, WITHOUT ROWID;

CREATE TABLE steps (
  run INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
  step INTEGER NOT NULL,
  segment INTEGER NOT NULL,
  superseded_by INTEGER,
  time REAL NOT NULL,
  rows INTEGER NOT NULL,
  epoch INTEGER NOT NULL,
  lr REAL,
  grad_norm REAL,
  tokens INTEGER NOT NULL,
  seconds_forward REAL,
  seconds_backward REAL,
  seconds_reference REAL,
  seconds_optimizer REAL,
  seconds_other REAL,
  gpu_gib REAL,
  PRIMARY KEY (run, step, segment)
) STRICT, WITHOUT ROWID;

CREATE TABLE visits (
  run INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
  ordinal INTEGER NOT NULL,
  segment INTEGER NOT NULL,
  superseded_by INTEGER,
  step INTEGER NOT NULL,
  row INTEGER NOT NULL,
  role INTEGER NOT NULL,
  epoch INTEGER NOT NULL,
  tokens INTEGER NOT NULL,
  targets INTEGER NOT NULL,
  sum REAL,
  weight REAL,
  clamped INTEGER NOT NULL,
  fields BLOB NOT NULL,
  PRIMARY KEY (run, ordinal, segment)
) STRICT, WITHOUT ROWID;

CREATE TABLE evaluations (
  evaluation INTEGER PRIMARY KEY,
  run INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
  segment INTEGER NOT NULL,
  superseded_by INTEGER,
  time REAL NOT NULL,
  set_name TEXT NOT NULL,
  rows INTEGER NOT NULL,
  checkpoint TEXT,
  n INTEGER NOT NULL,
  mean REAL,
  stderr REAL,
  hash TEXT NOT NULL,
  seconds REAL,
  groups TEXT NOT NULL,
  fields TEXT NOT NULL
) STRICT;
CREATE INDEX evaluations_of_run ON evaluations (run, set_name, rows);

CREATE TABLE evaluation_rows (
  evaluation INTEGER NOT NULL REFERENCES evaluations ON DELETE CASCADE,
  -- In the set's order.
  position INTEGER NOT NULL,
  sum REAL,
  count REAL,
  PRIMARY KEY (evaluation, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE checkpoints (
  checkpoint INTEGER PRIMARY KEY,
  run INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
  segment INTEGER NOT NULL,
  superseded_by INTEGER,
  time REAL NOT NULL,
  -- adapter: loads in PEFT and vLLM; resume: the trainer goes on from it.
  kind TEXT NOT NULL CHECK (kind IN ('adapter', 'resume')),
  name TEXT NOT NULL,
  folder TEXT NOT NULL,
  rows INTEGER NOT NULL,
  step INTEGER NOT NULL
) STRICT;
CREATE INDEX checkpoints_of_run ON checkpoints (run, rows);

CREATE TABLE log_records (
  log_record INTEGER PRIMARY KEY,
  run INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
  segment INTEGER NOT NULL,
  superseded_by INTEGER,
  time REAL NOT NULL,
  rows INTEGER NOT NULL,
  record TEXT NOT NULL
) STRICT;
CREATE INDEX log_records_of_run ON log_records (run, rows);

CREATE TABLE warnings (
  warning INTEGER PRIMARY KEY,
  run INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
  segment INTEGER NOT NULL,
  time REAL NOT NULL,
  code TEXT NOT NULL,
  message TEXT NOT NULL
) STRICT;
CREATE INDEX warnings_of_run ON warnings (run);
`;
