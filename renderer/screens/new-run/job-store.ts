/**
 * A long request of this screen: started, followed, cancelled. Lives outside the screen, so that leaving it neither ends a launch nor loses a census that took
 * minutes. Every answer and fault carries the key of what was asked, so that an old one is never taken for a new one.
 */
import { create } from 'zustand';
import type { RequestAnswer, RequestInput } from '../../../main/contract/window/requests.ts';
import { call, CallError, onPush } from '../../api/client.ts';
import type { Fault } from './problems.ts';

type JobName = 'draft.pool' | 'draft.census' | 'draft.try' | 'draft.launch';

export interface JobProgress {
  stage: string;
  done: number;
  /** 0: unknown. */
  of: number;
}

export interface JobStore<Name extends JobName> {
  /** What is asked now; null: nothing runs. */
  running: string | null;
  /** Milliseconds since 1970 when it was asked. */
  since: number;
  progress: JobProgress | null;
  answer: RequestAnswer<Name> | null;
  answerKey: string | null;
  fault: Fault | null;
  faultKey: string | null;
  /** Asks anew; what ran before is cancelled. null: it failed, was cancelled, or was overtaken. */
  start: (key: string, input: Omit<RequestInput<Name>, 'job'>) => Promise<RequestAnswer<Name> | null>;
  cancel: () => void;
  forget: () => void;
}

let count = 0;

/**
 * @param waitsForEnd cancelling only asks for it, and what comes counts: an answer that was under way already (a run that was started) is never dropped.
 */
export function createJobStore<Name extends JobName>(name: Name, waitsForEnd = false) {
  let job: string | null = null;
  return create<JobStore<Name>>((set) => {
    const end = (): void => {
      if (job !== null) call('job.cancel', { job }).catch(() => undefined);
      job = null;
    };
    return {
      running: null,
      since: 0,
      progress: null,
      answer: null,
      answerKey: null,
      fault: null,
      faultKey: null,
      async start(key, input) {
        end();
        const own = `${name}-${Date.now().toString(36)}-${++count}`;
        job = own;
        set({ running: key, since: Date.now(), progress: null, fault: null, faultKey: null });
        const off = onPush('job.progress', (progress) => {
          if (progress.job === own && job === own) set({ progress });
        });
        try {
          const answer = await call(name, { ...input, job: own } as RequestInput<Name>);
          if (job !== own) return null;
          set({ answer, answerKey: key, running: null, progress: null });
          job = null;
          return answer;
        } catch (error) {
          if (job !== own) return null;
          const { code, message, hint } = CallError.from(error);
          set({ fault: { code, message, hint }, faultKey: key, running: null, progress: null });
          job = null;
          return null;
        } finally {
          off();
        }
      },
      cancel() {
        if (job === null) return;
        if (waitsForEnd) {
          call('job.cancel', { job }).catch(() => undefined);
          set({ progress: { stage: 'cancelling', done: 0, of: 0 } });
          return;
        }
        end();
        set((state) => ({
          running: null,
          progress: null,
          fault: { code: 'cancelled', message: 'cancelled', hint: null },
          faultKey: state.running,
        }));
      },
      forget() {
        end();
        set({ running: null, progress: null, answer: null, answerKey: null, fault: null, faultKey: null });
      },
    };
  });
}

export const usePoolJob = createJobStore('draft.pool');
export const useCensusJob = createJobStore('draft.census');
export const useTryJob = createJobStore('draft.try');
export const useLaunchJob = createJobStore('draft.launch', true);
