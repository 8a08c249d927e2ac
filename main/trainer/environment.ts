/**
 * What a training process gets of our environment: what a GPU job needs, and nothing else. A run must not depend on what happens to be set in the
 * shell that the app was started from, and tokens for other services are none of its business.
 */
import type { Environment } from '../paths.ts';

const prefixes = ['CUDA_', 'NCCL_', 'HF_', 'WEBMIX_', 'WANDB_', 'SLURM_', 'OMP_', 'PYTORCH_'];
const proxies = ['http_proxy', 'https_proxy', 'no_proxy', 'all_proxy', 'ftp_proxy'];
const names = new Set(['LD_LIBRARY_PATH', 'TMPDIR', ...proxies, ...proxies.map((name) => name.toUpperCase())]);

/** `added` is what the run itself sets; it wins over what was inherited. */
export function trainerEnvironment(inherited: Environment, added: Environment = {}): Record<string, string> {
  const out: Record<string, string> = {};
  for (const [name, value] of Object.entries(inherited))
    if (value !== undefined && (names.has(name) || prefixes.some((prefix) => name.startsWith(prefix))))
      out[name] = value;
  for (const [name, value] of Object.entries(added)) if (value !== undefined) out[name] = value;
  return out;
}

/** A value as it may be shown: keys and tokens, and passwords in the address of a proxy, are hidden. */
export function shownValue(name: string, value: string): string {
  if (/TOKEN|KEY|SECRET|PASSW|CREDENTIAL/i.test(name)) return '(hidden)';
  return value.replace(/\/\/[^/@\s]+@/, '//(hidden)@');
}
