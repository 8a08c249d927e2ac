/** Runs, before there is one: what to press now, and whether this machine is ready. */
import type { ReactNode } from 'react';
import { Button } from '../../components/button.tsx';
import { LinkTo } from '../../components/link-to.tsx';
import { ProgressBar } from '../../components/progress-bar.tsx';
import { Say } from '../../components/say.tsx';
import { Spinner } from '../../components/spinner.tsx';
import { formatClock, formatDuration } from '../../format/times.ts';
import { useKeys } from '../../navigation/keys.ts';
import { useWindowTitle } from '../../navigation/window-title.ts';
import { useAppInfo } from '../../shell/app-info.ts';
import { useMachine } from '../../shell/machine.ts';
import { useNeedsMain } from '../../shell/needs-main.ts';
import { CheckList } from '../machine/check-list.tsx';
import { useDemo } from './demo.ts';
import styles from './first-start.module.css';

export function FirstStart() {
  useWindowTitle('Runs');
  const info = useAppInfo((app) => app.info);
  const demo = useDemo();
  const unreachable = useNeedsMain();
  const off =
    unreachable ??
    (info && !info.demo ? 'the demo is not in this copy of Whetstone: its model and rows are missing' : undefined);
  const launching = demo.state === 'launching';
  useKeys('Runs', [
    { keys: 'Enter', label: 'run the demo', run: demo.launch, disabled: launching || off !== undefined },
  ]);
  return (
    <div className={styles.page}>
      <div>
        <h1 tabIndex={-1}>No runs yet</h1>
        <p className={styles.lead}>
          Every run that is launched here or on the command line is listed here, with its curves and its rows.
        </p>
        <Way
          title="Run the demo"
          action={
            launching ? (
              <Button onPress={demo.cancel}>Cancel</Button>
            ) : (
              <Button kind="primary" keys="Enter" onPress={demo.launch} disabledReason={off} autoFocus>
                Run the demo
              </Button>
            )
          }
        >
          A tiny model learns a few rows of the real format on the CPU, in about a minute. Nothing is downloaded.
          {launching && (
            <div className={styles.progress} role="status">
              <ProgressBar label="Launching the demo" value={demo.share} tone="run" />
              <span>{demo.stage}</span>
            </div>
          )}
          {demo.state === 'failed' && demo.error && (
            <div className={styles.progress}>
              <Say kind="bad" title={`The demo was not launched: ${demo.error.message}`} live>
                {demo.error.hint}
              </Say>
            </div>
          )}
          {off !== undefined && info && !info.demo && (
            <div className={styles.progress}>
              <Say kind="warning" title="The demo is not in this copy of Whetstone.">
                Its model and rows are missing
              </Say>
            </div>
          )}
        </Way>
        <Way
          title="New run"
          action={
            <LinkTo to="/new" as="plain" keys="N">
              New run
            </LinkTo>
          }
        >
          Choose a model and rows folders, or paste a command of a Python trainer: it fills the form.
        </Way>
        <p className={styles.without}>
          Without this window: <span className="mono">whetstone run webmix --adapter pooled --rows-dir …</span> trains
          all the same, and its run appears here.
        </p>
      </div>
      <ThisMachine />
    </div>
  );
}

function Way({ title, action, children }: { title: string; action: ReactNode; children: ReactNode }) {
  return (
    <section className={styles.way}>
      <div>
        <h2>{title}</h2>
        <div className={styles.words}>{children}</div>
      </div>
      <div>{action}</div>
    </section>
  );
}

function ThisMachine() {
  const { check, error, loading } = useMachine();
  const hasGpu = check?.devices.some((device) => device.id.startsWith('cuda')) ?? true;
  return (
    <section>
      <h2 className={styles.machine}>
        This machine{' '}
        {check && (
          <span className="third">
            checked at {formatClock(check.time)}, {formatDuration(check.seconds)}
          </span>
        )}
      </h2>
      {check && <CheckList items={check.items} />}
      {!check && loading && <Spinner label="Checking this machine" />}
      {error && (
        <Say kind="bad" title={`The check failed: ${error.message}`}>
          {error.hint}
        </Say>
      )}
      <p className={styles.without}>
        {check && !hasGpu && 'No GPU was found: the demo works without one. '}
        <LinkTo to="/machine">Machine</LinkTo> has devices and disks.
      </p>
    </section>
  );
}
