/** Light or dark: as the system wishes, unless a person has chosen. The choice is remembered by the browser, or the app. */
import { create } from 'zustand';

export const themes = ['system', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];

const store = 'whetstone.theme';

function remembered(): Theme {
  try {
    const value = localStorage.getItem(store);
    return themes.find((theme) => theme === value) ?? 'system';
  } catch {
    return 'system';
  }
}

function show(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme;
}

export const useTheme = create<{ theme: Theme }>(() => ({ theme: remembered() }));

export function setTheme(theme: Theme): void {
  try {
    localStorage.setItem(store, theme);
  } catch {
    // Storage is off: the choice holds until the window is closed.
  }
  useTheme.setState({ theme });
  show(theme);
}

/** Before anything is drawn. */
export function applyTheme(): void {
  show(useTheme.getState().theme);
  // Another window of ours.
  addEventListener('storage', (event) => {
    if (event.key !== store) return;
    useTheme.setState({ theme: remembered() });
    show(remembered());
  });
}
