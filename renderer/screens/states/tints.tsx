/** Colours with a meaning: identity of runs, change against a reference, surprise. */
import { Section } from '../../components/section.tsx';
import styles from './states-screen.module.css';

const steps = ['w4', 'w3', 'w2', 'w1', 'b1', 'b2', 'b3', 'b4'] as const;
const changes = ['+0.31', '+0.12', '+0.040', '+0.011', '-0.012', '-0.041', '-0.11', '-0.33'] as const;
const surprise = ['> 0.9', '0.4', '0.1', '0.01', 'less'] as const;

export function Tints() {
  return (
    <Section title="Tints" note="orange worse, blue better, more ink more surprise" padded>
      <div className={styles.cells}>
        {steps.map((step, index) => (
          <span key={step} style={{ background: `var(--div-${step})`, color: `var(--div-${step}-on)` }}>
            {changes[index]}
          </span>
        ))}
      </div>
      <div className={styles.cells}>
        {surprise.map((text, index) => (
          <span key={text} style={{ background: `var(--nll-${index + 1})`, color: `var(--nll-${index + 1}-on)` }}>
            {text}
          </span>
        ))}
      </div>
    </Section>
  );
}
