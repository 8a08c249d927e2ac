/** The same object as before while its content is the same, so that what depends on it does not start anew. */
import { useState } from 'react';

export function useStable<Value>(value: Value): Value {
  const [kept, setKept] = useState(value);
  if (kept !== value && JSON.stringify(kept) !== JSON.stringify(value)) {
    setKept(value);
    return value;
  }
  return kept;
}
