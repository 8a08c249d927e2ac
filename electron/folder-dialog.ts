/** The system's dialog for a folder: WindowHost.pickFolder of the desktop app. */
import { BrowserWindow, dialog, type OpenDialogOptions } from 'electron';

/** Absolute path, or null when it was cancelled. */
export async function pickFolder(title: string, from: string): Promise<string | null> {
  const options: OpenDialogOptions = {
    title,
    buttonLabel: 'Choose',
    properties: ['openDirectory'],
    ...(from === '' ? {} : { defaultPath: from }),
  };
  const window = BrowserWindow.getFocusedWindow() ?? BrowserWindow.getAllWindows()[0];
  const { canceled, filePaths } = await (window
    ? dialog.showOpenDialog(window, options)
    : dialog.showOpenDialog(options));
  return canceled ? null : (filePaths[0] ?? null);
}
