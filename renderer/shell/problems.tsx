/** Pages of what keeps the whole window from working: refused, never connected, no history, no such address. */
import { useConnection } from '../api/connection.ts';
import { Button } from '../components/button.tsx';
import { copyAndSay } from '../components/copy-text.ts';
import { LinkTo } from '../components/link-to.tsx';
import { retryHistory, useAppInfo } from './app-info.ts';
import { diagnosis } from './diagnosis.ts';
import { useNeedsMain } from './needs-main.ts';
import { ProblemPage } from './problem-page.tsx';

const copyDiagnosis = <Button onPress={() => void copyAndSay(diagnosis(), 'diagnosis')}>Copy diagnosis</Button>;

export function RefusedPage() {
  const { reason, tryNow } = useConnection();
  return (
    <ProblemPage
      title="This window was not let in"
      message={`The main process did not take the token of this address${reason === '' ? '.' : `: ${reason}.`} Nobody can read or stop runs without it.`}
      hint={
        <>
          Open the whole address that <span className="mono">whetstone serve</span> printed: the token stands behind its
          #. The address stays the same over restarts while the port and the token file do.
        </>
      }
      actions={
        <>
          <Button kind="primary" onPress={tryNow}>
            Try again
          </Button>
          {copyDiagnosis}
        </>
      }
    />
  );
}

export function NeverConnectedPage() {
  const { reason, tryNow } = useConnection();
  return (
    <ProblemPage
      title="No main process"
      message={`The window has not reached the main process yet${reason === '' ? '.' : `: ${reason}.`} Runs do not depend on either and go on.`}
      hint={
        <>
          Is <span className="mono">whetstone serve</span> still running, and the tunnel to it open? The window tries
          again by itself.
        </>
      }
      actions={
        <>
          <Button kind="primary" onPress={tryNow}>
            Try now
          </Button>
          {copyDiagnosis}
        </>
      }
    />
  );
}

export function HistoryProblemPage() {
  const { info, error, retrying } = useAppInfo();
  const off = useNeedsMain();
  const problem = info?.historyProblem;
  if (!problem) return null;
  return (
    <ProblemPage
      title="The history cannot be opened"
      message={problem.message}
      hint={problem.hint}
      actions={
        <>
          <Button kind="primary" onPress={() => void retryHistory()} disabledReason={retrying ? 'trying now' : off}>
            {retrying ? 'Trying…' : 'Try again'}
          </Button>
          {copyDiagnosis}
        </>
      }
    >
      {error && <pre>{error.message}</pre>}
      <p className="small third" style={{ marginTop: 20 }}>
        Runs are not affected: they write into their own folders, and are taken in when the history opens. Data folder{' '}
        <span className="mono">{info.dataFolder}</span> on {info.host}. Rows and Machine work without it.
      </p>
    </ProblemPage>
  );
}

export function UnknownAddressPage({ nearest }: { nearest: { address: string; title: string } }) {
  return (
    <ProblemPage
      title="Nothing at this address"
      message={`There is no screen ${location.pathname}.`}
      hint="The link may be of another version, or cut short."
      actions={
        <LinkTo to={nearest.address} as="primary">
          Open {nearest.title}
        </LinkTo>
      }
    />
  );
}
