/** The command that serves a checkpoint, to be pasted into a shell. */

/** As a POSIX shell reads it back. */
export const shellWord = (text: string): string =>
  /^[A-Za-z0-9_@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;

export interface ServedAdapter {
  /** Hub id or folder. */
  model: string;
  name: string;
  folder: string;
  /** Rank of the adapter; null: not known. vLLM takes up to 16 without being told. */
  rank: number | null;
}

export const serveCommand = ({ model, name, folder, rank }: ServedAdapter): string =>
  ['vllm', 'serve', shellWord(model), '--enable-lora']
    .concat(rank !== null && rank > 16 ? ['--max-lora-rank', String(rank)] : [])
    .concat('--lora-modules', shellWord(`${name.replaceAll('=', '-')}=${folder}`))
    .join(' ');
