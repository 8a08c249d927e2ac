// Runs INSIDE Chromium, twice: in the page's own world, and in an isolated world that stands for the preload script's with contextIsolation. The two share
// the document and nothing else; synchronous events with text carry values between them: functions by number, data by copy, as Electron's contextBridge does.
// Bodies only: browser-window.ts puts this text in front of a call.
function whetstoneWorld(own, peer) {
  const functions = new Map();
  const promises = new Map();
  let next = 0;
  const base64 = (bytes) => {
    let text = '';
    for (let at = 0; at < bytes.length; at += 32768) text += String.fromCharCode(...bytes.subarray(at, at + 32768));
    return btoa(text);
  };
  const fire = (name, detail) => document.dispatchEvent(new CustomEvent(name, { detail: JSON.stringify(detail) }));
  const on = (name, take) => document.addEventListener(name, (event) => take(...JSON.parse(event.detail)));
  const messageOf = (error) => String(error?.message ?? error);

  const encode = (value) => {
    if (value === undefined) return { $: 'u' };
    if (typeof value === 'function') {
      functions.set(++next, value);
      return { $: 'f', id: next };
    }
    if (typeof value === 'symbol') throw new TypeError('An object could not be cloned.');
    if (typeof value === 'bigint') return { $: 'n', v: String(value) };
    if (typeof value === 'number' && !Number.isFinite(value)) return { $: 'N', v: String(value) };
    if (value === null || typeof value !== 'object') return value;
    if (typeof value.then === 'function') {
      const id = ++next;
      value.then(
        (result) => fire(`${peer}:settle`, [id, false, encode(result)]),
        (error) => fire(`${peer}:settle`, [id, true, messageOf(error)]),
      );
      return { $: 'p', id };
    }
    if (ArrayBuffer.isView(value)) {
      const bytes = new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
      return { $: 't', c: value.constructor.name, d: base64(bytes) };
    }
    if (value instanceof ArrayBuffer) return { $: 't', c: 'ArrayBuffer', d: base64(new Uint8Array(value)) };
    if (value instanceof Date) return { $: 'd', v: value.getTime() };
    if (value instanceof Error) return { $: 'e', v: value.message };
    if (Array.isArray(value)) return value.map(encode);
    // Prototypes are dropped.
    return { $: 'o', v: Object.fromEntries(Object.entries(value).map(([key, each]) => [key, encode(each)])) };
  };
  const decode = (value) => {
    if (value === null || typeof value !== 'object') return value;
    if (Array.isArray(value)) return value.map(decode);
    switch (value.$) {
      case 'u':
        return undefined;
      case 'n':
        return BigInt(value.v);
      case 'N':
        return Number(value.v);
      case 'd':
        return new Date(value.v);
      case 'e':
        return new Error(value.v);
      case 'f':
        return (...args) => callPeer(value.id, args);
      case 'p':
        return new Promise((resolve, reject) => promises.set(value.id, { resolve, reject }));
      case 't': {
        const bytes = Uint8Array.from(atob(value.d), (character) => character.charCodeAt(0));
        return value.c === 'ArrayBuffer' ? bytes.buffer : new globalThis[value.c](bytes.buffer);
      }
      default:
        return Object.fromEntries(Object.entries(value.v).map(([key, each]) => [key, decode(each)]));
    }
  };
  const callPeer = (id, args) => {
    let answer;
    const take = (event) => (answer = JSON.parse(event.detail));
    document.addEventListener(`${own}:return`, take, { once: true });
    fire(`${peer}:call`, [id, args.map(encode)]);
    if (!answer) throw new Error('electron double: the other world does not answer');
    if (answer[0]) throw new Error(answer[1]);
    return decode(answer[1]);
  };
  const freeze = (value) => {
    if (value && typeof value === 'object' && !ArrayBuffer.isView(value)) {
      Object.values(value).forEach(freeze);
      Object.freeze(value);
    }
    return value;
  };

  on(`${own}:call`, (id, args) => {
    let answer;
    try {
      answer = [false, encode(functions.get(id)(...args.map(decode)))];
    } catch (error) {
      answer = [true, messageOf(error)];
    }
    fire(`${peer}:return`, answer);
  });
  on(`${own}:settle`, (id, failed, value) => {
    const promise = promises.get(id);
    promises.delete(id);
    if (failed) promise?.reject(new Error(value));
    else promise?.resolve(decode(value));
  });
  on(`${own}:expose`, (key, value) => {
    // As Electron does: a second one under the same name is refused.
    if (key in globalThis) throw new Error(`Cannot bind an API on top of an existing property on the window object`);
    Object.defineProperty(globalThis, key, { value: freeze(decode(value)), enumerable: true });
  });
  return { expose: (key, api) => fire(`${peer}:expose`, [key, encode(api)]), encode, decode };
}

function whetstonePreload(run) {
  const world = whetstoneWorld('whetstone-preload', 'whetstone-page');
  const listeners = new Map();
  const waiting = new Map();
  let next = 0;
  const send = (message) => globalThis.whetstoneDoubleSend(JSON.stringify(message));
  // Functions and promises cross between worlds, not between processes.
  const cloned = (value) => {
    const text = JSON.stringify(world.encode(value));
    if (/"\$":"[fp]"/.test(text ?? '')) throw new Error('An object could not be cloned.');
    return JSON.parse(text);
  };
  const strict = (object, name) =>
    new Proxy(object, {
      get(target, key) {
        if (key in target || typeof key === 'symbol' || key === 'then') return target[key];
        throw new Error(`electron double: ${name}.${key} is not implemented`);
      },
    });

  const ipcRenderer = {
    invoke: (channel, ...args) =>
      new Promise((resolve, reject) => {
        const id = ++next;
        waiting.set(id, { channel, resolve, reject });
        send({ kind: 'invoke', id, channel, args: args.map(cloned) });
      }),
    on(channel, listener) {
      if (!listeners.has(channel)) listeners.set(channel, new Set());
      listeners.get(channel).add(listener);
      return ipcRenderer;
    },
    removeListener(channel, listener) {
      listeners.get(channel)?.delete(listener);
      return ipcRenderer;
    },
  };
  globalThis.whetstoneDoubleTake = (message) => {
    if (message.kind === 'push') {
      const args = message.args.map(world.decode);
      for (const listener of [...(listeners.get(message.channel) ?? [])]) listener({ sender: ipcRenderer }, ...args);
      return;
    }
    const call = waiting.get(message.id);
    waiting.delete(message.id);
    if (message.error === undefined) call?.resolve(world.decode(message.value));
    else call?.reject(new Error(`Error invoking remote method '${call.channel}': ${message.error}`));
  };

  const electron = strict(
    {
      contextBridge: strict({ exposeInMainWorld: (key, api) => world.expose(key, api) }, 'contextBridge'),
      ipcRenderer: strict(ipcRenderer, 'ipcRenderer'),
    },
    'electron (in the preload script)',
  );
  // What a sandboxed preload script can require.
  const require = (name) => {
    if (/^electron(\/(renderer|common))?$/.test(name)) return electron;
    throw new Error(`module not found: ${name}`);
  };
  const module = { exports: {} };
  run(require, module, module.exports, {
    platform: 'linux',
    versions: {},
    env: {},
    contextIsolated: true,
    sandboxed: true,
  });
}
