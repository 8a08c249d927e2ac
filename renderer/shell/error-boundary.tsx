/** A fault in one screen must not take the window with it: says what happened, and goes again when the address changes. */
import { Component, type ReactNode } from 'react';
import { Button } from '../components/button.tsx';
import { copyAndSay } from '../components/copy-text.ts';
import { LinkTo } from '../components/link-to.tsx';
import { diagnosis } from './diagnosis.ts';
import { ProblemPage } from './problem-page.tsx';

/** `resetKey`: another one tries again (the address). */
export class ErrorBoundary extends Component<
  { resetKey: string; children: ReactNode },
  { error: unknown; failed: boolean }
> {
  override state = { error: undefined as unknown, failed: false };

  static getDerivedStateFromError(error: unknown): { error: unknown; failed: boolean } {
    return { error, failed: true };
  }

  override componentDidUpdate(before: { resetKey: string }): void {
    if (this.state.failed && before.resetKey !== this.props.resetKey)
      this.setState({ error: undefined, failed: false });
  }

  override render(): ReactNode {
    if (!this.state.failed) return this.props.children;
    const { error } = this.state;
    return (
      <ProblemPage
        title="This screen failed"
        message={`A fault of this window, not of a run: ${error instanceof Error ? error.message : String(error)}`}
        hint="Runs are not affected. Reload the window; if it fails again, copy the diagnosis into a report."
        actions={
          <>
            <Button kind="primary" onPress={() => location.reload()}>
              Reload the window
            </Button>
            <Button onPress={() => void copyAndSay(diagnosis(error), 'diagnosis')}>Copy diagnosis</Button>
            <LinkTo to="/runs" as="plain">
              Runs
            </LinkTo>
          </>
        }
      />
    );
  }
}
