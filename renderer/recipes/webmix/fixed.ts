/** Settings of webmix that another field decides. */
import type { DraftCheck } from '../../../main/contract/window/draft.ts';

type Settings = Readonly<Record<string, unknown>>;

/**
 * By setting, how it is decided. `settings` with defaults filled in.
 * Rank and alpha only where they are what the initial adapter has: until then the difference is a problem to repair.
 */
export function fixedSettings(settings: Settings, check: DraftCheck | null): Record<string, string> {
  const fixed: Record<string, string> = {};
  if (settings['beta'] === 0) fixed['anchorRatio'] = 'no anchor rows: beta is 0';
  const adapter = check?.initAdapter ?? null;
  if (adapter !== null && settings['initAdapter'] !== null) {
    if (settings['rank'] === adapter.rank) fixed['rank'] = 'from the init adapter';
    if (settings['alpha'] === adapter.alpha) fixed['alpha'] = 'from the init adapter';
  }
  return fixed;
}
