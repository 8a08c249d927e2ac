/** Checkpoints with their held-out CE, by set and family, and what can be done with one. */
import { useMemo } from 'react';
import type { RunDetail } from '../../../main/contract/window/runs.ts';
import { Button } from '../../components/button.tsx';
import { classes } from '../../components/classes.ts';
import { copyAndSay } from '../../components/copy-text.ts';
import { Section } from '../../components/section.tsx';
import { formatCount, formatError, formatLoss, missing } from '../../format/numbers.ts';
import { checkpointTable, type TableCell, type TableColumn } from './checkpoint-table.ts';
import { serveCommand } from './serve-command.ts';
import styles from './side-checkpoints.module.css';

interface SideCheckpointsProps {
  run: RunDetail;
  /** Name of the one that the buttons act on; null: the newest. */
  chosen: string | null;
  onChoose: (name: string) => void;
}

export function SideCheckpoints({ run, chosen, onChoose }: SideCheckpointsProps) {
  const { columns, rows } = useMemo(() => checkpointTable(run), [run]);
  const saved = rows.filter((row) => row.folder !== null);
  const at = saved.find((row) => row.name === chosen) ?? saved.at(-1);
  const sets = columns.filter((column) => column.group === null);
  if (rows.length === 0) {
    const next = run.planned.find((each) => each.name !== null);
    return (
      <Section title="Checkpoints" padded>
        <p className="small third">
          {next
            ? `None yet. The first, ${next.name ?? ''}, is saved after ${formatCount(next.rows)} rows.`
            : 'None was saved.'}
        </p>
      </Section>
    );
  }
  const tinted = rows.some((row) => row.cells.some((cell) => cell !== null && cell.tint !== 0));
  const command = (name: string, folder: string): string =>
    serveCommand({
      model: run.model.name.includes('/') ? run.model.name : run.model.path,
      name: `${run.name}-${name}`,
      folder,
      rank: rankOf(run),
    });
  return (
    <Section
      title="Checkpoints"
      note={
        sets.length === 0 ? (
          'no held-out rows'
        ) : (
          <>
            held-out CE ±SE, {sets.length > 1 ? `${sets.length} row sets` : `n ${formatCount(sets[0]?.n)}, set`}{' '}
            <span className="mono-small">{sets.map((set) => set.hash.slice(0, 4)).join(', ')}</span>
          </>
        )
      }
    >
      <div className={classes('scroll', styles.scroll)}>
        <table className={classes('dense', styles.table)}>
          <thead>
            <tr>
              <th scope="col">Checkpoint</th>
              {columns.map((column) => (
                <th
                  key={`${column.set} ${column.hash} ${column.group}`}
                  scope="col"
                  className="number"
                  title={columnTitle(column)}
                >
                  <span className={classes(column.group === null && styles.main)}>
                    {column.group ?? (sets.length > 1 ? column.set.replaceAll('_', ' ') : 'all')}
                  </span>
                  <small>n {formatCount(column.n)}</small>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={`${row.name} ${row.rows}`} className={classes(row === at && styles.chosen)}>
                <th scope="row">
                  {row.folder === null ? (
                    <span className="second">{row.name}</span>
                  ) : (
                    <button
                      type="button"
                      className={styles.name}
                      aria-pressed={row === at}
                      title={`step ${formatCount(row.step)}, ${formatCount(row.rows)} rows`}
                      onClick={() => onChoose(row.name)}
                    >
                      {row.name}
                    </button>
                  )}
                </th>
                {row.cells.map((cell, i) => (
                  <Cell key={i} cell={cell} whole={columns[i]?.group === null} />
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {tinted && (
        <p className={classes('note third', styles.legend)}>
          tint: <span className={styles.worse}>worse</span> or <span className={styles.better}>better</span> than the
          best before by over 2 SE, not paired
        </p>
      )}
      {at?.folder != null && (
        <div className={styles.actions}>
          <Button small onPress={() => void copyAndSay(at.folder ?? '', `the path of ${at.name}`)}>
            Copy path
          </Button>
          <Button
            small
            title={command(at.name, at.folder)}
            onPress={() => void copyAndSay(command(at.name, at.folder ?? ''), `the vLLM command of ${at.name}`)}
          >
            Copy vLLM command
          </Button>
          <span className="note third ellipsis">{at.name}</span>
        </div>
      )}
    </Section>
  );
}

const columnTitle = (column: TableColumn): string =>
  `${column.set}${column.group === null ? '' : `, ${column.group}`}: n ${formatCount(column.n)}, set ${column.hash}`;

function rankOf(run: RunDetail): number | null {
  const rank = Number(run.settings.find((setting) => setting.name === 'rank')?.value);
  return Number.isInteger(rank) && rank > 0 ? rank : null;
}

function Cell({ cell, whole }: { cell: TableCell | null; whole: boolean }) {
  if (cell === null)
    return (
      <td className="number third" title="not scored">
        {missing}
      </td>
    );
  const error = cell.stderr === null ? '' : ` ${formatError(cell.stderr)}`;
  return (
    <td className="number">
      <span
        className={styles.cell}
        data-tint={cell.tint === 0 ? undefined : cell.tint}
        title={`${formatLoss(cell.mean)}${error}`}
      >
        {cell.tint !== 0 && <span className="unseen">{cell.tint > 0 ? 'worse: ' : 'better: '}</span>}
        {formatLoss(cell.mean)}
        {whole && <span className={styles.error}>{error}</span>}
      </span>
    </td>
  );
}
