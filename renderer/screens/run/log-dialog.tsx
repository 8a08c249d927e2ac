/** All of a run's log: opens at its end, earlier parts are loaded backwards, and a word can be looked for in what is loaded. */
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { call, CallError } from '../../api/client.ts';
import { Button } from '../../components/button.tsx';
import { copyAndSay } from '../../components/copy-text.ts';
import { Dialog } from '../../components/dialog.tsx';
import { Say } from '../../components/say.tsx';
import { TextInput } from '../../components/text-input.tsx';
import { formatBytes } from '../../format/numbers.ts';
import { splitMatches } from './log-search.ts';
import styles from './run-log.module.css';

const part = 200_000;

export function LogDialog({ run, name, onClose }: { run: string; name: string; onClose: () => void }) {
  const [text, setText] = useState('');
  const [range, setRange] = useState<{ from: number; size: number } | null>(null);
  const [fault, setFault] = useState<CallError | null>(null);
  const [busy, setBusy] = useState(false);
  const [word, setWord] = useState('');
  const [at, setAt] = useState(0);
  const box = useRef<HTMLPreElement>(null);
  /** Distance from the end, to be kept while an earlier part is put in front. */
  const fromEnd = useRef(0);

  const load = useCallback(
    async (before: number | null): Promise<void> => {
      setBusy(true);
      try {
        const answer = await call('runs.log', { run, before, bytes: part });
        if (box.current) fromEnd.current = before === null ? 0 : box.current.scrollHeight - box.current.scrollTop;
        setText((now) => (before === null ? answer.text : answer.text + now));
        setRange({ from: answer.from, size: answer.size });
        setFault(null);
      } catch (error) {
        setFault(CallError.from(error));
      }
      setBusy(false);
    },
    [run],
  );
  useEffect(() => {
    let open = true;
    // After the dialog is there: the answer may come in the same tick.
    queueMicrotask(() => {
      if (open) void load(null);
    });
    return () => {
      open = false;
    };
  }, [load]);
  useLayoutEffect(() => {
    if (box.current) box.current.scrollTop = box.current.scrollHeight - fromEnd.current;
  }, [text]);

  const pieces = useMemo(() => splitMatches(text, word), [text, word]);
  const found = (pieces.length - 1) / 2;
  const shown = found === 0 ? 0 : ((at % found) + found) % found;
  useEffect(() => {
    box.current?.querySelector('mark[data-at]')?.scrollIntoView({ block: 'center' });
  }, [shown, word]);
  const earlier = range !== null && range.from > 0;
  return (
    <Dialog
      title={`Log of ${name}`}
      width={1080}
      onClose={onClose}
      actions={
        <>
          <span className="note third">
            {range === null
              ? ''
              : earlier
                ? `last ${formatBytes(range.size - range.from)} of ${formatBytes(range.size)}`
                : formatBytes(range.size)}
          </span>
          <span className="grow" />
          <Button onPress={() => void copyAndSay(text, 'the log as far as it is loaded')}>Copy</Button>
          <Button
            onPress={() => void load(range?.from ?? null)}
            disabledReason={busy ? 'it is being read' : earlier ? null : 'this is the beginning'}
          >
            Load earlier
          </Button>
        </>
      }
    >
      <div className={styles.search}>
        <TextInput
          label="Look for"
          placeholder="Look for"
          type="search"
          width={320}
          value={word}
          autoFocus
          onChange={(next) => {
            setWord(next);
            setAt(-1);
          }}
          onKeyDown={(event) => {
            if (event.key !== 'Enter') return;
            event.preventDefault();
            setAt(at + (event.shiftKey ? -1 : 1));
          }}
        />
        <span className="note third" role="status">
          {word === ''
            ? 'Enter: next, Shift Enter: before'
            : found === 0
              ? `nothing in what is loaded${earlier ? '; load earlier parts' : ''}`
              : `${shown + 1} of ${found}${earlier ? ' in what is loaded' : ''}`}
        </span>
      </div>
      {fault !== null && (
        <Say kind="bad" title={fault.message} live>
          {fault.hint}
        </Say>
      )}
      <pre ref={box} className={`scroll ${styles.all ?? ''}`} tabIndex={0} aria-label="Log">
        {text === '' && range !== null
          ? 'Nothing was written to it.'
          : pieces.map((piece, i) =>
              i % 2 === 0 ? (
                piece
              ) : (
                <mark key={i} data-at={(i - 1) / 2 === shown ? '' : undefined}>
                  {piece}
                </mark>
              ),
            )}
      </pre>
    </Dialog>
  );
}
