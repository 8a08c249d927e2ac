/**
 * Puts the form together: the draft, what the main process says about it, and the long readings (rows, census) that begin by themselves once what they need is
 * right. Answers to an earlier draft are never shown as if they were to this one.
 */
import { useEffect, useMemo, useState } from 'react';
import type { DraftProblem, DraftRequest, RecipeForm } from '../../../main/contract/window/draft.ts';
import { useConnection } from '../../api/connection.ts';
import { useQuery } from '../../api/use-query.ts';
import { useMachine } from '../../shell/machine.ts';
import { recipeParts } from '../../recipes/index.ts';
import { sentRequest, useDraft } from '../../stores/draft.ts';
import { valueOf } from './fields.ts';
import type { Form } from './form.ts';
import { useCensusJob, usePoolJob } from './job-store.ts';
import { collectProblems, type Fault } from './problems.ts';
import { fieldOrder, formSections, type FormSection } from './sections.ts';

/** While a person types: the check is cheap, rows and census are not. */
const checkAfterMs = 150;
const readAfterMs = 400;

export interface FormState extends Form {
  sections: FormSection[];
  /** What the main process would get now. */
  sent: DraftRequest;
  /** What rows, splits and order depend on: the same for another name or place. */
  censusKey: string;
  /** Why no census can be made of this draft; null: it can. */
  censusWaits: string | null;
  /** The check could not be asked. */
  checkFault: Fault | null;
}

/** `value` once it has stood for a while. */
function useSettled<Value>(value: Value, key: string, afterMs: number): { value: Value; key: string } {
  const [settled, setSettled] = useState({ value, key });
  useEffect(() => {
    const timer = setTimeout(() => setSettled({ value, key }), afterMs);
    return () => clearTimeout(timer);
    // The key is the value, written out.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [key, afterMs]);
  return settled;
}

interface LongReading {
  key: string | null;
  running: string | null;
  answerKey: string | null;
  faultKey: string | null;
  fault: Fault | null;
  start: () => void;
}

/** Starts what was not started for this key yet, and anew after a broken connection. */
function useReading({ key, running, answerKey, faultKey, fault, start }: LongReading): void {
  const generation = useConnection((connection) => connection.generation);
  const broken = faultKey === key && fault?.code === 'disconnected';
  const known = key === null || running === key || answerKey === key || (faultKey === key && !broken);
  useEffect(() => {
    if (known) return;
    const timer = setTimeout(start, readAfterMs);
    return () => clearTimeout(timer);
    // `start` is made anew in every render and means the key.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [key, known, generation]);
}

export function censusKeyOf(sent: DraftRequest): string {
  return JSON.stringify({ ...sent, name: null, output: null });
}

const isError = ({ severity }: DraftProblem): boolean => severity === 'error';

export function useFormState(recipe: RecipeForm): FormState {
  const request = useDraft((draft) => draft.request);
  const texts = useDraft((draft) => draft.texts);
  const models = useQuery('draft.models', {});
  const devices = useMachine((machine) => machine.check?.devices);
  const sent = useMemo(() => sentRequest(request), [request]);
  const sentKey = JSON.stringify(sent);
  const settled = useSettled(sent, sentKey, checkAfterMs);
  const check = useQuery('draft.check', { request: settled.value }, { keepPrevious: true });
  const checked = check.data !== null && !check.stale && check.error === null && settled.key === sentKey;

  const sections = useMemo(() => formSections(recipe), [recipe]);
  const order = useMemo(() => fieldOrder(sections), [sections]);

  const pool = usePoolJob();
  const poolKey = JSON.stringify(sent.rowsFolders);
  const poolAnswer = pool.answerKey === poolKey && pool.faultKey !== poolKey ? pool.answer : null;
  const sources = {
    ...{ request, order, settings: recipe.settings, check: check.data, pool: poolAnswer },
    poolFault: pool.faultKey === poolKey ? pool.fault : null,
  };
  const withoutCensus = collectProblems({ ...sources, censusFault: null });
  const foldersWrong = (check.data?.problems ?? []).some((each) => each.field === 'rowsFolders' && isError(each));
  useReading({
    ...pool,
    key: checked && sent.rowsFolders.length > 0 && !foldersWrong ? poolKey : null,
    start: () => void pool.start(poolKey, { rowsFolders: sent.rowsFolders }),
  });

  const census = useCensusJob();
  const censusKey = censusKeyOf(sent);
  const holding = withoutCensus.filter((each) => isError(each) && each.field !== 'name' && each.field !== 'output');
  const reading = pool.running === poolKey;
  const censusWaits = censusWaitsFor(holding.length, checked, reading);
  useReading({
    ...census,
    key: censusWaits === null ? censusKey : null,
    start: () => void census.start(censusKey, { request: sent }),
  });

  const problems = collectProblems({ ...sources, censusFault: census.faultKey === censusKey ? census.fault : null });
  const complete = Object.fromEntries(recipe.settings.map((each) => [each.name, valueOf(each, request.settings)]));
  return {
    ...{ recipe, request, texts, checked, problems, poolKey, sections, sent, censusKey, censusWaits },
    check: check.data,
    pool: poolAnswer,
    models: models.data,
    devices: devices ?? [],
    fixed: recipeParts(recipe.id).fixed(complete, checked ? check.data : null),
    checkFault: check.error,
  };
}

function censusWaitsFor(problems: number, checked: boolean, reading: boolean): string | null {
  if (problems > 0) return `after ${problems === 1 ? 'the problem' : `the ${problems} problems`} at the left`;
  if (!checked) return 'while the settings are checked';
  return reading ? 'while the rows are read' : null;
}
