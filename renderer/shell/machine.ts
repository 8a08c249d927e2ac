/** The last check of the machine, shared by the foot, the first start and the machine's own screen, so that the three never differ. */
import { create } from 'zustand';
import type { MachineCheck } from '../../main/contract/window/app.ts';
import { CallError } from '../api/call-error.ts';
import { call } from '../api/client.ts';

interface MachineState {
  check: MachineCheck | null;
  error: CallError | null;
  loading: boolean;
}

export const useMachine = create<MachineState>(() => ({ check: null, error: null, loading: false }));

/** Checks again; while a check is under way, waits for that one. */
export async function checkMachine(): Promise<void> {
  if (useMachine.getState().loading) return;
  useMachine.setState({ loading: true });
  try {
    useMachine.setState({ check: await call('machine.check', {}), error: null, loading: false });
  } catch (fault) {
    useMachine.setState({ error: CallError.from(fault), loading: false });
  }
}
