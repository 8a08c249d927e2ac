/** Opens a pool and shows how far that is; what needs the pool comes inside. */
import type { ReactNode } from 'react';
import type { OpenPool } from '../../../main/contract/window/rows.ts';
import { Button } from '../../components/button.tsx';
import { LinkTo } from '../../components/link-to.tsx';
import { ProgressBar } from '../../components/progress-bar.tsx';
import { Screen } from '../../components/screen.tsx';
import { formatCount } from '../../format/numbers.ts';
import { Fault } from './fault.tsx';
import { cancelOpening, openPool, usePool, type PoolState } from './pools.ts';
import styles from './rows.module.css';

export function PoolGate({ pool, children }: { pool: string; children: (open: OpenPool) => ReactNode }) {
  const state = usePool(pool);
  if (state?.state === 'open') return children(state.pool);
  if (state?.state === 'opening' && state.old) return children(state.old);
  return (
    <Screen title="Rows" head={<LinkTo to="/rows">All pools</LinkTo>}>
      <div className={styles.gate}>
        {state?.state === 'failed' ? (
          <Fault
            error={state.error}
            actions={
              <>
                <Button onPress={() => void openPool({ pool })}>
                  {state.error.code === 'cancelled' ? 'Read the rows' : 'Try again'}
                </Button>
                <LinkTo to="/rows" as="plain">
                  All pools
                </LinkTo>
              </>
            }
          />
        ) : (
          <Opening state={state} onCancel={() => cancelOpening(pool)} />
        )}
      </div>
    </Screen>
  );
}

/** `undefined`: about to begin. */
export function Opening({ state, onCancel }: { state: PoolState | undefined; onCancel: () => void }) {
  const { done, of } = state?.state === 'opening' ? state : { done: 0, of: 0 };
  return (
    <div className={styles.opening}>
      <p role="status">Reading rows{of > 0 ? `, ${formatCount(done)} of ${formatCount(of)} episodes` : ''}</p>
      <ProgressBar value={of > 0 ? done / of : null} label="Reading rows" />
      <p className="note third">The first time every row and screenshot is read; later only what has changed.</p>
      <Button onPress={onCancel}>Cancel</Button>
    </div>
  );
}
