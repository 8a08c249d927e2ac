/** Title of the window: what is shown, then the app's name, as tabs and task bars cut from the right. */
import { useEffect } from 'react';

export function useWindowTitle(title: string): void {
  useEffect(() => {
    document.title = title === '' ? 'Whetstone' : `${title} · Whetstone`;
  }, [title]);
}
