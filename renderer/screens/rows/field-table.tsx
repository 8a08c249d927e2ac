/** How many tokens each part of the target has, and how many of them the action mask takes. */
import type { TargetTokens } from '../../../main/contract/window/rows.ts';
import { Section } from '../../components/section.tsx';
import { formatCount, formatPercent } from '../../format/numbers.ts';
import { fieldCounts, maskCounts } from './mask-view.ts';
import styles from './row.module.css';

export function FieldTable({ tokens, isFallback }: { tokens: TargetTokens; isFallback: boolean }) {
  const counts = maskCounts(tokens);
  return (
    <Section
      title="Fields"
      note={isFallback ? 'supervised tokens; action by fallback' : 'supervised tokens'}
      noLine
      className={styles.fields}
    >
      <table className="dense">
        <thead>
          <tr>
            <th scope="col">Field</th>
            <th scope="col" className="number">
              Tokens
            </th>
            <th scope="col" className="number">
              Share
            </th>
            <th scope="col" className="number">
              In the action mask
            </th>
          </tr>
        </thead>
        <tbody>
          {fieldCounts(tokens).map(({ name, tokens: of, action }) => (
            <tr key={name}>
              <td>{name}</td>
              <td className="number">{formatCount(of)}</td>
              <td className="number second">{formatPercent(of / counts.supervised)}</td>
              <td className="number">{formatCount(action)}</td>
            </tr>
          ))}
          <tr className={styles.sum}>
            <td>row</td>
            <td className="number">{formatCount(counts.supervised)}</td>
            <td className="number second">{formatPercent(1)}</td>
            <td className="number">{formatCount(counts.action)}</td>
          </tr>
        </tbody>
      </table>
    </Section>
  );
}
