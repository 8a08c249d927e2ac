/** The foot: the keys of what is on the screen at the left; main process, host, free disk and clock at the right. */
import { useEffect, useState } from 'react';
import { useConnection } from '../api/connection.ts';
import { Kbd } from '../components/kbd.tsx';
import { formatBytes } from '../format/numbers.ts';
import { formatClock, nowSeconds } from '../format/times.ts';
import { useKeyLayers, type KeyBinding, type KeyLayer } from '../navigation/keys.ts';
import { useAppInfo } from './app-info.ts';
import { useMachine } from './machine.ts';
import styles from './foot.module.css';

/** What acts now, innermost first; a dialog hides what is behind it, and an inner key an outer one of the same name. */
export function activeBindings(layers: readonly KeyLayer[]): KeyBinding[] {
  const modal = layers.findLastIndex((layer) => layer.modal);
  const seen = new Set<string>();
  return layers
    .slice(Math.max(0, modal))
    .toReversed()
    .flatMap((layer) => layer.bindings)
    .filter(({ keys, disabled }) => {
      if (disabled || seen.has(keys)) return false;
      seen.add(keys);
      return true;
    });
}

function Clock() {
  const [now, setNow] = useState(nowSeconds);
  useEffect(() => {
    const timer = setInterval(() => setNow(nowSeconds()), 1000);
    return () => clearInterval(timer);
  }, []);
  return <span>{formatClock(now, { seconds: true })}</span>;
}

const connectionWords = {
  connecting: 'connecting to the main process',
  up: 'main process connected',
  lost: 'main process not connected',
  refused: 'main process refused this window',
} as const;

export function Foot() {
  const layers = useKeyLayers();
  const state = useConnection((connection) => connection.state);
  const info = useAppInfo((app) => app.info);
  const disk = useMachine((machine) => machine.check?.disks[0]);
  const bindings = activeBindings(layers).filter((binding) => !binding.minor);
  const shown = bindings.filter((binding) => binding.keys !== '?');
  const help = bindings.find((binding) => binding.keys === '?');
  return (
    <footer className={styles.foot}>
      <div className={styles.keys}>
        {shown.map((binding) => (
          <Key key={binding.keys} binding={binding} />
        ))}
      </div>
      {help && <Key binding={help} />}
      <div className={styles.right}>
        <span className={state === 'lost' || state === 'refused' ? 'is-bad' : undefined}>{connectionWords[state]}</span>
        {info && <span className={styles.wide}>{info.host}</span>}
        {disk && (
          <span className={styles.wide} title={disk.folder}>
            {disk.name} {formatBytes(disk.freeBytes)} free
          </span>
        )}
        {info && <span className={styles.wide}>v{info.version}</span>}
        <Clock />
      </div>
    </footer>
  );
}

function Key({ binding }: { binding: KeyBinding }) {
  return (
    <span className={styles.key}>
      {binding.shown ? binding.shown.map((keys) => <Kbd key={keys} keys={keys} />) : <Kbd keys={binding.keys} />}
      {binding.label}
    </span>
  );
}
