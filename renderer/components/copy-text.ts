/** Copying, also where the browser has no clipboard for us (a page that did not come over https or from this machine). */
import { toast } from './toast.tsx';

export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = document.createElement('textarea');
    area.value = text;
    area.style.position = 'fixed';
    area.style.opacity = '0';
    const host = document.querySelector('dialog[open]') ?? document.body;
    host.append(area);
    const focused = document.activeElement;
    area.select();
    // Out of fashion, and the only way without a secure context.
    // eslint-disable-next-line @typescript-eslint/no-deprecated
    const copied = document.execCommand('copy');
    area.remove();
    if (focused instanceof HTMLElement) focused.focus();
    return copied;
  }
}

/** Copies, and says so: "Copied: the address". */
export async function copyAndSay(text: string, what: string): Promise<void> {
  if (await copyText(text)) toast(`Copied: ${what}`, { kind: 'good' });
  else toast(`Could not copy ${what}: the browser did not allow it`, { kind: 'bad' });
}
