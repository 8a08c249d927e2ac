/**
 * One way in for every transport: looks the request up, parses its input, runs its handler, and puts answer or fault into an envelope. What is not in the
 * contract is refused here, so a transport cannot let more through than another.
 */
import { AppError } from '../contract/errors.ts';
import { requestNames, type RequestName } from '../contract/window/names.ts';
import type { Reply, WireError } from '../contract/window/reply.ts';
import { requests } from '../contract/window/requests.ts';
import type { Services } from './services.ts';

const known = new Set<string>(requestNames);

export function wireError(error: unknown, report: (error: unknown) => void): WireError {
  if (error instanceof AppError) return { code: error.code, message: error.message, hint: error.hint ?? null };
  report(error);
  return {
    code: 'internal',
    message: 'something went wrong inside Whetstone; this is a bug of ours',
    hint: 'The error stands in the log of the main process (the terminal that it was started from). Runs are not affected.',
  };
}

/** Never throws. */
export async function dispatch(services: Services, name: unknown, input: unknown): Promise<Reply> {
  try {
    if (typeof name !== 'string' || !known.has(name))
      throw new AppError(
        'no-such-request',
        `there is no request ${typeof name === 'string' ? JSON.stringify(name.slice(0, 100)) : `of the type ${typeof name}`}`,
        'Window and main process may be of different versions: reload the window.',
      );
    const request = name as RequestName;
    const parsed = requests[request].in.safeParse(input);
    if (!parsed.success) {
      const issue = parsed.error.issues[0];
      throw new AppError(
        'bad-request',
        `${request} cannot be asked like this: ${issue?.path.join('.') || 'input'} ${issue?.message ?? ''}`.trim(),
        'Window and main process may be of different versions: reload the window.',
      );
    }
    const handler = services.handlers[request] as (parsed: unknown) => unknown;
    return { ok: true, value: await handler(parsed.data) };
  } catch (error) {
    return { ok: false, error: wireError(error, services.report) };
  }
}
