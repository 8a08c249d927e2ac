/** Every part in every state, for those who build them: what a change to a part does is seen here in one look, in both themes. */
import { Screen } from '../../components/screen.tsx';
import { Charts } from './charts.tsx';
import { Buttons, Choices, Fields } from './controls.tsx';
import { Floating } from './floating.tsx';
import { Identity, Masks } from './masks.tsx';
import { Bands, Icons, Nothing, Numbers, Progress, RunStates, SaidInPlace } from './said.tsx';
import styles from './states-screen.module.css';
import { Tints } from './tints.tsx';

export function StatesScreen() {
  return (
    <Screen
      title="States of the parts"
      head={<span className="small second">a sheet for builders, not a screen</span>}
      className={styles.columns}
    >
      <div className={styles.column}>
        <Charts />
        <Progress />
        <Bands />
        <Nothing />
        <Floating />
        <Icons />
      </div>
      <div className={styles.column}>
        <RunStates />
        <Buttons />
        <Fields />
        <Choices />
        <SaidInPlace />
        <Masks />
        <Identity />
        <Tints />
        <Numbers />
      </div>
    </Screen>
  );
}
