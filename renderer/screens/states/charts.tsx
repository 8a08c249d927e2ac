/** A trace in the states that it can be in. The curves are made for this sheet, by the arithmetic below. */
import { useState, type ReactNode } from 'react';
import type { Series } from '../../../main/contract/window/runs.ts';
import { createCursor } from '../../charts/cursor.ts';
import type { Domain } from '../../charts/domain.ts';
import { Fact, PlotWords, Trace, type TraceMarks, type TraceProps } from '../../charts/trace.tsx';
import { Section } from '../../components/section.tsx';
import { formatLoss } from '../../format/numbers.ts';
import styles from './states-screen.module.css';

const x: Domain = [0, 120];
const noMarks: TraceMarks = { epochs: [], saved: [], replaced: [], unheard: null, failedAt: null };

/** `steps` buckets of one row each, falling from 1 to about 0.3. */
function falling(steps: number, wave = 0.05): Series {
  const at = Array.from({ length: steps }, (_, i) => i);
  const ema = at.map((i) => 0.3 + 0.65 * Math.exp(-i / 22));
  const last = at.map((i) => (ema[i] ?? 0) + wave * Math.sin(i * 1.9));
  return {
    ...{ run: 'states', metric: 'loss:ce', steps, replaced: [] },
    x: Float64Array.from(at, (i) => i + 1),
    step: Int32Array.from(at),
    low: Float32Array.from(last, (value) => value - wave),
    high: Float32Array.from(last, (value) => value + wave),
    last: Float32Array.from(last),
    ema: Float32Array.from(ema),
  };
}

const [whole, part, short] = [falling(110), falling(78), falling(78, 0.02)];
const resumed: Series = {
  ...whole,
  replaced: [{ segment: 0, x: Float64Array.of(40, 45, 50, 55), y: Float32Array.of(0.42, 0.5, 0.44, 0.52) }],
};

interface ChartState extends Partial<TraceProps> {
  says: string;
  curve: Series | null;
  words?: ReactNode;
}

const states: readonly ChartState[] = [
  {
    says: 'before the first step',
    curve: null,
    words: <PlotWords lines={['Loading the base model, 9 s.', 'The first point comes after step 1.']} />,
  },
  { says: 'not measured', name: 'KL', curve: null, words: <PlotWords lines={['No anchor rows: beta is 0.']} /> },
  { says: 'reading finer points', curve: whole, dim: true, facts: <Fact>reading finer points</Fact> },
  {
    says: 'at work, a resume replaced a part',
    curve: resumed,
    marks: { ...noMarks, replaced: [[38, 56]], saved: [38] },
  },
  {
    says: 'last heard 3 min ago',
    ...{ curve: part, dim: true, old: true, marks: { ...noMarks, unheard: 78 } },
    facts: <Fact>no event since 14:46</Fact>,
  },
  { says: 'stopped on a loss that is not finite', curve: short, marks: { ...noMarks, failedAt: 78 } },
  { says: 'folder gone', curve: part, dim: true, facts: <Fact>from the history</Fact> },
  {
    says: 'could not be read',
    curve: null,
    words: <PlotWords bad lines={['events.jsonl, line 8,214: not JSON.', 'Shown up to there.']} />,
  },
];

export function Charts() {
  const [cursor] = useState(createCursor);
  return (
    <Section title="Traces" note="the same part on the run page; what it shows here was made for this sheet">
      <div className={styles.charts}>
        {states.map(({ says, words, ...state }) => (
          <figure key={says}>
            <figcaption className="note third">{says}</figcaption>
            <Trace
              {...{ name: 'CE', unit: 'nats/token', flex: 12, x, marks: noMarks, cursor, format: formatLoss, reach: 1 }}
              {...{ log: false, clip: true, zero: true }}
              {...state}
              message={words}
            />
          </figure>
        ))}
      </div>
    </Section>
  );
}
