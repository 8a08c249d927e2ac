/** The end of a run's log, live, held at its last line. */
import { useLayoutEffect, useRef } from 'react';
import type { LogPart, RunDetail } from '../../../main/contract/window/runs.ts';
import { call } from '../../api/client.ts';
import { Button } from '../../components/button.tsx';
import { classes } from '../../components/classes.ts';
import { Section } from '../../components/section.tsx';
import { formatBytes } from '../../format/numbers.ts';
import { useLive } from '../../stores/use-live.ts';
import { lastLines, shortLine } from './last-lines.ts';
import styles from './run-log.module.css';

interface LogTailProps {
  run: Pick<RunDetail, 'id' | 'folderGone'>;
  /** The last so many, where the height is not given from outside. */
  lines?: number;
  onLog: () => void;
  /** Under another heading. */
  inside?: boolean;
}

const bytes = 16_384;

export function LogTail({ run, lines, onLog, inside = false }: LogTailProps) {
  const { answer, error } = useLive<LogPart>({
    key: run.id,
    pull: () => call('runs.log', { run: run.id, before: null, bytes }),
    runs: [run.id],
    every: 500,
  });
  const box = useRef<HTMLPreElement>(null);
  const held = useRef(true);
  const text = answer === null ? '' : lines === undefined ? answer.text : lastLines(answer.text, lines);
  useLayoutEffect(() => {
    if (box.current && held.current) box.current.scrollTop = box.current.scrollHeight;
  }, [text]);
  const body =
    error !== null && answer === null ? (
      <p className={classes('small third', styles.none)}>
        {run.folderGone ? 'The log went with the folder.' : `${error.message}. ${error.hint ?? ''}`}
      </p>
    ) : text === '' ? (
      <p className={classes('small third', styles.none)}>
        {answer === null ? 'Reading the log' : 'Nothing was written to it yet.'}
      </p>
    ) : (
      <pre
        ref={box}
        className={classes('scroll', styles.tail, lines !== undefined && styles.short)}
        tabIndex={0}
        aria-label="End of the log"
        onScroll={(event) => {
          const { scrollTop, scrollHeight, clientHeight } = event.currentTarget;
          held.current = scrollHeight - scrollTop - clientHeight < 24;
        }}
      >
        {text.split('\n').map((line, at) => (
          <span key={at} className={styles.line}>
            {shortLine(line)}
            {'\n'}
          </span>
        ))}
      </pre>
    );
  if (inside) return body;
  return (
    <Section
      title="Log"
      note={answer === null ? undefined : formatBytes(answer.size)}
      noLine
      className={styles.section}
      actions={
        <Button kind="text" small keys="L" onPress={onLog}>
          All
        </Button>
      }
    >
      {body}
    </Section>
  );
}
