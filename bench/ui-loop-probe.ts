/**
 * Preloaded into `whetstone serve`: how long its event loop was held up at a time. A timer of 5 ms that comes late by so much says it. Over the channel to the bench:
 * `reset` begins anew, `read` answers with the worst delay and every one over 50 ms, in milliseconds.
 */
import { isMainThread } from 'node:worker_threads';

const everyMs = 5;
const notableMs = 50;

if (isMainThread && process.send) {
  let last = performance.now();
  let worst = 0;
  let notable: number[] = [];
  setInterval(() => {
    const now = performance.now();
    const late = now - last - everyMs;
    last = now;
    worst = Math.max(worst, late);
    if (late > notableMs) notable.push(late);
  }, everyMs).unref();
  process.on('message', (message) => {
    if (message === 'read') process.send?.({ worst, notable });
    worst = 0;
    notable = [];
    last = performance.now();
  });
  // Neither keeps the server alive.
  process.channel?.unref();
}
