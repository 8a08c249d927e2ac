/** `/rows/POOL/EPISODE/LINE`: one row, what the model is given and what it is taught. */
import { useAddress } from '../../navigation/address.ts';
import { PoolGate } from './pool-gate.tsx';
import { RowPage } from './row-page.tsx';

export function RowScreen() {
  const [, pool = '', episode = '', line = ''] = useAddress().path;
  return (
    <PoolGate key={pool} pool={pool}>
      {(open) => <RowPage pool={open} episode={episode} line={Number(line)} />}
    </PoolGate>
  );
}
