/** An image of a row as an address that the page can show. It is given back when another is shown. */
import { useEffect, useState } from 'react';
import { call, CallError } from '../../api/client.ts';
import { useConnection } from '../../api/connection.ts';

export type RowImageState =
  { state: 'reading' } | { state: 'shown'; address: string } | { state: 'failed'; error: CallError };

export interface ImageOf {
  pool: string;
  episode: string;
  line: number;
  image: number;
}

export function useRowImage({ pool, episode, line, image }: ImageOf): RowImageState {
  const [state, setState] = useState<{ key: string; image: RowImageState }>({ key: '', image: { state: 'reading' } });
  const generation = useConnection((connection) => connection.generation);
  const key = JSON.stringify([pool, episode, line, image, generation]);
  useEffect(() => {
    let address: string | null = null;
    let isCurrent = true;
    call('rows.image', { pool, episode, line, image }).then(
      ({ type, bytes }) => {
        if (!isCurrent) return;
        // Copied: a view of the transport's buffer would keep the whole message.
        address = URL.createObjectURL(new Blob([new Uint8Array(bytes)], { type }));
        setState({ key, image: { state: 'shown', address } });
      },
      (fault: unknown) => isCurrent && setState({ key, image: { state: 'failed', error: CallError.from(fault) } }),
    );
    return () => {
      isCurrent = false;
      if (address !== null) URL.revokeObjectURL(address);
    };
  }, [key, pool, episode, line, image]);
  return state.key === key ? state.image : { state: 'reading' };
}
