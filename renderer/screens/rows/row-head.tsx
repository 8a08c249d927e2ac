/** Which row it is, in the head of its page. */
import type { RowItem } from '../../../main/contract/window/rows.ts';
import { LinkTo } from '../../components/link-to.tsx';
import { formatCount } from '../../format/numbers.ts';
import { formatAddress } from '../../navigation/address.ts';
import styles from './row.module.css';

interface RowHeadProps {
  pool: string;
  listAddress: string;
  episode: string;
  line: number;
  item: RowItem | null;
}

export function RowHead({ pool, listAddress, episode, line, item }: RowHeadProps) {
  const facts = item && [
    item.family,
    item.operation ?? 'no operation',
    item.variant,
    ...(item.step === null ? [] : [`step ${formatCount(item.step)}`]),
    ...(item.memoryBy === null ? [] : [`memory by ${item.memoryBy}`]),
  ];
  return (
    <>
      <span className={styles.crumb}>
        <LinkTo to={listAddress}>Rows</LinkTo> /{' '}
        <LinkTo to={formatAddress(['rows', pool], { episode })} title={item ? `Task ${item.taskId}` : undefined}>
          {episode}
        </LinkTo>{' '}
        /
      </span>
      <h1 tabIndex={-1} className={styles.line} aria-label={`${episode}, line ${line}`}>
        {line}
      </h1>
      {facts && <span className="small second ellipsis">{facts.join(' · ')}</span>}
    </>
  );
}
