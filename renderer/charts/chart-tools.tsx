/** The row over charts: what x counts, smoothing, log scale, clipping. */
import { useState, type ReactNode } from 'react';
import { Button } from '../components/button.tsx';
import { Segmented } from '../components/segmented.tsx';
import { TextInput } from '../components/text-input.tsx';
import { parseEma, xKinds, type ChartView, type XKind } from './chart-view.ts';

interface ChartToolsProps {
  view: ChartView;
  change: (change: Partial<ChartView>, options?: { push?: boolean }) => void;
  children?: ReactNode;
}

const fieldId = 'ema-field';

/** Puts the focus into the field of smoothing (key E). */
export const focusEma = (): void => document.querySelector<HTMLInputElement>(`#${fieldId} input`)?.focus();

export function ChartTools({ view, change, children }: ChartToolsProps) {
  const zoomed = view.from !== null || view.to !== null;
  return (
    <>
      <span aria-hidden="true">x</span>
      <Segmented<XKind>
        label="What x counts"
        options={xKinds.map((kind) => ({ value: kind, label: kind }))}
        value={view.x}
        onChange={(x) => change({ x })}
      />
      <span aria-hidden="true">EMA</span>
      <EmaField key={view.ema} ema={view.ema} onChange={(ema) => change({ ema })} />
      <Button small keys="Y" pressed={view.log} onPress={() => change({ log: !view.log })}>
        log y
      </Button>
      <Button small keys="O" pressed={view.clip} onPress={() => change({ clip: !view.clip })}>
        clip outliers
      </Button>
      {children}
      <span className="grow" />
      {zoomed ? (
        <Button small keys="Z" onPress={() => change({ from: null, to: null }, { push: true })}>
          Whole range
        </Button>
      ) : (
        <span className="note third">drag to zoom</span>
      )}
    </>
  );
}

/** Takes effect on Enter and when it is left; what cannot be read goes back to what it was. */
function EmaField({ ema, onChange }: { ema: number; onChange: (ema: number) => void }) {
  const [text, setText] = useState(String(ema));
  const value = parseEma(text);
  const apply = (): void => {
    if (value === null) setText(String(ema));
    else if (value !== ema) onChange(value);
  };
  return (
    <span id={fieldId}>
      <TextInput
        label="EMA, exponential mean over optimizer steps, 0 to 0.9999"
        numeric
        width={58}
        value={text}
        state={value === null ? 'error' : 'plain'}
        onChange={setText}
        onEnter={apply}
        onBlur={apply}
        onKeyDown={(event) => {
          if (event.key === 'Escape') event.currentTarget.blur();
        }}
      />
    </span>
  );
}
