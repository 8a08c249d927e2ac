/** Launching the demo: what it would train comes from the main process, then it is launched as any run is. */
import { useRef, useState } from 'react';
import { CallError } from '../../api/call-error.ts';
import { call } from '../../api/client.ts';
import { usePush } from '../../api/use-push.ts';
import { currentAddress, formatAddress, go } from '../../navigation/address.ts';

export interface DemoLaunch {
  state: 'idle' | 'launching' | 'failed';
  stage: string;
  /** 0 to 1; null: unknown. */
  share: number | null;
  error: CallError | null;
  launch: () => void;
  cancel: () => void;
}

export function useDemo(): DemoLaunch {
  const [state, setState] = useState<Pick<DemoLaunch, 'state' | 'stage' | 'share' | 'error'>>({
    state: 'idle',
    stage: '',
    share: null,
    error: null,
  });
  const job = useRef('');
  usePush('job.progress', (progress) => {
    if (progress.job === job.current)
      setState((before) => ({
        ...before,
        stage: progress.stage,
        share: progress.of > 0 ? progress.done / progress.of : null,
      }));
  });

  const launch = async (): Promise<void> => {
    job.current = crypto.randomUUID();
    setState({ state: 'launching', stage: 'preparing', share: null, error: null });
    try {
      const request = await call('draft.demo', {});
      const { run } = await call('draft.launch', { job: job.current, request });
      // By now the list has a run and has taken this screen's place; only a person who has gone elsewhere is left alone.
      if ((currentAddress().path[0] ?? 'runs') === 'runs') go(formatAddress(['runs', run]));
    } catch (fault) {
      const error = CallError.from(fault);
      setState({ state: error.code === 'cancelled' ? 'idle' : 'failed', stage: '', share: null, error });
    }
  };

  return {
    ...state,
    launch: () => void launch(),
    cancel: () => void call('job.cancel', { job: job.current }).catch(() => undefined),
  };
}
