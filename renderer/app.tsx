/**
 * The window: top bar, what is wrong with the whole, the screen of the address, foot. The list of runs, where people come in, is here from the start; another screen's
 * code is loaded when it is first shown.
 */
import { lazy, Suspense, useCallback, useEffect, useRef, useState, type ComponentType } from 'react';
import { useConnection } from './api/connection.ts';
import { Band } from './components/band.tsx';
import { LinkTo } from './components/link-to.tsx';
import { Spinner } from './components/spinner.tsx';
import { Toasts } from './components/toast.tsx';
import { useAddress } from './navigation/address.ts';
import { resolveScreen, type ScreenName } from './navigation/screens.ts';
import { RunsScreen } from './screens/runs/runs-screen.tsx';
import { loadAppInfo, useAppInfo } from './shell/app-info.ts';
import { ErrorBoundary } from './shell/error-boundary.tsx';
import { Foot } from './shell/foot.tsx';
import { KeyHelp } from './shell/key-help.tsx';
import { LostBar } from './shell/lost-bar.tsx';
import { checkMachine } from './shell/machine.ts';
import { Palette } from './shell/palette.tsx';
import { HistoryProblemPage, NeverConnectedPage, RefusedPage, UnknownAddressPage } from './shell/problems.tsx';
import { GoKeys, ShellKeys } from './shell/shell-keys.tsx';
import { TopBar } from './shell/top-bar.tsx';
import { useRunRows, useRuns } from './stores/runs.ts';
import styles from './app.module.css';

const screens: Readonly<Record<ScreenName, ComponentType>> = {
  runs: RunsScreen,
  run: lazy(async () => ({ default: (await import('./screens/run/run-screen.tsx')).RunScreen })),
  compare: lazy(async () => ({ default: (await import('./screens/compare/compare-screen.tsx')).CompareScreen })),
  'new-run': lazy(async () => ({ default: (await import('./screens/new-run/new-run-screen.tsx')).NewRunScreen })),
  rows: lazy(async () => ({ default: (await import('./screens/rows/rows-screen.tsx')).RowsScreen })),
  row: lazy(async () => ({ default: (await import('./screens/rows/row-screen.tsx')).RowScreen })),
  machine: lazy(async () => ({ default: (await import('./screens/machine/machine-screen.tsx')).MachineScreen })),
  states: lazy(async () => ({ default: (await import('./screens/states/states-screen.tsx')).StatesScreen })),
};
const FirstStart = lazy(async () => ({ default: (await import('./screens/first-start/first-start.tsx')).FirstStart }));
/** What can be shown without a history. */
const withoutHistory: readonly ScreenName[] = ['rows', 'row', 'machine', 'states'];
/** The disk fills while runs save: looked at again every so often, in ms. */
const machineEvery = 5 * 60_000;

export function App() {
  const address = useAddress();
  const target = resolveScreen(address.path);
  const [open, setOpen] = useState<'find' | 'help' | 'go' | null>(null);
  const close = useCallback(() => setOpen(null), []);
  const main = useRef<HTMLElement>(null);
  const { state, generation } = useConnection();
  const history = useAppInfo((app) => app.info?.historyProblem ?? null);
  const runs = useRunRows();
  const known = useRuns((all) => all.readAt !== null || all.error !== null);
  const noRuns = useRuns((all) => all.readAt !== null && all.runs.length === 0 && all.faults.length === 0);

  useEffect(() => {
    void loadAppInfo();
  }, [generation]);
  // The check asks the trainer what it is, which takes a second of a processor: the first picture of the runs needs that more.
  const runsFirst = target.screen === 'runs' && !noRuns;
  useEffect(() => {
    const timer = setTimeout(() => void checkMachine(), runsFirst ? 3000 : 0);
    return () => clearTimeout(timer);
  }, [generation, runsFirst]);
  useEffect(() => {
    const timer = setInterval(() => document.visibilityState === 'visible' && void checkMachine(), machineEvery);
    return () => clearInterval(timer);
  }, []);
  useFocusOnMain(main, address.path.join('/'));

  const content = () => {
    if (state === 'refused') return <RefusedPage />;
    if (generation === 0 && state === 'lost') return <NeverConnectedPage />;
    if (target.screen === null) return <UnknownAddressPage nearest={target.nearest} />;
    if (history && !withoutHistory.includes(target.screen)) return <HistoryProblemPage />;
    // Whether there are runs decides between two screens: neither is shown before it is known.
    if (target.screen === 'runs' && !known) return <Loading label="Reading the runs" />;
    const Shown = target.screen === 'runs' && noRuns ? FirstStart : screens[target.screen];
    return <Shown key={target.key} />;
  };

  return (
    <div className={styles.frame}>
      <ShellKeys onFind={() => setOpen('find')} onHelp={() => setOpen('help')} onGo={() => setOpen('go')} />
      <TopBar place={target.place} runs={runs} onFind={() => setOpen('find')} />
      <aside aria-label="Notices">
        {state === 'lost' && generation > 0 && <LostBar />}
        {history && target.screen !== null && withoutHistory.includes(target.screen) && (
          <Band kind="bad">
            <b>The history cannot be opened.</b> {history.message} <LinkTo to="/runs">What to do</LinkTo>
          </Band>
        )}
      </aside>
      <main ref={main} tabIndex={-1} className={styles.main}>
        <ErrorBoundary resetKey={`${address.path.join('/')} ${noRuns}`}>
          <Suspense fallback={<Loading label="Loading the screen" />}>{content()}</Suspense>
        </ErrorBoundary>
      </main>
      <Foot />
      <Toasts />
      {open === 'find' && <Palette runs={runs} onClose={close} />}
      {open === 'help' && <KeyHelp onClose={close} />}
      {open === 'go' && <GoKeys onDone={close} />}
    </div>
  );
}

const Loading = ({ label }: { label: string }) => (
  <div className={styles.loading}>
    <Spinner label={label} />
  </div>
);

/** After a change of screen the focus goes to its heading (unless the screen has put it somewhere), so that keys act there and readers begin there. */
function useFocusOnMain(main: { readonly current: HTMLElement | null }, path: string): void {
  const first = useRef(true);
  useEffect(() => {
    if (first.current) {
      first.current = false;
      return;
    }
    const frame = requestAnimationFrame(() => {
      const element = main.current;
      if (!element || element.contains(document.activeElement) || document.querySelector('dialog[open]')) return;
      (element.querySelector<HTMLElement>('h1[tabindex="-1"]') ?? element).focus({ preventScroll: true });
    });
    return () => cancelAnimationFrame(frame);
  }, [main, path]);
}
