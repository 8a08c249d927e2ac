/** The row over charts: what x counts, smoothing, log scale, clipping. */
import { useEffect, useState, type ReactNode, type RefObject } from 'react';
import { Button } from '../components/button.tsx';
import { Segmented } from '../components/segmented.tsx';
import { TextInput } from '../components/text-input.tsx';
import { parseEma, xKinds, type ChartView, type XKind } from './chart-view.ts';

interface ChartToolsProps {
  view: ChartView;
  change: (change: Partial<ChartView>, options?: { push?: boolean }) => void;
  ema: RefObject<HTMLInputElement | null>;
  children?: ReactNode;
}

export function ChartTools({ view, change, ema, children }: ChartToolsProps) {
  const [text, setText] = useState(String(view.ema));
  useEffect(() => setText(String(view.ema)), [view.ema]);
  const value = parseEma(text);
  const apply = (): void => {
    if (value === null) setText(String(view.ema));
    else if (value !== view.ema) change({ ema: value });
  };
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
      <TextInput
        ref={ema}
        label="EMA, exponential mean over optimizer steps, 0 to 0.9999"
        numeric
        width={58}
        value={text}
        state={value === null ? 'error' : 'plain'}
        onChange={setText}
        onEnter={() => {
          apply();
          ema.current?.blur();
        }}
        onBlur={apply}
      />
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
