/** What the main process says about itself, asked anew after every connection. */
import { create } from 'zustand';
import type { AppInfo } from '../../main/contract/window/app.ts';
import { CallError } from '../api/call-error.ts';
import { call } from '../api/client.ts';

interface AppInfoState {
  info: AppInfo | null;
  error: CallError | null;
  /** The history is being opened again. */
  retrying: boolean;
}

export const useAppInfo = create<AppInfoState>(() => ({ info: null, error: null, retrying: false }));

export async function loadAppInfo(): Promise<void> {
  try {
    useAppInfo.setState({ info: await call('app.info', {}), error: null });
  } catch (fault) {
    useAppInfo.setState({ error: CallError.from(fault) });
  }
}

export async function retryHistory(): Promise<void> {
  useAppInfo.setState({ retrying: true });
  try {
    useAppInfo.setState({ info: await call('app.retryHistory', {}), error: null, retrying: false });
  } catch (fault) {
    useAppInfo.setState({ error: CallError.from(fault), retrying: false });
  }
}
