/** The runs that are compared: hue and dash, last CE, held-out CE, and the difference to the reference; what cannot be compared is said under it. */
import type { RunDetail } from '../../../main/contract/window/runs.ts';
import { hueOf, repeatsHue, type Slot } from '../../charts/identity.ts';
import { Button } from '../../components/button.tsx';
import { Checkbox } from '../../components/checkbox.tsx';
import { classes } from '../../components/classes.ts';
import { Icon } from '../../components/icon.tsx';
import { LinkTo } from '../../components/link-to.tsx';
import { Say } from '../../components/say.tsx';
import { formatCount, formatDifference, formatError, formatLoss, missing } from '../../format/numbers.ts';
import { tintOf } from '../run/checkpoint-table.ts';
import { runAddress } from '../runs/run-actions.tsx';
import { ceRole, lastOf } from '../runs/run-table.ts';
import { differenceTo, lastScored, type SharedSet } from './held-out.ts';
import { Swatch } from './swatch.tsx';
import styles from './compare.module.css';

export interface ComparedRun {
  detail: RunDetail;
  slot: Slot;
  hidden: boolean;
}

interface CompareListProps {
  runs: readonly ComparedRun[];
  set: SharedSet | null;
  reference: string;
  current: string | null;
  onCurrent: (id: string) => void;
  onHide: (id: string) => void;
  onReference: (id: string) => void;
  onRemove: (id: string) => void;
}

export function CompareList(props: CompareListProps) {
  const { runs, set, reference, current, onCurrent, onHide, onReference, onRemove } = props;
  const base = runs.find((run) => run.detail.id === reference)?.detail;
  const others = runs.filter(
    ({ detail }) => set !== null && detail.evaluations.length > 0 && lastScored(detail, set) === undefined,
  );
  const unscored = runs.filter(({ detail }) => detail.evaluations.length === 0);
  return (
    <>
      <table className={styles.list}>
        <thead>
          <tr>
            <th scope="col">
              <span className="unseen">Shown</span>
            </th>
            <th scope="col">Run</th>
            <th scope="col" className="number">
              CE last
            </th>
            <th scope="col" className="number">
              Held-out
              {set !== null && (
                <small>
                  n {formatCount(set.n)}, {set.hash.slice(0, 4)}
                </small>
              )}
            </th>
            <th scope="col" className="number">
              To ref.<small>not paired</small>
            </th>
            <th scope="col">
              <span className="unseen">Acts</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {runs.map(({ detail, slot, hidden }, i) => {
            const scored = lastScored(detail, set);
            const difference = differenceTo(detail, base, set);
            const tint =
              difference === null || difference.stderr === null ? 0 : tintOf(difference.value, difference.stderr, 0);
            return (
              <tr
                key={detail.id}
                className={classes(detail.id === current && styles.current)}
                aria-current={detail.id === current || undefined}
                onClick={() => onCurrent(detail.id)}
              >
                <td>
                  <span className={styles.shown}>
                    <Checkbox
                      checked={!hidden}
                      hideLabel
                      label={`Show ${detail.name}, key ${i + 1}`}
                      hue={Number(hueOf(slot).slice(5))}
                      onChange={() => onHide(detail.id)}
                    />
                    <Swatch slot={slot} />
                  </span>
                </td>
                <td className={styles.runName}>
                  <span className={styles.names}>
                    <LinkTo to={runAddress(detail.id)} title={detail.name}>
                      {detail.name}
                    </LinkTo>
                    {detail.id === reference && <span className="third">ref.</span>}
                    {repeatsHue(slot) && <span className="third">same hue, other dash</span>}
                  </span>
                </td>
                <td className="number">{formatLoss(lastOf(detail, ceRole(detail)))}</td>
                <td className="number">
                  {scored !== undefined ? (
                    <span title={formatError(scored.stderr)}>{formatLoss(scored.mean)}</span>
                  ) : detail.evaluations.length > 0 ? (
                    <span className="is-warning">other set</span>
                  ) : (
                    <span className="third">none</span>
                  )}
                </td>
                <td className="number">
                  {difference === null ? (
                    <span className="third">{missing}</span>
                  ) : (
                    <span
                      className={styles.cell}
                      data-tint={tint === 0 ? undefined : tint}
                      title={`${formatError(difference.stderr)}, not paired`}
                    >
                      {formatDifference(difference.value)}
                    </span>
                  )}
                </td>
                <td>
                  <span className={styles.acts}>
                    {detail.id !== reference && (
                      <Button
                        kind="text"
                        small
                        label={`ref, compare all with ${detail.name}`}
                        onPress={() => onReference(detail.id)}
                      >
                        ref
                      </Button>
                    )}
                    <Button kind="text" small label={`Remove ${detail.name}`} onPress={() => onRemove(detail.id)}>
                      <Icon name="cross" size={9} />
                    </Button>
                  </span>
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
      {(others.length > 0 || unscored.length > 0) && (
        <div className={styles.says}>
          {others.map(({ detail }) => (
            <Say
              key={detail.id}
              kind="warning"
              title={`${detail.name} has no held-out CE on set ${set?.hash.slice(0, 4) ?? ''}:`}
            >
              it was scored on{' '}
              {[
                ...new Set(detail.evaluations.map((each) => `${each.hash.slice(0, 4)}, n ${formatCount(each.n)}`)),
              ].join('; ')}
              . Not drawn.
            </Say>
          ))}
          {unscored.length > 0 && (
            <Say kind="info">
              {unscored.map(({ detail }) => detail.name).join(', ')}: not scored on held-out rows so far.
            </Say>
          )}
        </div>
      )}
    </>
  );
}
