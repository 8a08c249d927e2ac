/** The census as text for a terminal. */
import type { Census } from '../../contract/census.ts';

const grouped = (value: number): string => value.toLocaleString('en-US');

function table(rows: readonly (readonly string[])[]): string[] {
  const widths: number[] = [];
  for (const row of rows) row.forEach((cell, i) => (widths[i] = Math.max(widths[i] ?? 0, cell.length)));
  return rows.map((row) =>
    row
      .map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0)))
      .join('  ')
      .trimEnd(),
  );
}

const indent = (lines: readonly string[]): string[] => lines.map((line) => `  ${line}`);

/** `planned`, and `real` where it differs. */
const both = ({ planned, real }: { planned: number; real: number }): string =>
  planned === real ? grouped(real) : `${grouped(real)} (planned: ${grouped(planned)})`;

export function formatCensus(census: Census): string {
  const heading = (text: string): string[] => ['', text];
  const anchorShare = census.anchorPool > 0 ? `, drawn from ${grouped(census.anchorPool)}` : '';
  const lines = [`${census.recipe}: adapter ${census.adapter}`];
  lines.push(
    ...heading('Rows'),
    ...indent(
      table([
        ['family', 'pool', 'CE', 'anchors', 'held out'],
        ...census.families.map((family) => [
          `${family.own ? '*' : ' '} ${family.name}`,
          ...[family.rows, family.ce, family.anchors, family.heldOut].map(grouped),
        ]),
      ]),
    ),
    "  (* the adapter's own)",
  );
  if (census.filters.length > 0)
    lines.push(
      ...heading('Left out'),
      ...indent(table(census.filters.map((filter) => [filter.meaning, grouped(filter.rows)]))),
    );
  lines.push(
    ...heading('Training'),
    ...indent(
      [
        ['CE rows', grouped(census.ceRows)],
        ['anchor rows an epoch', both(census.anchorRowsPerEpoch) + anchorShare],
        ['rows an epoch', both(census.rowsPerEpoch)],
        ['epochs', `${census.epochs} (${census.epochsBegun} begun)`],
        ['row visits', grouped(census.visits)],
        ['ranks', grouped(census.ranks)],
        ['rows a step', `${census.effectiveBatch} (${census.accumulation} x ${census.ranks})`],
        ['optimizer steps', both(census.steps)],
        ['warm-up steps', grouped(census.warmupSteps)],
        ['tokens', `${grouped(census.tokens.total)} (first epoch: ${grouped(census.tokens.firstEpoch)})`],
        ['images', `${grouped(census.images.images)} in ${grouped(census.images.rowsWith)} rows`],
      ].map(([name, value]) => `${(name ?? '').padEnd(22)}${value ?? ''}`),
    ),
    ...heading('Roles'),
    ...indent(
      table([
        ['role', 'visits', 'rows', 'tokens', 'supervised', 'longest row'],
        ...census.roles.map((role) => [
          role.name,
          ...[role.visits, role.rows, role.tokens, role.supervisedTokens].map(grouped),
          role.longest === null ? '-' : `${grouped(role.longest.tokens)} tokens (${role.longest.name})`,
        ]),
      ]),
    ),
  );
  if (census.fallback.rows > 0) {
    const reasons = Object.entries(census.fallback.reasons).map(([reason, rows]) => `${reason} ${grouped(rows)}`);
    lines.push(
      ...heading(`Masks that count every target as action: ${grouped(census.fallback.rows)} (${reasons.join(', ')})`),
      ...indent(census.fallback.first),
    );
  }
  lines.push(
    ...heading('Held-out sets'),
    ...indent(
      census.evaluations.length === 0
        ? ['none']
        : table(
            census.evaluations.map((set) => [
              set.name,
              `${grouped(set.rows)} rows`,
              `x ${set.times}`,
              set.hash.slice(0, 12),
            ]),
          ),
    ),
    ...heading('Checkpoints'),
    ...indent(table(census.checkpoints.map((c) => [c.name, `after ${grouped(c.afterRows)} rows`]))),
  );
  if (census.warnings.length > 0)
    lines.push(...heading('Warnings'), ...indent(census.warnings.map((w) => `${w.code}: ${w.message}`)));
  return `${lines.join('\n')}\n`;
}
