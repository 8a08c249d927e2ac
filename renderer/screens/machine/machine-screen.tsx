/** The machine that the main process runs on: what is in order, what a run can be trained on, how much room there is. */
import type { ReactNode } from 'react';
import { Button } from '../../components/button.tsx';
import { Empty } from '../../components/empty.tsx';
import { ProgressBar } from '../../components/progress-bar.tsx';
import { Say } from '../../components/say.tsx';
import { Screen } from '../../components/screen.tsx';
import { Section } from '../../components/section.tsx';
import { Spinner } from '../../components/spinner.tsx';
import { formatBytes, formatGib, missing } from '../../format/numbers.ts';
import { formatClock, formatDuration } from '../../format/times.ts';
import { useKeys } from '../../navigation/keys.ts';
import { useAppInfo } from '../../shell/app-info.ts';
import { checkMachine, useMachine } from '../../shell/machine.ts';
import { useNeedsMain } from '../../shell/needs-main.ts';
import { CheckList } from './check-list.tsx';
import styles from './machine-screen.module.css';

export function MachineScreen() {
  const { check, error, loading } = useMachine();
  const info = useAppInfo((app) => app.info);
  const off = useNeedsMain();
  useKeys('Machine', [
    { keys: 'U', label: 'check again', run: () => void checkMachine(), disabled: off !== undefined },
  ]);
  return (
    <Screen
      title="Machine"
      head={
        <>
          <span className="small second">
            {info && `${info.host}, ${info.platform}`}
            {check && `, checked at ${formatClock(check.time, { seconds: true })} in ${formatDuration(check.seconds)}`}
          </span>
          <span className="grow" />
          {loading && <Spinner label="Checking" />}
          <Button
            keys="U"
            onPress={() => void checkMachine()}
            disabledReason={off ?? (loading ? 'checking now' : null)}
          >
            Check again
          </Button>
        </>
      }
    >
      <div className={styles.columns}>
        <div>
          <Section title="In order" noLine>
            {error && (
              <div className={styles.said}>
                <Say kind="bad" title={`The check failed: ${error.message}`} live>
                  {error.hint}
                </Say>
              </div>
            )}
            {check ? <CheckList items={check.items} wide /> : !error && <Empty title="Checking this machine" />}
          </Section>
        </div>
        <div className={styles.side}>
          <Section title="Devices" note="as the setting device takes them">
            {check && check.devices.length === 0 && (
              <Empty title="None: the trainer is not built, or did not answer">See trainer at the left.</Empty>
            )}
            {check && check.devices.length > 0 && (
              <table>
                <thead>
                  <tr>
                    <th scope="col">Device</th>
                    <th scope="col">Name</th>
                    <th scope="col" className="number">
                      Memory
                    </th>
                  </tr>
                </thead>
                <tbody>
                  {check.devices.map((device) => (
                    <tr key={device.id}>
                      <td className="mono">{device.id}</td>
                      <td>{device.name}</td>
                      <td className="number">{formatGib(device.memoryGib)}</td>
                    </tr>
                  ))}
                </tbody>
              </table>
            )}
          </Section>
          <Section title="Disks">
            {check?.disks.map((disk) => (
              <div key={disk.name} className={styles.disk}>
                <div className="line small">
                  <span className="medium">{disk.name}</span>
                  <span className="mono-small second ellipsis" title={disk.folder}>
                    {disk.folder}
                  </span>
                  <span className="grow" />
                  <span className="nowrap">
                    {formatBytes(disk.freeBytes)} free of {formatBytes(disk.totalBytes)}
                  </span>
                </div>
                <ProgressBar
                  label={`${disk.name}: used`}
                  value={disk.totalBytes > 0 ? 1 - disk.freeBytes / disk.totalBytes : null}
                />
              </div>
            ))}
          </Section>
          <Section title="Whetstone" noLine padded>
            <dl className={styles.facts}>
              <Fact name="version">{info?.version ?? missing}</Fact>
              <Fact name="window">{info ? (info.carrier === 'electron' ? 'desktop app' : 'browser') : missing}</Fact>
              <Fact name="data folder">
                <span className="mono-small">{info?.dataFolder ?? missing}</span>
              </Fact>
              <Fact name="history">
                {info?.historyProblem ? <span className="is-bad">{info.historyProblem.message}</span> : 'open'}
              </Fact>
            </dl>
          </Section>
        </div>
      </div>
    </Screen>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
