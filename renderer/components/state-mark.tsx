/** State of a run: a mark and a word, never colour alone. `elsewhere`: the host that it runs on, when it is not this one. */
import type { RunState } from '../../main/contract/runs.ts';
import { classes } from './classes.ts';
import { Icon, type IconName } from './icon.tsx';
import styles from './state-mark.module.css';

type Tone = 'run' | 'bad' | 'warning' | 'quiet';

const marks: Readonly<Record<RunState, { icon: IconName; word: string; tone: Tone }>> = {
  preparing: { icon: 'waiting', word: 'starting', tone: 'quiet' },
  running: { icon: 'play', word: 'running', tone: 'run' },
  stopping: { icon: 'stopping', word: 'stopping', tone: 'quiet' },
  stopped: { icon: 'square', word: 'stopped', tone: 'quiet' },
  finished: { icon: 'check', word: 'done', tone: 'quiet' },
  failed: { icon: 'cross', word: 'failed', tone: 'bad' },
  lost: { icon: 'warning', word: 'interrupted', tone: 'warning' },
};

/** The word of a state: `lost` is "interrupted", `finished` is "done". */
export const stateWord = (state: RunState): string => marks[state].word;

interface StateMarkProps {
  state: RunState;
  elsewhere?: string | boolean | null | undefined;
  /** Instead of the state's word: "running when last heard, 14:48:54". */
  text?: string | undefined;
  /** As it was when it was last heard of, which may be over. */
  unheard?: boolean | undefined;
}

export function StateMark({ state, elsewhere, text, unheard = false }: StateMarkProps) {
  const mark = marks[state];
  const away = Boolean(elsewhere) && ['preparing', 'running', 'stopping'].includes(state);
  const word =
    away && state === 'running' ? `on ${typeof elsewhere === 'string' ? elsewhere : 'another host'}` : mark.word;
  return (
    <span className={classes(styles.state, styles[unheard ? 'warning' : mark.tone])}>
      <Icon name={unheard ? 'warning' : away ? 'elsewhere' : mark.icon} size={11} />
      {text ?? word}
    </span>
  );
}
