/**
 * Runs inside the page, before anything of its own: keeps the times of what the window asks, is answered and draws. All times are milliseconds since 1970, so that they
 * compare with those of events. It only listens: nothing is asked, answered or drawn otherwise than without it.
 */
(() => {
  const now = () => performance.timeOrigin + performance.now();
  const bench = {
    /** First of each: { request name: { sent, answered } }. */
    calls: {},
    /** When the runs table had so many rows in a frame. */
    rowsAt: null,
    rowsWanted: Infinity,
    keyAt: null,
    /** Frames in which a canvas looked otherwise than before: { at, x, ink }. `x` is the end of the curves that had been answered when it was painted. */
    drawn: [],
    watchCanvases: true,
    longTasks: [],
  };
  bench.times = () => ({ calls: bench.calls, rowsAt: bench.rowsAt, keyAt: bench.keyAt });
  globalThis.whetstoneBench = bench;

  let end = null;
  const asked = new Map();
  const head = (data) => {
    if (!(data instanceof ArrayBuffer || ArrayBuffer.isView(data))) return null;
    const bytes =
      data instanceof ArrayBuffer
        ? new Uint8Array(data)
        : new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
    const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
    return JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length)));
  };
  globalThis.WebSocket = class extends WebSocket {
    constructor(...args) {
      super(...args);
      this.addEventListener('message', ({ data }) => {
        const message = head(data);
        const call = asked.get(message?.id);
        if (call) {
          call.answered ??= now();
          asked.delete(message.id);
        }
        const x = message?.reply?.value?.ends?.[0]?.x;
        if (typeof x === 'number') end = x;
      });
    }
    send(data) {
      const message = head(data);
      if (typeof message?.name === 'string' && !bench.calls[message.name]) {
        bench.calls[message.name] = { sent: now(), answered: null };
        asked.set(message.id, bench.calls[message.name]);
      }
      super.send(data);
    }
  };

  const painted = new Map();
  const looks = new WeakMap();
  const { clearRect } = CanvasRenderingContext2D.prototype;
  CanvasRenderingContext2D.prototype.clearRect = function (...args) {
    if (bench.watchCanvases) painted.set(this.canvas, end);
    return clearRect.apply(this, args);
  };
  /** Opaque pixels, and a number that is another when the picture is. */
  const look = (canvas) => {
    if (canvas.width === 0 || canvas.height === 0) return { ink: 0, hash: 0 };
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    const words = new Uint32Array(data.buffer);
    let ink = 0;
    let hash = 0;
    for (let at = 0; at < words.length; at += 1)
      if (words[at] !== 0) {
        ink += 1;
        hash = (Math.imul(hash, 31) + words[at] + at) | 0;
      }
    return { ink, hash };
  };
  /** Pixels with ink on each canvas of the page. */
  bench.ink = () => [...document.querySelectorAll('main canvas')].map((canvas) => look(canvas).ink);

  const waiters = new Set();
  /** Resolves in the first frame in which it holds. */
  bench.when = (holds) => new Promise((resolve) => waiters.add({ holds, resolve }));

  const frame = () => {
    const at = now();
    if (bench.rowsAt === null && document.querySelectorAll('tr[data-run]').length >= bench.rowsWanted)
      bench.rowsAt = at;
    if (bench.rowsAt !== null && bench.keyAt === null && document.querySelector('tr[data-run][aria-current]'))
      bench.keyAt = at;
    if (painted.size > 0) {
      let ink = 0;
      let other = false;
      let x = -Infinity;
      for (const [canvas, endThen] of painted) {
        const seen = look(canvas);
        ink += seen.ink;
        other ||= looks.get(canvas) !== seen.hash;
        looks.set(canvas, seen.hash);
        x = Math.max(x, endThen ?? -Infinity);
      }
      painted.clear();
      if (other && ink > 0) bench.drawn.push({ at, x, ink });
    }
    for (const waiting of [...waiters])
      if (waiting.holds()) {
        waiters.delete(waiting);
        waiting.resolve();
      }
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);

  new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries())
      bench.longTasks.push({ at: performance.timeOrigin + startTime, ms: duration });
  }).observe({ type: 'longtask', buffered: true });

  /** Times of the frames of so many milliseconds. `move` takes the cursor over the charts meanwhile, a step a frame. */
  bench.frames = (ms, move) =>
    new Promise((resolve) => {
      bench.watchCanvases = false;
      const field = document.querySelector('[role="slider"]');
      const box = field?.getBoundingClientRect();
      const times = [];
      const tick = (time) => {
        times.push(time);
        if (move && box) {
          const phase = ((time - times[0]) / 2500) % 2;
          const clientX = box.left + 2 + (box.width - 4) * (phase < 1 ? phase : 2 - phase);
          field.dispatchEvent(new PointerEvent('pointermove', { bubbles: true, clientX, clientY: box.top + 50 }));
        }
        if (time - times[0] < ms) requestAnimationFrame(tick);
        else {
          bench.watchCanvases = true;
          resolve({ times, cursor: field?.getAttribute('aria-valuetext') ?? null });
        }
      };
      requestAnimationFrame(tick);
    });
})();
