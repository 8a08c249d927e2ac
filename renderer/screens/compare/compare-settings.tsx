/** Settings in which the runs differ; all of them on demand. */
import type { RunDetail } from '../../../main/contract/window/runs.ts';
import type { Slot } from '../../charts/identity.ts';
import { Button } from '../../components/button.tsx';
import { classes } from '../../components/classes.ts';
import { Section } from '../../components/section.tsx';
import { settingRows } from './differences.ts';
import { Swatch } from './swatch.tsx';
import styles from './compare.module.css';

interface CompareSettingsProps {
  runs: readonly { detail: RunDetail; slot: Slot }[];
  reference: string;
  all: boolean;
  onAll: (all: boolean) => void;
}

export function CompareSettings({ runs, reference, all, onAll }: CompareSettingsProps) {
  const rows = settingRows(
    runs.map((run) => run.detail),
    Math.max(
      0,
      runs.findIndex((run) => run.detail.id === reference),
    ),
  );
  const differing = rows.filter((row) => !row.equal);
  const equal = rows.length - differing.length;
  const shown = all ? [...differing, ...rows.filter((row) => row.equal)] : differing;
  return (
    <Section
      title="Differences"
      note={`${differing.length} of ${rows.length} settings; the other ${equal} ${equal === 1 ? 'is' : 'are'} equal`}
      noLine
      actions={
        <Button kind="text" small keys="I" pressed={all} onPress={() => onAll(!all)}>
          {all ? 'only differing' : 'equal too'}
        </Button>
      }
    >
      <div className="scroll">
        <table className={classes('dense', styles.differences)}>
          <thead>
            <tr>
              <th scope="col">
                <span className="unseen">Setting</span>
              </th>
              {runs.map((run) => (
                <th key={run.detail.id} scope="col" className="number" title={run.detail.name}>
                  <span className="unseen">{run.detail.name}</span>
                  <span className={styles.headSwatch}>
                    <Swatch slot={run.slot} width={14} />
                  </span>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map((row) => (
              <tr key={row.name} title={row.meaning ?? undefined}>
                <th scope="row" className="second">
                  {row.name}
                </th>
                {row.values.map((value, i) => (
                  <td
                    key={i}
                    className={classes('number', row.differs[i] ? styles.differs : 'second')}
                    title={value ?? 'no such setting'}
                  >
                    {value === null ? '?' : value === '' ? '–' : value}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Section>
  );
}
