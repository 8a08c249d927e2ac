/** A worker thread that encodes what it is given. It opens the processor itself: a tokenizer cannot be handed over between threads. */
import { parentPort, workerData } from 'node:worker_threads';
import { AppError } from '../contract/errors.ts';
import { openProcessor } from './processor.ts';
import { RowEncoder } from './row-encoder.ts';
import type { FromWorker, ToWorker, WorkerSetup } from './worker-messages.ts';

const port = parentPort;
if (port === null) throw new Error('main/encode/worker.ts runs as a worker thread only');

const setup = workerData as WorkerSetup;
const opened = openProcessor(setup.modelFolder).then((processor) => {
  if (processor.id === setup.processorId) return new RowEncoder(processor, setup.folder, setup.name);
  throw new AppError(
    'processor-changed',
    `the processor in ${setup.modelFolder} changed while rows were encoded`,
    'Start again.',
  );
});
// Reported with the first message.
opened.catch(() => undefined);

async function answer(message: ToWorker): Promise<FromWorker> {
  try {
    const encoder = await opened;
    if (message.kind === 'encode')
      return { kind: 'encoded', rows: message.rows.length, bad: await encoder.encode(message.rows) };
    encoder.finish();
    return { kind: 'finished' };
  } catch (error) {
    const fault = error instanceof Error ? error : new Error(String(error));
    const { code, hint } = error instanceof AppError ? error : { code: null, hint: undefined };
    return { kind: 'failed', code, message: fault.message, hint, stack: fault.stack };
  }
}

port.on('message', (message: ToWorker) => {
  void answer(message).then((reply) => {
    port.postMessage(reply);
    if (reply.kind !== 'encoded') port.close();
  });
});
