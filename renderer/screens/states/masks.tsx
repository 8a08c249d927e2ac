/** Tokens on their masks' lines, as the row page draws them, and the hues by which runs are told apart. */
import { Section } from '../../components/section.tsx';
import { repeatsHue } from '../../charts/identity.ts';
import { Swatch } from '../compare/swatch.tsx';
import { lookClass, type TokenLook } from '../rows/mask-view.ts';
import rowStyles from '../rows/row.module.css';
import styles from './states-screen.module.css';

const looks: readonly { text: string; look: TokenLook; isFallback?: boolean; says: string }[] = [
  { text: 'assistant', look: 'prompt', says: 'prompt, never trained' },
  { text: 'memory', look: 'supervised', says: 'supervised' },
  { text: '"action"', look: 'action', says: 'supervised and action' },
  { text: 'click·12', look: 'action', isFallback: true, says: 'action by fallback: all tokens' },
  { text: 'memory', look: 'off', says: 'supervised, off under ce-on action' },
  { text: 'memory', look: 'changed', says: 'in one of the two masks only' },
];

export function Masks() {
  return (
    <Section title="Token masks" note="a line under the token, never its ground alone" padded>
      <ul className={styles.thirds}>
        {looks.map(({ text, look, isFallback = false, says }) => (
          <li key={says} className={styles.mask}>
            <span className={`${rowStyles['token'] ?? ''} ${rowStyles[lookClass(look, isFallback)] ?? ''} mono`}>
              {text}
            </span>
            <span className="note third">{says}</span>
          </li>
        ))}
      </ul>
    </Section>
  );
}

export function Identity() {
  return (
    <Section title="Run identity" note="hue and dash, the same in every chart; past eight hues come again" padded>
      <ul className={styles.identity}>
        {Array.from({ length: 12 }, (_, slot) => (
          <li key={slot} className="line">
            <Swatch slot={slot} width={34} /> <span className="small">{slot + 1}</span>
            {repeatsHue(slot) && <span className="note third">again</span>}
          </li>
        ))}
      </ul>
    </Section>
  );
}
