/** The connection is lost: how old what is seen is, that runs go on, and when the next try is. */
import { useEffect, useState } from 'react';
import { useConnection } from '../api/connection.ts';
import { Band } from '../components/band.tsx';
import { Button } from '../components/button.tsx';
import { copyAndSay } from '../components/copy-text.ts';
import { formatAgo, formatClock } from '../format/times.ts';
import { diagnosis } from './diagnosis.ts';

/** Milliseconds since 1970, every second. */
function useNow(): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  return now;
}

export function LostBar() {
  const { lostAt, nextTryAt, attempt, reason, tryNow } = useConnection();
  const now = useNow();
  const asOf = lostAt === null ? null : formatClock(lostAt / 1000, { seconds: true });
  const wait = nextTryAt === null ? null : Math.max(0, Math.ceil((nextTryAt - now) / 1000));
  return (
    <Band
      kind="bad"
      actions={
        <>
          <span className="second nowrap">
            {wait === null ? 'trying now' : `next try in ${wait} s`}
            {attempt > 0 && `, attempt ${attempt}`}
          </span>
          <Button onPress={tryNow}>Try now</Button>
          <Button onPress={() => void copyAndSay(diagnosis(), 'diagnosis')}>Copy diagnosis</Button>
        </>
      }
    >
      <b>Window lost the main process{lostAt !== null && ` ${formatAgo((now - lostAt) / 1000)}`}</b>
      {reason !== '' && ` (${reason})`}. Runs do not depend on this window and go on.
      {asOf !== null && ` What you see is as of ${asOf}.`}
    </Band>
  );
}
