/** `npm run setup`: finds libtorch and builds the trainer, or says what is missing. */
import { AppError } from '../../main/contract/errors.ts';
import { ensureTrainer } from './ensure-trainer.ts';

try {
  const { binary, torch } = await ensureTrainer({ log: (line) => console.log(line) });
  console.log(`trainer: ${binary}`);
  console.log(`libtorch: ${torch.version} in ${torch.folder}`);
} catch (error) {
  if (!(error instanceof AppError)) throw error;
  console.error(`error: ${error.message}`);
  if (error.hint) console.error(`hint: ${error.hint}`);
  process.exitCode = 1;
}
