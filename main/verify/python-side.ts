/**
 * The user's own Python as one process that is asked and answers, a JSON line each. Its standard error is kept for the case that it ends, and is not shown otherwise: the libraries
 * say much there that is of no use to anybody.
 */
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import { AppError } from '../contract/errors.ts';
import { projectFolder, type Environment } from '../paths.ts';

const errorSchema = z.object({ error: z.object({ message: z.string(), hint: z.string() }) });
const keptCharacters = 4000;

export class PythonSide {
  readonly #program: string;
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #lines: AsyncIterator<string>;
  readonly #ended: Promise<string>;
  #complaint = '';

  /** @param program the interpreter, a path or a name on PATH. Nothing is waited for: what is wrong with it shows at the first question. Throws AppError `no-verify-script`. */
  constructor(program: string, environment: Environment, signal: AbortSignal | undefined) {
    const script = path.join(projectFolder, 'native', 'reference', 'verify.py');
    if (!existsSync(script))
      throw new AppError(
        'no-verify-script',
        `${script} is not there`,
        'It belongs to the sources of Whetstone: run whetstone verify from a clone.',
      );
    this.#program = program;
    this.#child = spawn(program, ['-u', script], {
      // Models are those of the cache: nothing may be fetched behind anybody's back.
      env: { ...environment, HF_HUB_OFFLINE: '1', TRANSFORMERS_OFFLINE: '1', PYTHONDONTWRITEBYTECODE: '1' },
      stdio: 'pipe',
      ...(signal ? { signal } : {}),
    });
    this.#ended = new Promise((resolve) => {
      this.#child.on('error', (error) => resolve(`it cannot be started: ${error.message}`));
      this.#child.on('close', (code, name) => resolve(`it ended ${name ? `by ${name}` : `with ${code ?? '?'}`}`));
    });
    this.#child.stdin.on('error', () => undefined);
    this.#child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      this.#complaint = (this.#complaint + chunk).slice(-keptCharacters);
    });
    this.#lines = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]();
  }

  /** Throws AppError `python-refused` with what it answered, and `python-ended` where it cannot answer. */
  async ask<Schema extends z.ZodType>(
    request: { do: string; [name: string]: unknown },
    schema: Schema,
  ): Promise<z.infer<Schema>> {
    this.#child.stdin.write(`${JSON.stringify(request)}\n`);
    const line = await this.#lines.next().catch(() => null);
    if (line === null || line.done === true) throw await this.#gone();
    const { value } = line;
    let answer: unknown;
    try {
      answer = JSON.parse(value);
    } catch {
      throw this.#strange(value);
    }
    const refused = errorSchema.safeParse(answer).data?.error;
    if (refused) throw new AppError('python-refused', refused.message, refused.hint || undefined);
    const parsed = schema.safeParse(answer);
    if (!parsed.success) throw this.#strange(value);
    return parsed.data;
  }

  /** Ends it. */
  async close(): Promise<void> {
    this.#child.stdin.end();
    const patience = setTimeout(() => this.#child.kill('SIGKILL'), 5000);
    await this.#ended;
    clearTimeout(patience);
  }

  async #gone(): Promise<AppError> {
    const how = await this.#ended;
    const said = this.#complaint.trim();
    return new AppError(
      'python-ended',
      `${this.#program}: ${how}${said ? `\n${said}` : ''}`,
      '--python: an interpreter that has torch, transformers, peft and pillow.',
    );
  }

  #strange(line: string): AppError {
    return new AppError(
      'python-answer',
      `${this.#program} answered something else: ${line.slice(0, 200)}`,
      '--python has to be a Python interpreter.',
    );
  }
}
