/**
 * verified.json in the data folder: what `whetstone verify` compared with the user's own transformers and PEFT, and found equal. A run is called verified only where model,
 * processor, trainer, machine, device and dtype are those of an entry: a trainer that was built anew is not verified any more.
 */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { AppError } from '../contract/errors.ts';
import type { Plan } from '../contract/plan.ts';
import { verificationSchema, type RunFile, type Verification } from '../contract/runs.ts';
import { fileError, writeFileAtomic } from '../io/atomic-file.ts';
import { dataFolder, ensureFolder, type Environment } from '../paths.ts';
import { askTrainer } from './ask-trainer.ts';
import { hostName } from './process-identity.ts';
import { sha256OfFile } from './run-folder.ts';
import { locateTrainer } from './spawn.ts';

const fileSchema = z.object({
  format: z.literal('whetstone-verified'),
  version: z.literal(1),
  // An entry of a later version is passed over, and lost with the next one that is written.
  entries: z.array(z.unknown()),
});

const descriptionSchema = z.object({
  trainer: z.string(),
  torch: z.string(),
  devices: z.array(z.object({ index: z.int(), name: z.string() })),
});

export const verifiedFile = (environment: Environment = process.env): string =>
  path.join(dataFolder(environment), 'verified.json');

/** Oldest first. A file that is missing or cannot be understood has none: then nothing counts as verified. */
export function readVerified(environment: Environment = process.env): Verification[] {
  const file = verifiedFile(environment);
  if (!existsSync(file)) return [];
  let json: unknown;
  try {
    json = JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return [];
  }
  const entries = fileSchema.safeParse(json).data?.entries ?? [];
  return entries.flatMap((entry) => verificationSchema.safeParse(entry).data ?? []);
}

/** What an entry is about; a later one about the same takes its place. */
const subject = (entry: Verification): string =>
  JSON.stringify([
    entry.model,
    entry.processor,
    entry.trainer,
    entry.host,
    entry.device,
    entry.dtype,
    entry.branchDtype,
  ]);

/** Throws AppError. */
export function addVerified(entry: Verification, environment: Environment = process.env): void {
  ensureFolder(dataFolder(environment));
  const others = readVerified(environment).filter((other) => subject(other) !== subject(entry));
  const content = { format: 'whetstone-verified', version: 1, entries: [...others, entry] };
  writeFileAtomic(verifiedFile(environment), `${JSON.stringify(content, null, 2)}\n`);
}

/** Takes back what was found before about the same model, processor, trainer, device and dtype. Throws AppError. */
export function removeVerified(
  about: Omit<Verification, 'python' | 'rows' | 'time'>,
  environment: Environment = process.env,
): void {
  const known = readVerified(environment);
  const others = known.filter((other) => subject(other) !== subject(about as Verification));
  if (others.length === known.length) return;
  const content = { format: 'whetstone-verified', version: 1, entries: others };
  writeFileAtomic(verifiedFile(environment), `${JSON.stringify(content, null, 2)}\n`);
}

/** Hex SHA-256 over config.json and the names and sizes of the weights: weights that were trained further under the same name look the same. Throws AppError. */
export function identifyModelFiles(folder: string): string {
  try {
    const weights = readdirSync(folder)
      .filter((name) => name.endsWith('.safetensors'))
      .sort()
      .map((name) => [name, statSync(path.join(folder, name)).size]);
    const config = readFileSync(path.join(folder, 'config.json'));
    return createHash('sha256').update(JSON.stringify(weights)).update('\0').update(config).digest('hex');
  } catch (error) {
    throw fileError(error, 'read', folder);
  }
}

export interface TrainerOnDevice {
  trainer: Verification['trainer'];
  /** cpu, cuda:0, ... */
  device: string;
  /** As the trainer's events call it. */
  deviceName: string;
}

/** The trainer that would be started, and the device that it would take for `wish` (auto, cpu, cuda, cuda:N). Throws AppError. */
export async function trainerOnDevice(wish: string, environment: Environment = process.env): Promise<TrainerOnDevice> {
  const answer = descriptionSchema.safeParse(JSON.parse(await askTrainer(['describe'], { environment })));
  if (!answer.success)
    throw new AppError(
      'trainer-answer',
      'the trainer described itself in a way that this version does not understand',
      'It may be of another version. Build it anew with: npm run setup',
    );
  const { trainer: version, torch, devices } = answer.data;
  const trainer = { version, torch, sha256: sha256OfFile(locateTrainer(environment)) };
  if (wish === 'cpu' || (wish === 'auto' && devices.length === 0)) return { trainer, device: 'cpu', deviceName: 'cpu' };
  const index = Number(/^cuda:(\d+)$/.exec(wish)?.[1] ?? 0);
  const card = devices.find((each) => each.index === index);
  if (!card)
    throw new AppError(
      'device-missing',
      `there is no device ${wish}: the trainer sees ${devices.length} CUDA ${devices.length === 1 ? 'card' : 'cards'}`,
      'Give --device auto or cpu.',
    );
  return { trainer, device: `cuda:${index}`, deviceName: card.name };
}

/**
 * The entry that speaks for a run of `plan` on this machine, or null. The trainer is asked only where the rest is that of an entry; where it cannot answer, the run is not verified,
 * and whatever is wrong is the run's to say.
 */
export async function verificationOf(
  plan: Pick<Plan, 'model' | 'adapters' | 'execution'>,
  processorId: string | undefined,
  environment: Environment = process.env,
): Promise<Verification | null> {
  try {
    return await findVerification(plan, processorId, environment);
  } catch (error) {
    if (error instanceof AppError) return null;
    throw error;
  }
}

async function findVerification(
  plan: Pick<Plan, 'model' | 'adapters' | 'execution'>,
  processorId: string | undefined,
  environment: Environment,
): Promise<Verification | null> {
  const candidates = readVerified(environment).filter(
    (entry) =>
      entry.processor === processorId &&
      entry.host === hostName() &&
      entry.model.name === plan.model.name &&
      entry.model.revision === plan.model.revision &&
      entry.dtype === plan.model.dtype &&
      entry.branchDtype === plan.adapters['default']?.branch_dtype,
  );
  if (candidates.length === 0) return null;
  const files = identifyModelFiles(plan.model.path);
  const { trainer, deviceName } = await trainerOnDevice(plan.execution.device, environment);
  const matches = (entry: Verification): boolean =>
    entry.model.files === files &&
    entry.trainer.sha256 === trainer.sha256 &&
    entry.trainer.torch === trainer.torch &&
    entry.device === deviceName;
  return candidates.findLast(matches) ?? null;
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** One line: what a run was verified against, or null where it was not. */
export function verifiedText(verified: Verification | null | undefined): string | null {
  if (!verified) return null;
  const { python, rows, host } = verified;
  const day = new Date(verified.time * 1000);
  const where = host === hostName() ? 'this machine' : host;
  return (
    `verified against transformers ${python.transformers}, peft ${python.peft} on ${where} ` +
    `(${rows} ${rows === 1 ? 'row' : 'rows'}, ${day.getDate()} ${months[day.getMonth()] ?? ''})`
  );
}

/** For a run that was not: how it would be. */
export function unverifiedText(request: RunFile['request']): string {
  const word = (text: string): string =>
    /^[\w@%+=:,./~-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
  const model = request ? word(request.model) : 'MODEL';
  const rows = request ? request.rowsFolders.map((folder) => `--rows ${word(folder)}`).join(' ') : '--rows ROWS';
  return `not verified here: whetstone verify --model ${model} ${rows} --python PATH`;
}
