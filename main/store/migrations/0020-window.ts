/**
 * What the window needs beside the first schema: the note that a person wrote about a run (its truth is person.json in the run folder), and the losses of a
 * step, so that a curve of 100,000 steps is read without its visits. `losses`: little-endian float64, two a role of the plan: how many row visits of that
 * role the step had, and the mean of their row means. NULL: taken in before this step; then the visits say it.
 */
export const forWindow = `
ALTER TABLE runs ADD COLUMN note TEXT NOT NULL DEFAULT '';
ALTER TABLE steps ADD COLUMN losses BLOB;
`;
