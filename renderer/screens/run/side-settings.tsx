/** Settings of a run, those that differ from their default first; the command line of the same run; what the run warned of. */
import { useState } from 'react';
import type { RunDetail, ShownSetting } from '../../../main/contract/window/runs.ts';
import { Button } from '../../components/button.tsx';
import { copyAndSay } from '../../components/copy-text.ts';
import { Say } from '../../components/say.tsx';
import { Section } from '../../components/section.tsx';
import { formatCount, formatCounted } from '../../format/numbers.ts';
import styles from './run.module.css';

/** As its flag is typed. A flag that turns something off names what it turns off: `--no-recompute` is recompute, which is on or off. */
const settingName = ({ flag, name }: ShownSetting): string => flag?.replace(/^--(no-)?/, '') ?? name;

export function SideSettings({ run }: { run: RunDetail }) {
  const [all, setAll] = useState(false);
  const differing = run.settings.filter((setting) => setting.differs);
  const shown = all ? [...differing, ...run.settings.filter((setting) => !setting.differs)] : differing;
  return (
    <Section
      title="Settings"
      note={
        differing.length === 0
          ? 'all at their default'
          : `${formatCount(differing.length)} ${differing.length === 1 ? 'differs' : 'differ'} from defaults`
      }
      actions={
        <Button kind="text" small expanded={all} onPress={() => setAll(!all)}>
          {all ? 'only differing' : `all ${run.settings.length}`}
        </Button>
      }
    >
      <dl className={styles.settings}>
        {shown.map((setting) => (
          <div
            key={setting.name}
            title={`${setting.meaning ?? setting.name}${setting.differs && setting.default !== null ? `\nDefault: ${setting.default}` : ''}`}
          >
            <dt className="third">{settingName(setting)}</dt>
            <dd className={setting.differs ? undefined : 'second'}>{setting.value === '' ? '–' : setting.value}</dd>
          </div>
        ))}
      </dl>
      {all && (
        <dl className={styles.settings} data-wide="">
          {run.rowsFolders.map((folder) => (
            <div key={folder}>
              <dt className="third">rows</dt>
              <dd>{folder}</dd>
            </div>
          ))}
          <div>
            <dt className="third">model</dt>
            <dd>{run.model.path}</dd>
          </div>
          <div>
            <dt className="third">adapter in</dt>
            <dd>{run.output}</dd>
          </div>
          {run.trainer !== null && (
            <div>
              <dt className="third">trainer</dt>
              <dd>
                {run.trainer.version}, torch {run.trainer.torch}, {formatCount(run.trainer.trainable)} trainable
              </dd>
            </div>
          )}
        </dl>
      )}
      <p className={`note third ${styles.verified ?? ''}`}>
        {run.verified ?? 'not verified here: whetstone verify compares with transformers'}
      </p>
    </Section>
  );
}

export function SideCommand({ run }: { run: RunDetail }) {
  if (run.command === null) return null;
  const { command } = run;
  return (
    <Section
      title="Command"
      note="the same run on the command line"
      actions={
        <Button kind="text" small onPress={() => void copyAndSay(command, 'the command')}>
          Copy
        </Button>
      }
    >
      <pre className={styles.command} tabIndex={0}>
        {command}
      </pre>
    </Section>
  );
}

export function SideWarnings({ run }: { run: RunDetail }) {
  const counted = new Map<string, { message: string; times: number }>();
  for (const { code, message } of run.warnings) {
    const key = `${code} ${message}`;
    const known = counted.get(key);
    counted.set(key, { message, times: (known?.times ?? 0) + 1 });
  }
  const { found, allowed } = run.badRows;
  if (counted.size === 0 && found === 0 && run.unknownLines === 0 && !run.folderGone) return null;
  return (
    <Section title="Needs a look">
      <div className={styles.says}>
        {run.folderGone && (
          <Say kind="warning" title="The run's folder is gone.">
            What is shown is the history's. It cannot be resumed.
          </Say>
        )}
        {[...counted].map(([key, { message, times }]) => (
          <Say key={key} kind="warning">
            {message}
            {times > 1 && <span className="third"> {times} times</span>}
          </Say>
        ))}
        {found > 0 && (
          <Say kind="info">
            {formatCounted(found, 'row')} could not be used and {found === 1 ? 'was' : 'were'} left out; up to{' '}
            {formatCount(allowed)} {allowed === 1 ? 'was' : 'were'} let through.
          </Say>
        )}
        {run.unknownLines > 0 && (
          <Say kind="warning" title={`${formatCounted(run.unknownLines, 'line')} of events.jsonl could not be read.`}>
            Of a later version, or damaged; everything else is shown.
          </Say>
        )}
      </div>
    </Section>
  );
}
