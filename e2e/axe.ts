/** Accessibility as axe-core sees it, in the page as it is now. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface AxeResult {
  violations: { id: string; help: string; nodes: { target: string[] }[] }[];
  passes: unknown[];
}

/**
 * One line a violation: rule, help, and the first elements that break it. Evaluated over the debugging protocol, which the page's content security policy
 * does not concern. Throws when axe found nothing to look at, since then nothing was checked.
 */
export async function axeViolations(page: Page): Promise<string[]> {
  await page.evaluate(source);
  const result = await page.evaluate<AxeResult>(
    `axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] })`,
  );
  if (result.passes.length < 5) throw new Error(`axe looked at next to nothing (${result.passes.length} rules passed)`);
  return result.violations.map(
    ({ id, help, nodes }) =>
      `${id}: ${help}: ${nodes
        .slice(0, 3)
        .map(({ target }) => target.join(' '))
        .join(' | ')}`,
  );
}
