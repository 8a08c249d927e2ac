/** Size of an element in whole CSS pixels, followed. */
import { useLayoutEffect, useState, type RefObject } from 'react';

export interface Size {
  width: number;
  height: number;
}

export function useSize(element: RefObject<HTMLElement | null>): Size {
  const [size, setSize] = useState<Size>({ width: 0, height: 0 });
  useLayoutEffect(() => {
    const target = element.current;
    if (!target) return;
    const read = (): void =>
      setSize((before) => {
        const width = target.clientWidth;
        const height = target.clientHeight;
        return before.width === width && before.height === height ? before : { width, height };
      });
    read();
    const observer = new ResizeObserver(read);
    observer.observe(target);
    return () => observer.disconnect();
  }, [element]);
  return size;
}

/** Pixels of the device per CSS pixel; another screen or zoom changes it. */
export function usePixelRatio(): number {
  const [ratio, setRatio] = useState(() => globalThis.devicePixelRatio || 1);
  useLayoutEffect(() => {
    const query = matchMedia(`(resolution: ${ratio}dppx)`);
    const changed = (): void => setRatio(globalThis.devicePixelRatio || 1);
    query.addEventListener('change', changed);
    return () => query.removeEventListener('change', changed);
  }, [ratio]);
  return ratio;
}
