/** `/rows`: which pool; `/rows/POOL`: its episodes and rows. */
import { useAddress } from '../../navigation/address.ts';
import { PoolBrowser } from './pool-browser.tsx';
import { PoolChooser } from './pool-chooser.tsx';
import { PoolGate } from './pool-gate.tsx';

export function RowsScreen() {
  const [, pool] = useAddress().path;
  if (pool === undefined) return <PoolChooser />;
  return (
    <PoolGate key={pool} pool={pool}>
      {(open) => <PoolBrowser pool={open} />}
    </PoolGate>
  );
}
