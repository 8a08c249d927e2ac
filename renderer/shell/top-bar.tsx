/** The top bar: the places, how many runs are in which state, find or do, new run. Nothing else is global. */
import type { RunRow } from '../../main/contract/window/runs.ts';
import { useConnection } from '../api/connection.ts';
import { Button } from '../components/button.tsx';
import { Icon } from '../components/icon.tsx';
import { LinkTo } from '../components/link-to.tsx';
import { formatClock } from '../format/times.ts';
import { places, type Place } from '../navigation/screens.ts';
import { countRuns } from './count-runs.ts';
import { setTheme, themes, useTheme } from './theme.ts';
import styles from './top-bar.module.css';

function Counts({ runs }: { runs: readonly RunRow[] }) {
  const lostAt = useConnection((connection) => (connection.state === 'up' ? null : connection.lostAt));
  const { running, failed, interrupted } = countRuns(runs);
  const parts = [
    { text: `${running} running`, tone: running > 0 ? 'is-good' : '', shown: true },
    { text: `${failed} failed`, tone: 'is-bad', shown: failed > 0 },
    { text: `${interrupted} interrupted`, tone: 'is-warning', shown: interrupted > 0 },
  ].filter((part) => part.shown);
  return (
    <span className={lostAt === null ? styles.counts : styles.stale}>
      {lostAt !== null && `as of ${formatClock(lostAt / 1000, { seconds: true })}: `}
      {parts.map(({ text, tone }, index) => (
        <span key={text}>
          {index > 0 && ' · '}
          <span className={lostAt === null ? tone : undefined}>{text}</span>
        </span>
      ))}
    </span>
  );
}

function ThemeButton() {
  const theme = useTheme((state) => state.theme);
  const next = themes[(themes.indexOf(theme) + 1) % themes.length] ?? 'system';
  const words = { system: 'as the system', light: 'light', dark: 'dark' };
  return (
    <Button
      kind="text"
      label={`Theme: ${words[theme]}`}
      title={`Theme: ${words[theme]}. Press for ${words[next]}`}
      onPress={() => setTheme(next)}
    >
      <Icon name="theme" />
    </Button>
  );
}

interface TopBarProps {
  place: Place | null;
  runs: readonly RunRow[];
  onFind: () => void;
}

export function TopBar({ place, runs, onFind }: TopBarProps) {
  return (
    <header className={styles.top}>
      <span className={styles.word}>Whetstone</span>
      <nav aria-label="Places" className={styles.places}>
        {places.map((each) => (
          <LinkTo key={each.place} to={each.address} current={each.place === place} title={`G then ${each.key}`}>
            {each.title}
          </LinkTo>
        ))}
      </nav>
      <div className={styles.right}>
        {runs.length > 0 && <Counts runs={runs} />}
        <ThemeButton />
        <Button kind="text" keys="Ctrl+K" onPress={onFind}>
          Find or do…
        </Button>
        <LinkTo to="/new" as="plain" keys="N">
          New run
        </LinkTo>
      </div>
    </header>
  );
}
