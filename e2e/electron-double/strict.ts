/** What the double has not got must not pass unnoticed: a permissive double would let the app drift away from the real Electron. */

// Looked at by await, JSON and Node's own inspection.
const harmless = new Set(['then', 'toJSON', 'constructor', 'inspect', 'nodeType', 'asymmetricMatch']);

/** `object`, whose missing members throw. `name` is how the message calls it. */
export function strict<T extends object>(object: T, name: string): T {
  return new Proxy(object, {
    get(target, key, receiver): unknown {
      if (key in target || typeof key === 'symbol' || harmless.has(key)) return Reflect.get(target, key, receiver);
      throw new Error(`electron double: ${name}.${key} is not implemented`);
    },
  });
}
