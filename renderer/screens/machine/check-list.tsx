/** What the check of the machine found, one line a thing: mark, name, what is so, and what to do about it. */
import type { MachineItem } from '../../../main/contract/window/app.ts';
import { classes } from '../../components/classes.ts';
import { Icon, type IconName } from '../../components/icon.tsx';
import styles from './check-list.module.css';

const marks: Readonly<Record<MachineItem['state'], { icon: IconName; word: string }>> = {
  good: { icon: 'check', word: 'in order' },
  warning: { icon: 'warning', word: 'warning' },
  bad: { icon: 'cross', word: 'problem' },
  unknown: { icon: 'waiting', word: 'not known' },
};

export function CheckList({ items, wide = false }: { items: readonly MachineItem[]; wide?: boolean }) {
  return (
    <table className={classes(styles.list, wide && styles.wide)}>
      <caption className="unseen">Check of this machine</caption>
      <tbody>
        {items.map((item) => (
          <tr key={item.name}>
            <th scope="row">
              <span className={classes(styles.mark, styles[item.state])}>
                <Icon name={marks[item.state].icon} size={11} />
                {item.name}
                <span className="unseen">, {marks[item.state].word}</span>
              </span>
            </th>
            <td>
              {item.text}
              {item.hint !== null && <div className={styles.hint}>{item.hint}</div>}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
