/** Head of a run's page: what it is, how it stands, and what can be done with it. */
import { useEffect, useRef, useState } from 'react';
import type { RunDetail } from '../../../main/contract/window/runs.ts';
import { useConnection } from '../../api/connection.ts';
import { Button } from '../../components/button.tsx';
import { copyAndSay } from '../../components/copy-text.ts';
import { LinkTo } from '../../components/link-to.tsx';
import { StateMark, stateWord } from '../../components/state-mark.tsx';
import { shortModel } from '../../format/short-model.ts';
import { formatClock, formatDuration } from '../../format/times.ts';
import { formatAddress, go } from '../../navigation/address.ts';
import { isAtWork } from '../../stores/runs.ts';
import { cloneAddress, resumeRun, useConnected, useResuming, whyNotResume, whyNotStop } from '../runs/run-actions.tsx';
import { EditableText } from '../runs/editable-text.tsx';
import styles from './run.module.css';

export function RunHead({ run, onStop }: { run: RunDetail; onStop: () => void }) {
  const connected = useConnected();
  const lostAt = useConnection((connection) => connection.lostAt);
  const resuming = useResuming(run.id);
  const atWork = isAtWork(run);
  const heard =
    !connected && atWork && lostAt !== null
      ? `${stateWord(run.state)} when last heard, ${formatClock(lostAt / 1000, { seconds: true })}`
      : run.elsewhere && atWork && run.lastHeardSeconds !== null
        ? `on ${run.host ?? 'another host'}, last heard ${formatDuration(run.lastHeardSeconds)} ago`
        : undefined;
  return (
    <>
      <span className="third">
        <LinkTo to="/runs" className={styles.crumb}>
          Runs
        </LinkTo>{' '}
        /
      </span>
      <EditableText key={run.name} as="h1" run={run.id} field="name" value={run.name} label="Name of the run" />
      <StateMark
        state={run.state}
        elsewhere={run.elsewhere ? (run.host ?? true) : null}
        text={heard}
        unheard={!connected && atWork}
      />
      <span className={`small second ellipsis ${styles.what}`}>
        {run.recipe} · <span title={run.model.path}>{shortModel(run.model.name, 2)}</span>{' '}
        {run.model.revision !== null && <span className="mono-small third">{run.model.revision.slice(0, 8)}</span>} ·{' '}
        {deviceWords(run)}
      </span>
      <span className="grow" />
      {atWork ? (
        <Button keys="S" onPress={onStop} disabledReason={whyNotStop(run, connected)}>
          Stop
        </Button>
      ) : (
        <Button
          keys="R"
          onPress={() => void resumeRun(run.id)}
          disabledReason={resuming ? 'it is being resumed' : whyNotResume(run, connected)}
        >
          Resume
        </Button>
      )}
      <LinkTo to={cloneAddress(run.id)} as="plain" keys="D">
        Clone
      </LinkTo>
      <LinkTo to={formatAddress(['compare'], { runs: run.id })} as="plain" keys="C">
        Compare
      </LinkTo>
      <More run={run} />
    </>
  );
}

function deviceWords({ device, trainer, host, elsewhere }: RunDetail): string {
  const where = elsewhere && host !== null ? ` on ${host}` : '';
  if (device === null) return `device not known yet${where}`;
  const ranks = trainer !== null && trainer.ranks > 1 ? `${trainer.ranks} × ` : '';
  const threads =
    device.kind === 'cpu' && trainer !== null
      ? `, ${trainer.threads} ${trainer.threads === 1 ? 'thread' : 'threads'}`
      : '';
  const name = device.kind === 'cpu' ? 'CPU' : device.name;
  return `${ranks}${name}${threads}${where}`;
}

/** What is needed seldom: a disclosure whose buttons stand under it. */
function More({ run }: { run: RunDetail }) {
  const [open, setOpen] = useState(false);
  const box = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    if (!open) return;
    const outside = (event: Event): void => {
      if (!(event.target instanceof Node) || !box.current?.contains(event.target)) setOpen(false);
    };
    const escape = (event: KeyboardEvent): void => {
      if (event.key !== 'Escape') return;
      event.preventDefault();
      setOpen(false);
    };
    addEventListener('pointerdown', outside);
    addEventListener('keydown', escape, true);
    return () => {
      removeEventListener('pointerdown', outside);
      removeEventListener('keydown', escape, true);
    };
  }, [open]);
  const act = (what: () => void) => (): void => {
    setOpen(false);
    what();
  };
  return (
    <span ref={box} className={styles.more}>
      <Button kind="text" expanded={open} onPress={() => setOpen(!open)}>
        More
      </Button>
      {open && (
        <div className={styles.menu}>
          <Button kind="text" onPress={act(() => void copyAndSay(run.id, 'the id'))}>
            Copy id
          </Button>
          <Button kind="text" onPress={act(() => void copyAndSay(run.folder, 'the run folder'))}>
            Copy run folder
          </Button>
          <Button kind="text" onPress={act(() => void copyAndSay(run.output, 'the adapter folder'))}>
            Copy adapter folder
          </Button>
          <Button kind="text" onPress={act(() => void copyAndSay(location.href, 'the link'))}>
            Copy link
          </Button>
          <Button kind="text" onPress={act(() => go('/runs'))}>
            All runs
          </Button>
        </div>
      )}
    </span>
  );
}
