/**
 * Lines of the runs table as they were last made, for runs that are over: a start with hundreds of runs reads these, not their steps and logs. Made anew whenever
 * `stamp` is another, so it can be emptied at any time.
 */
export const runLines = `
CREATE TABLE run_lines (
  run INTEGER PRIMARY KEY REFERENCES runs ON DELETE CASCADE,
  stamp TEXT NOT NULL,
  line TEXT NOT NULL
) STRICT;
`;
