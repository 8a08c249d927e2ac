/** What can be done with a run from the list and from its page: stop (asks once), resume, clone; and why something cannot be done now. */
import { create } from 'zustand';
import { useId, useState } from 'react';
import type { RunRow } from '../../../main/contract/window/runs.ts';
import { call, CallError } from '../../api/client.ts';
import { useConnection } from '../../api/connection.ts';
import { Button } from '../../components/button.tsx';
import { Confirm } from '../../components/confirm.tsx';
import { Say } from '../../components/say.tsx';
import { toast } from '../../components/toast.tsx';
import { formatCount } from '../../format/numbers.ts';
import { formatAddress, go } from '../../navigation/address.ts';
import { isAtWork, useRuns } from '../../stores/runs.ts';

type Actable = Pick<
  RunRow,
  'id' | 'name' | 'state' | 'elsewhere' | 'host' | 'canResume' | 'folderGone' | 'phase' | 'steps'
>;

const away = 'not connected to the main process';

/** null: it can be stopped. */
export function whyNotStop(run: Actable, connected: boolean): string | null {
  if (!connected) return away;
  if (!isAtWork(run)) return 'it is not at work';
  if (run.elsewhere) return `it runs on ${run.host ?? 'another host'}: stop it there`;
  return null;
}

export function whyNotResume(run: Actable, connected: boolean): string | null {
  if (!connected) return away;
  if (isAtWork(run)) return 'it is at work';
  if (run.state === 'finished') return 'it is done';
  if (run.folderGone) return 'its folder is gone';
  if (!run.canResume) return 'it has no state to go on from';
  return null;
}

export const useConnected = (): boolean => useConnection((connection) => connection.state === 'up');

export const cloneAddress = (id: string): string => formatAddress(['new'], { from: id });
export const runAddress = (id: string): string => formatAddress(['runs', id]);

/** Runs that are being resumed: pressing twice must not start twice. */
const useBusy = create<{ resuming: ReadonlySet<string> }>(() => ({ resuming: new Set() }));
export const useResuming = (id: string): boolean => useBusy((busy) => busy.resuming.has(id));

export async function resumeRun(id: string): Promise<void> {
  const { resuming } = useBusy.getState();
  if (resuming.has(id)) return;
  useBusy.setState({ resuming: new Set([...resuming, id]) });
  try {
    const { name, warning } = await call('runs.resume', { run: id });
    toast(warning === null ? `${name} goes on` : `${name} goes on. ${warning}`, {
      kind: warning === null ? 'good' : 'warning',
    });
  } catch (fault) {
    const { message, hint } = CallError.from(fault);
    toast(`Not resumed: ${message}${hint === null ? '' : ` ${hint}`}`, { kind: 'bad' });
  } finally {
    useBusy.setState({ resuming: new Set([...useBusy.getState().resuming].filter((each) => each !== id)) });
    useRuns.getState().refresh();
  }
}

export const cloneRun = (id: string): void => go(cloneAddress(id));

/** Asks once, with the consequence. */
export function StopDialog({ run, onClose }: { run: Actable; onClose: () => void }) {
  const [fault, setFault] = useState<CallError | null>(null);
  const [busy, setBusy] = useState(false);
  const words = useId();
  const stop = async (kill: boolean): Promise<void> => {
    if (busy) return;
    setBusy(true);
    setFault(null);
    try {
      await call('runs.stop', { run: run.id, kill });
      toast(kill ? `${run.name} is being ended` : `${run.name} stops after this step`);
      onClose();
    } catch (error) {
      setFault(CallError.from(error));
      setBusy(false);
    }
  };
  const loading = run.state === 'preparing' || run.steps === 0;
  return (
    <Confirm
      title={`Stop ${run.name}?`}
      action="Stop"
      danger
      onConfirm={() => void stop(false)}
      onClose={onClose}
      others={
        <Button kind="text" onPress={() => void stop(true)} title="Ends the process without saving anything more">
          End at once
        </Button>
      }
    >
      <p id={words}>
        {loading
          ? 'It has not done a step yet: it ends, and there is nothing to go on from.'
          : `Checkpoint and resume state at step ${formatCount(run.steps + 1)}, when the step at hand is done; then it ends. It can be resumed from there.`}
      </p>
      <p className="third">End at once saves nothing: what came after the last resume state is lost.</p>
      {fault !== null && (
        <Say kind="bad" title={fault.message} live>
          {fault.hint}
        </Say>
      )}
    </Confirm>
  );
}
