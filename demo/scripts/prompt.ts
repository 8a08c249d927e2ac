/**
 * From a step to a row: the messages that the model is given, and the JSON that it should answer with. The wording of the memory and
 * two habits of the actions are the "voice". The base model is pre-trained on many voices; the demo's rows all have the house
 * voice, which is what a LoRA run on them learns.
 */
import type { Action, Episode, Step } from './episodes.ts';
import { elementList } from './page.ts';
import type { Item } from './page.ts';

export const systemPrompt =
  'You operate a web browser for a user. Every turn you get the request, the steps so far, the state of the page and, most of the time, a screenshot. ' +
  'Answer with one JSON object: "memory" holds a short note on the progress, "action" a list with one action. ' +
  'Actions: click, input, select_dropdown, drag, scroll, navigate, go_back, upload_file, extract, wait, done. ' +
  'Elements are named by the number in square brackets; coordinates are whole numbers from 0 to 1000, left to right and top to bottom.';

export interface Voice {
  memory: (context: MemoryContext) => string;
  /** Write keys that say nothing (null coordinates, defaults) as the house does. */
  fullKeys: boolean;
}

interface MemoryContext {
  title: string;
  goal: string;
  past: string | null;
  step: number;
  total: number;
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

export const houseVoice: Voice = {
  memory: ({ title, goal, past, step, total }) =>
    `Turn ${String(step)} of ${String(total)}, viewing ${title}. Verified so far: ${past ?? 'none'}. Pending now: ${goal}; afterwards confirm the outcome.`,
  fullKeys: true,
};

const plainMemories: readonly Voice['memory'][] = [
  ({ goal, past }) =>
    past === null ? `Starting. First I need to ${goal}.` : `${capital(past)}. Now I need to ${goal}.`,
  ({ title, goal }) => `I am on the ${title} page. I will ${goal}.`,
  ({ goal, past }) => `${past === null ? 'Nothing done yet' : capital(past)}. Next: ${goal}.`,
  ({ title, goal, past }) => `The page ${title} is open. Let me ${goal}${past === null ? '' : `, since I ${past}`}.`,
  ({ goal, step, total }) => `Progress: step ${String(step)} of ${String(total)}. Going to ${goal}.`,
  ({ goal, past }) => `To finish the task I have to ${goal}. So far: ${past ?? 'none'}.`,
  ({ title, goal, past, step }) =>
    `${String(step)}. ${title}: ${past ?? 'just opened'}. Plan: ${goal}, then check the outcome.`,
];

export const plainVoices: readonly Voice[] = plainMemories.flatMap((memory) => [
  { memory, fullKeys: false },
  { memory, fullKeys: false },
  { memory, fullKeys: true },
]);

const place = (item: Item): { x: number; y: number } => {
  if (!item.at) throw new Error(`"${item.label}" has no place`);
  return item.at;
};

const number = (item: Item): number => {
  if (item.index === undefined) throw new Error(`"${item.label}" has no number`);
  return item.index;
};

/** An action as the model writes it. */
export function actionJson(action: Action, voice: Voice): Record<string, unknown> {
  const full = voice.fullKeys;
  switch (action.kind) {
    case 'click':
      return {
        click: full
          ? { index: number(action.item), coordinate_x: null, coordinate_y: null }
          : { index: number(action.item) },
      };
    case 'click_at': {
      const { x, y } = place(action.item);
      return { click: full ? { index: null, coordinate_x: x, coordinate_y: y } : { coordinate_x: x, coordinate_y: y } };
    }
    case 'input':
      return { input: { index: number(action.item), text: action.text, ...(full ? { clear: true } : {}) } };
    case 'select':
      return { select_dropdown: { index: number(action.item), text: action.option } };
    case 'drag': {
      const from = place(action.from);
      const to = place(action.to);
      return { drag: { start_x: from.x, start_y: from.y, end_x: to.x, end_y: to.y } };
    }
    case 'scroll':
      return { scroll: { down: action.down, pages: action.pages, ...(full ? { index: null } : {}) } };
    case 'navigate':
      return { navigate: { url: action.url, ...(full ? { new_tab: false } : {}) } };
    case 'go_back':
      return { go_back: {} };
    case 'upload':
      return { upload_file: { index: number(action.item), path: action.file } };
    case 'extract':
      return { extract: { query: action.query, ...(full ? { extract_links: false } : {}) } };
    case 'wait':
      return { wait: { seconds: action.seconds } };
    case 'done':
      return { done: { text: action.text, success: true, ...(full ? { files_to_display: [] } : {}) } };
  }
}

export const opNames: Readonly<Record<Action['kind'], string>> = {
  click: 'click',
  click_at: 'click',
  input: 'input',
  select: 'select_dropdown',
  drag: 'drag',
  scroll: 'scroll',
  navigate: 'navigate',
  go_back: 'go_back',
  upload: 'upload_file',
  extract: 'extract',
  wait: 'wait',
  done: 'done',
};

/** JSON with a blank after each comma and colon, letters as they are: what Python's json.dumps(ensure_ascii=False) writes. */
export function spacedJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(spacedJson).join(', ')}]`;
  if (value !== null && typeof value === 'object') {
    return `{${Object.entries(value)
      .map(([key, inner]) => `${JSON.stringify(key)}: ${spacedJson(inner)}`)
      .join(', ')}}`;
  }
  return JSON.stringify(value);
}

export interface Content {
  type: 'text' | 'image_url';
  text?: string;
  image_url?: { url: string };
}

export interface Message {
  role: 'system' | 'user';
  content: string | Content[];
}

/** What is said of the past in the prompt: the results of the steps before, in plain words. */
export function historyLine(step: Step, order: number): string {
  return `<step_${String(order)}>${capital(step.past)}.</step_${String(order)}>`;
}

export interface PromptOptions {
  /** Names of the image files, oldest first; the last one is the current page. */
  images: readonly string[];
  /** Lines of the history, overriding those made from the steps before. */
  history?: readonly string[];
  request?: string;
  today: string;
  maxSteps: number;
}

export function messages(episode: Episode, at: number, options: PromptOptions): Message[] {
  const step = episode.steps[at];
  if (!step) throw new Error(`no step ${String(at)} in ${episode.macro}`);
  const history = options.history ?? episode.steps.slice(0, at).map((one, order) => historyLine(one, order + 1));
  const files = episode.files.length === 0 ? 'none' : episode.files.join(', ');
  const text =
    `<user_request>\n${options.request ?? episode.request}\n</user_request>\n` +
    `<agent_history>\n${history.length === 0 ? 'nothing yet' : history.join('\n')}\n</agent_history>\n` +
    `<agent_state>\nFiles: ${files}\n</agent_state>\n` +
    `<browser_state>\nTab: ${step.page.title} | ${step.page.url}\nBelow: ${String(step.page.pagesBelow)} pages\n${elementList(step.page)}\n</browser_state>\n` +
    `<step_info>Step ${String(at + 1)} of ${String(options.maxSteps)}. Date ${options.today}</step_info>`;
  const content: Content[] = [{ type: 'text', text }];
  options.images.forEach((url, order) => {
    const current = order === options.images.length - 1;
    content.push({ type: 'text', text: current ? '\nCurrent screenshot:\n' : '\nScreenshot before the last step:\n' });
    content.push({ type: 'image_url', image_url: { url } });
  });
  return [
    { role: 'system', content: systemPrompt },
    { role: 'user', content },
  ];
}

/** The answer of a step. `steps` in all counts the episode's own, so "2 of 3" can be read nowhere but has to be judged. */
export function target(episode: Episode, at: number, voice: Voice, maxSteps: number): string {
  const step = episode.steps[at];
  if (!step) throw new Error(`no step ${String(at)} in ${episode.macro}`);
  const past = episode.steps[at - 1]?.past ?? null;
  const memory = voice.memory({ title: step.page.title, goal: step.goal, past, step: at + 1, total: maxSteps });
  return spacedJson({ memory, action: [actionJson(step.action, voice)] });
}
