/** What is said, and marks: states of runs, problems in place, bars, progress, nothing to show, numbers. */
import { runStates } from '../../../main/contract/runs.ts';
import { Band } from '../../components/band.tsx';
import { Button } from '../../components/button.tsx';
import { Empty } from '../../components/empty.tsx';
import { Icon, iconNames } from '../../components/icon.tsx';
import { ProgressBar } from '../../components/progress-bar.tsx';
import { Say } from '../../components/say.tsx';
import { Section } from '../../components/section.tsx';
import { Sparkline } from '../../components/sparkline.tsx';
import { Spinner } from '../../components/spinner.tsx';
import { StateMark } from '../../components/state-mark.tsx';
import { Unit } from '../../components/unit.tsx';
import {
  formatBytes,
  formatCount,
  formatDifference,
  formatGib,
  formatLoss,
  formatLr,
  formatPercent,
  missing,
} from '../../format/numbers.ts';
import { formatAgo, formatDuration } from '../../format/times.ts';
import styles from './states-screen.module.css';

export function RunStates() {
  return (
    <Section title="Run states" note="a mark and a word, never colour alone" padded>
      <div className={styles.thirds}>
        {runStates.map((state) => (
          <StateMark key={state} state={state} />
        ))}
        <StateMark state="running" elsewhere="midas" />
        <StateMark state="running" elsewhere="midas" text="on midas, 12 s" />
      </div>
    </Section>
  );
}

export function SaidInPlace() {
  return (
    <Section title="Said in place" padded>
      <div className={styles.stack}>
        <Say kind="bad" title="lr is not a number: 0.1.2.">
          Write 1e-4 or 0.0001
        </Say>
        <Say kind="warning" title="Adapter of another base">
          (Qwen3.5-9B). Launching asks once more
        </Say>
        <Say kind="info">Kept from the last run of this preset</Say>
        <Say kind="good">Same rows, same masks as pooled-v5</Say>
      </div>
    </Section>
  );
}

export function Bands() {
  return (
    <Section title="Bars on top">
      <Band kind="bad" actions={<Button>Try now</Button>}>
        <b>Window lost the main process 14 s ago</b> (socket closed). Runs do not depend on this window and go on.
      </Band>
      <Band kind="warning">
        <b>The folder of this run is gone.</b> What is shown is from the history
      </Band>
    </Section>
  );
}

const curve = Array.from({ length: 40 }, (_, step) => Math.exp(-step / 9) + 0.08 * Math.sin(step * 1.7));

export function Progress() {
  return (
    <Section title="Progress and curves" padded>
      <div className={styles.stack}>
        <ProgressBar label="running" value={0.62} tone="run" marks={[1 / 3, 2 / 3]} height={5} />
        <ProgressBar label="stopped" value={0.57} />
        <ProgressBar label="failed" value={0.44} tone="bad" />
        <ProgressBar label="without a known end" value={null} />
        <div className={styles.line}>
          <Sparkline values={curve} />
          <Sparkline values={curve.map((value, step) => (step > 12 && step < 18 ? NaN : value))} />
          <Sparkline values={curve} tone="bad" />
          <Sparkline values={[]} />
          <Spinner label="Reading rows, 34 %" />
        </div>
      </div>
    </Section>
  );
}

export function Nothing() {
  return (
    <Section title="Nothing to show">
      <Empty title="No row has these words">Take a word out, or clear the filter.</Empty>
    </Section>
  );
}

export function Numbers() {
  return (
    <Section title="Numbers" note="missing is a dash, zero is 0" padded>
      <div className={styles.thirds}>
        <span>
          {formatLoss(0.35412)} <Unit>nats/token</Unit>
        </span>
        <span>{formatLoss(0.02271)}</span>
        <span>{formatLoss(NaN)}</span>
        <span>{formatCount(25862)} rows</span>
        <span>{formatLr(3.16e-5)}</span>
        <span>{formatDifference(0.0404)}</span>
        <span>{formatGib(44.8)}</span>
        <span>{formatBytes(9.31e9)}</span>
        <span>{formatPercent(0.6203)}</span>
        <span>{formatDuration(73 * 60)}</span>
        <span>{formatDuration(8520)}</span>
        <span>{formatAgo(12)}</span>
        <span>{formatLoss(0)}</span>
        <span>{formatLoss(null)}</span>
        <span className="third">{missing}</span>
      </div>
    </Section>
  );
}

export function Icons() {
  return (
    <Section title="Marks" padded>
      <div className={styles.line}>
        {iconNames.map((name) => (
          <span key={name} className="note second nowrap">
            <Icon name={name} /> {name}
          </span>
        ))}
      </div>
    </Section>
  );
}
