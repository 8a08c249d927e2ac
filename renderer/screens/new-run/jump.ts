/** To the next problem after the field that has the focus, around the end; and which field that is. */
import type { DraftProblem } from '../../../main/contract/window/draft.ts';

const focusable = 'input:not([disabled]), select:not([disabled]), textarea, button[role="radio"][tabindex="0"], button';

/** Of the field line that has the focus; null: none has. */
export function focusedField(): string | null {
  return document.activeElement?.closest<HTMLElement>('[data-field]')?.dataset['field'] ?? null;
}

export function focusField(field: string): void {
  const line = document.querySelector<HTMLElement>(`[data-field="${CSS.escape(field)}"]`);
  if (line === null) return;
  line.scrollIntoView({ block: 'nearest' });
  (line.querySelector<HTMLElement>(focusable) ?? line).focus();
}

/** The field of the problem after the one where `from` stands; problems are in the order of the form. */
export function nextProblem(
  problems: readonly DraftProblem[],
  from: string | null,
  severity: DraftProblem['severity'] | null,
): string | null {
  const fields = [
    ...new Set(problems.filter((each) => severity === null || each.severity === severity).map((each) => each.field)),
  ];
  if (fields.length === 0) return null;
  return fields[(from === null ? 0 : fields.indexOf(from) + 1) % fields.length] ?? null;
}

/** Without `severity`: problems that hold the launch first, warnings where there are none. */
export function goToProblem(problems: readonly DraftProblem[], severity: 'error' | 'warning' | null = null): void {
  const from = focusedField();
  const wanted = severity ?? (problems.some((each) => each.severity === 'error') ? 'error' : 'warning');
  const field = nextProblem(problems, from, wanted);
  if (field !== null) focusField(field);
}
