/** Launching the draft once: what holds it, the request itself, and where the window goes then. */
import { toast } from '../../components/toast.tsx';
import { currentAddress, formatAddress, go } from '../../navigation/address.ts';
import { useDraft } from '../../stores/draft.ts';
import { useLaunchJob } from './job-store.ts';
import type { FormState } from './use-form.ts';

/** Why it cannot be launched now, in words; null: it can. */
export function launchHeld(form: FormState, connected: boolean): string | null {
  const errors = form.problems.filter(({ severity }) => severity === 'error').length;
  if (!connected) return 'The main process cannot be reached';
  if (errors > 0) return `${errors} ${errors === 1 ? 'problem holds' : 'problems hold'} the launch`;
  if (form.checkFault !== null) return form.checkFault.message;
  if (!form.checked) return 'The settings are being checked';
  return form.pool === null ? 'The rows are not read yet' : null;
}

/** A second press while it is prepared does nothing. */
export async function launch(form: FormState): Promise<void> {
  const job = useLaunchJob.getState();
  if (job.running !== null) return;
  const answer = await job.start(JSON.stringify(form.sent), { request: form.sent });
  if (answer === null) return;
  // The next one is not called the same and does not go to the same place.
  useDraft.getState().setRequest({ name: null, output: null });
  if (answer.warning !== null) toast(answer.warning, { kind: 'warning' });
  if (currentAddress().path[0] === 'new') go(formatAddress(['runs', answer.run]));
  else toast(`${answer.name} is launched`);
}
