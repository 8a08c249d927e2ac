/**
 * The state of a run, from its last events and from whether its process is still the one that was started. Neither alone is enough: a file that ends
 * without a last word looks the same for a run at work and for one that was killed, and a living process may be somebody else's.
 */
import { statSync } from 'node:fs';
import { isTerminal, type EventOf, type TerminalEvent } from '../contract/events.ts';
import type { Launch, ProcessIdentity, RunStatus } from '../contract/runs.ts';
import type { EventBatch } from './event-tailer.ts';
import { readAllEvents } from './event-tailer.ts';
import { hostName, liveness, type Liveness } from './process-identity.ts';
import { eventsFile, readRunFile, stopFile } from './run-folder.ts';

/** What of the events decides about the state; kept up while events come. */
export interface StatusFacts {
  started: EventOf<'started'> | null;
  phase: string | null;
  /** Last word of the current segment, or null while it has not been said. */
  terminal: TerminalEvent | null;
  /** Time of the last event, seconds since 1970. */
  lastTime: number | null;
}

export const noFacts: StatusFacts = { started: null, phase: null, terminal: null, lastTime: null };

export function addFacts(facts: StatusFacts, batch: EventBatch): StatusFacts {
  const out = { ...facts };
  for (const event of batch.events) {
    out.lastTime = event.time;
    if (event.kind === 'started') Object.assign(out, { started: event, phase: null, terminal: null });
    else if (event.kind === 'phase') out.phase = event.name;
    else if (isTerminal(event)) out.terminal = event;
  }
  return out;
}

export function identityOf(started: EventOf<'started'>): ProcessIdentity {
  const { host, boot_id: bootId, pid, process_start: processStart } = started;
  return { host, bootId, pid, processStart };
}

function isSameProcess(one: ProcessIdentity, other: ProcessIdentity): boolean {
  return one.pid === other.pid && one.processStart === other.processStart && one.host === other.host;
}

export interface StatusInput {
  facts: StatusFacts;
  /** Last start by Whetstone, where there was one. */
  launch: Launch | null;
  /** Time of the last wish to stop, seconds since 1970. */
  stopAsked: number | null;
  /** Seconds since 1970. */
  now: number;
  alive?: (identity: ProcessIdentity) => Liveness;
}

export function deriveStatus({ facts, launch, stopAsked, now, alive = liveness }: StatusInput): RunStatus {
  // A launch that has not said its first word yet: what the events say is about the segment before.
  const { started, terminal: lastWord } = facts;
  const silent =
    launch !== null &&
    !(started !== null && launch.process !== null && isSameProcess(identityOf(started), launch.process)) &&
    launch.time > Math.max(started?.time ?? 0, lastWord?.time ?? 0);
  const identity = silent ? launch.process : facts.started ? identityOf(facts.started) : (launch?.process ?? null);
  const heard = silent ? launch.time : facts.lastTime;
  const base = {
    phase: null,
    elsewhere: identity !== null && identity.host !== hostName(),
    host: identity?.host ?? null,
    lastHeardSeconds: heard === null ? null : Math.max(0, now - heard),
    failure: null,
  };
  if (!silent && facts.terminal) {
    const { terminal } = facts;
    if (terminal.kind !== 'failed') return { ...base, state: terminal.kind };
    const { code, message, hint } = terminal;
    return { ...base, state: 'failed', failure: { code, message, hint } };
  }
  // Made, but not started (or started by hand, without a word so far).
  if (!identity) return { ...base, state: 'preparing' };
  const since = launch?.time ?? facts.started?.time ?? 0;
  const asked = stopAsked !== null && stopAsked >= since;
  // Gone without a last word: killed by somebody, unless we were asked to end it.
  if (alive(identity) === 'gone') return { ...base, state: asked ? 'stopped' : 'lost' };
  if (asked) return { ...base, state: 'stopping', phase: facts.phase };
  return silent || !facts.started ? { ...base, state: 'preparing' } : { ...base, state: 'running', phase: facts.phase };
}

/** Time of the last wish to stop that lies in the run folder. */
export function stopAskedAt(folder: string): number | null {
  try {
    return statSync(stopFile(folder)).mtimeMs / 1000;
  } catch {
    return null;
  }
}

/** State of the run in `folder`, from its files alone. Reads all its events; where they are in the database already, give `facts`. */
export function readStatus(folder: string, facts?: StatusFacts): RunStatus {
  let known = facts ?? noFacts;
  if (!facts) for (const batch of readAllEvents(eventsFile(folder))) known = addFacts(known, batch);
  return deriveStatus({
    facts: known,
    launch: readRunFile(folder)?.launches.at(-1) ?? null,
    stopAsked: stopAskedAt(folder),
    now: Date.now() / 1000,
  });
}

export const isOver = (state: RunStatus['state']): boolean =>
  state === 'finished' || state === 'stopped' || state === 'failed' || state === 'lost';
