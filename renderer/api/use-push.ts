/** Hearing pushes while a component is shown. */
import { useEffect, useRef } from 'react';
import type { PushName } from '../../main/contract/window/names.ts';
import type { Pushes } from '../../main/contract/window/pushes.ts';
import { onPush } from './client.ts';

/** Calls the newest `take` at every push of that name. Pushes during a lost connection are not made up for: `useQuery` asks anew after it. */
export function usePush<Name extends PushName>(name: Name, take: (payload: Pushes[Name]) => void): void {
  const newest = useRef(take);
  useEffect(() => {
    newest.current = take;
  });
  useEffect(() => onPush(name, (payload) => newest.current(payload)), [name]);
}
