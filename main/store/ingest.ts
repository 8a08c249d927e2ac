/**
 * Takes events into the database. A batch and the byte offset that follows it are one transaction: after a crash in between, neither is there and the
 * batch is read again, so every event counts exactly once however often we are killed.
 */
import { assertNever } from '../contract/errors.ts';
import { logRecord, type EventOf, type RunEvent, type Visit } from '../contract/events.ts';
import type { WriteDb } from './database.ts';
import { lossesOf } from './losses.ts';

export interface IngestBatch {
  events: readonly RunEvent[];
  /** Lines that are no event we know. */
  unknown: number;
  /** Where the next batch starts in events.jsonl. */
  offset: number;
}

const real = (value: number): number | null => (Number.isNaN(value) ? null : value);

function fieldBlob(visit: Visit): Buffer {
  const out = Buffer.alloc(visit.f.length * 24);
  let at = 0;
  for (const triple of visit.f) for (const value of triple) at = out.writeDoubleLE(value, at);
  return out;
}

/** One batch of a run. `startOffset` is where the batch was read from: a batch that was taken in already is not taken in again. */
export function ingest(db: WriteDb, run: number, startOffset: number, batch: IngestBatch): void {
  const { sqlite } = db;
  const prepared = statements(db);
  sqlite
    .transaction(() => {
      const known = prepared.position.get(run) as { events_offset: number; segment: number } | undefined;
      if (!known) throw new Error(`there is no run ${run} to take events into`);
      if (known.events_offset !== startOffset) return;
      const state = { run, segment: known.segment };
      for (const event of batch.events) take(prepared, state, event);
      const last = batch.events.at(-1);
      prepared.advance.run(batch.offset, batch.unknown, last?.time ?? null, run);
    })
    .immediate();
}

type Statements = ReturnType<typeof prepare>;

function take(prepared: Statements, state: { run: number; segment: number }, event: RunEvent): void {
  const { run } = state;
  switch (event.kind) {
    case 'started':
      state.segment = event.segment;
      begin(prepared, run, event);
      return;
    case 'phase':
      prepared.phase.run(event.name, run);
      return;
    case 'step':
      takeStep(prepared, run, state.segment, event);
      return;
    case 'log': {
      const record = logRecord(event);
      const rows = typeof record['rows'] === 'number' ? record['rows'] : 0;
      prepared.log.run(run, state.segment, event.time, rows, JSON.stringify(record));
      return;
    }
    case 'evaluation':
      takeEvaluation(prepared, run, state.segment, event);
      return;
    case 'checkpoint':
      prepared.checkpoint.run(
        run,
        state.segment,
        event.time,
        'adapter',
        event.name,
        event.folder,
        event.rows,
        event.step,
      );
      return;
    case 'resume_state':
      prepared.checkpoint.run(
        run,
        state.segment,
        event.time,
        'resume',
        String(event.rows),
        event.folder,
        event.rows,
        event.step,
      );
      return;
    case 'warning':
      prepared.warning.run(run, state.segment, event.time, event.code, event.message);
      return;
    case 'finished':
    case 'stopped':
    case 'failed':
      prepared.terminal.run(JSON.stringify(event), run);
      return;
    default:
      assertNever(event);
  }
}

/** A segment that goes on from `from_rows` replaces what earlier ones did beyond it. What was done AT that point counts until it is done again. */
function begin(prepared: Statements, run: number, event: EventOf<'started'>): void {
  const { segment, from_rows: rows, from_step: step } = event;
  prepared.segment.run(run, segment, event.time, rows, step, JSON.stringify(event));
  prepared.current.run(segment, run);
  prepared.supersedeSteps.run(segment, run, step, segment);
  prepared.supersedeVisits.run(segment, run, rows, segment);
  for (const statement of prepared.supersedeBeyond) statement.run(segment, run, rows, segment);
}

function takeStep(prepared: Statements, run: number, segment: number, event: EventOf<'step'>): void {
  const { seconds } = event;
  prepared.step.run(
    ...[
      run,
      event.step,
      segment,
      event.time,
      event.rows,
      event.epoch,
      real(event.lr),
      real(event.grad_norm),
      event.tokens,
    ],
    ...[seconds.forward, seconds.backward, seconds.reference, seconds.optimizer, seconds.other].map(real),
    real(event.gpu_gib),
    lossesOf(event.visits),
  );
  for (const visit of event.visits)
    prepared.visit.run(
      ...[run, visit.o, segment, event.step, visit.r, visit.role, visit.e, visit.t, visit.n],
      ...[real(visit.sum), real(visit.w), visit.clamped, fieldBlob(visit)],
    );
}

function takeEvaluation(prepared: Statements, run: number, segment: number, event: EventOf<'evaluation'>): void {
  prepared.supersedeEvaluation.run(segment, run, event.set, event.rows, segment);
  const { lastInsertRowid } = prepared.evaluation.run(
    ...[
      run,
      segment,
      event.time,
      event.set,
      event.rows,
      event.checkpoint,
      event.n,
      real(event.mean),
      real(event.stderr),
    ],
    ...[event.hash, real(event.seconds), JSON.stringify(event.groups), JSON.stringify(event.fields)],
  );
  event.sums.forEach((sum, position) => {
    prepared.evaluationRow.run(lastInsertRowid, position, real(sum), real(event.counts[position] ?? Number.NaN));
  });
}

const cache = new WeakMap<object, Statements>();

function statements(db: WriteDb): Statements {
  let known = cache.get(db.sqlite);
  if (!known) cache.set(db.sqlite, (known = prepare(db)));
  return known;
}

function prepare({ sqlite }: WriteDb) {
  const sql = (text: string) => sqlite.prepare(text);
  const marks = (count: number): string => Array.from({ length: count }, () => '?').join(', ');
  return {
    position: sql('SELECT events_offset, segment FROM runs WHERE run = ?'),
    advance: sql(
      'UPDATE runs SET events_offset = ?, unknown_lines = unknown_lines + ?, last_time = coalesce(?, last_time) WHERE run = ?',
    ),
    phase: sql('UPDATE runs SET phase = ? WHERE run = ?'),
    terminal: sql('UPDATE runs SET terminal = ? WHERE run = ?'),
    current: sql('UPDATE runs SET segment = ?, phase = NULL, terminal = NULL WHERE run = ?'),
    segment: sql(
      `INSERT OR REPLACE INTO segments (run, segment, time, from_rows, from_step, started) VALUES (${marks(6)})`,
    ),
    step: sql(
      `INSERT OR REPLACE INTO steps (run, step, segment, time, rows, epoch, lr, grad_norm, tokens, seconds_forward, seconds_backward,
       seconds_reference, seconds_optimizer, seconds_other, gpu_gib, losses) VALUES (${marks(16)})`,
    ),
    visit: sql(
      `INSERT OR REPLACE INTO visits (run, ordinal, segment, step, row, role, epoch, tokens, targets, sum, weight, clamped, fields)
       VALUES (${marks(13)})`,
    ),
    evaluation: sql(
      `INSERT INTO evaluations (run, segment, time, set_name, rows, checkpoint, n, mean, stderr, hash, seconds, groups, fields)
       VALUES (${marks(13)})`,
    ),
    evaluationRow: sql(`INSERT INTO evaluation_rows (evaluation, position, sum, count) VALUES (${marks(4)})`),
    checkpoint: sql(
      `INSERT INTO checkpoints (run, segment, time, kind, name, folder, rows, step) VALUES (${marks(8)})`,
    ),
    log: sql(`INSERT INTO log_records (run, segment, time, rows, record) VALUES (${marks(5)})`),
    warning: sql(`INSERT INTO warnings (run, segment, time, code, message) VALUES (${marks(5)})`),
    supersedeSteps: sql(
      'UPDATE steps SET superseded_by = ? WHERE run = ? AND step >= ? AND segment < ? AND superseded_by IS NULL',
    ),
    supersedeVisits: sql(
      'UPDATE visits SET superseded_by = ? WHERE run = ? AND ordinal >= ? AND segment < ? AND superseded_by IS NULL',
    ),
    supersedeBeyond: ['evaluations', 'checkpoints', 'log_records'].map((table) =>
      sql(`UPDATE ${table} SET superseded_by = ? WHERE run = ? AND rows > ? AND segment < ? AND superseded_by IS NULL`),
    ),
    supersedeEvaluation: sql(
      'UPDATE evaluations SET superseded_by = ? WHERE run = ? AND set_name = ? AND rows = ? AND segment < ? AND superseded_by IS NULL',
    ),
  };
}
