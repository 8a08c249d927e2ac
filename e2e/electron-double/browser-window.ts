/** BrowserWindow and webContents: a page of the Chromium, with the preload script in an isolated world of it. */
import { EventEmitter } from 'node:events';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Script } from 'node:vm';
import { app, openWindows, preventable } from './app.ts';
import { offSession, onBrowser, onSession, send, type Params } from './chromium.ts';
import { invoke } from './ipc-main.ts';
import { record } from './record.ts';
import { answerRequest, caught, toApp, toChromium } from './schemes.ts';
import { strict } from './strict.ts';
import { encode } from './values.ts';

const worldName = 'whetstone-preload';
const pageScript = readFileSync(path.join(import.meta.dirname, 'page.js'), 'utf8');
const windows = new Set<BrowserWindow>();
const knownOptions = new Set([
  ...['width', 'height', 'x', 'y', 'minWidth', 'minHeight', 'show', 'title', 'autoHideMenuBar', 'backgroundColor'],
  'webPreferences',
]);
const knownPreferences = new Set([
  ...['preload', 'contextIsolation', 'sandbox', 'nodeIntegration', 'backgroundThrottling'],
]);

interface Preferences {
  preload?: string;
  contextIsolation?: boolean;
  sandbox?: boolean;
  nodeIntegration?: boolean;
}
interface Options {
  width?: number;
  height?: number;
  x?: number;
  y?: number;
  show?: boolean;
  webPreferences?: Preferences;
}
interface Bounds {
  x: number;
  y: number;
  width: number;
  height: number;
}
type OpenHandler = (details: { url: string }) => { action: 'allow' | 'deny' };

class WebContents extends EventEmitter {
  readonly mainFrame = { url: '' };
  openHandler: OpenHandler | undefined;
  private readonly window: BrowserWindow;

  constructor(window: BrowserWindow) {
    super();
    this.window = window;
  }
  send(channel: string, ...args: unknown[]): void {
    if (this.window.gone) throw new Error('Object has been destroyed');
    this.window.toPreload({ kind: 'push', channel, args: args.map(encode) });
  }
  setWindowOpenHandler(handler: OpenHandler): void {
    this.openHandler = handler;
  }
  reload(): void {
    record('webContents.reload');
    void this.window.command('Page.reload');
  }
}

export class BrowserWindow extends EventEmitter {
  static getAllWindows(): BrowserWindow[] {
    return [...windows];
  }
  static getFocusedWindow(): BrowserWindow | null {
    return [...windows].find((window) => window.focused) ?? null;
  }

  readonly webContents: WebContents;
  gone = false;
  /** Of the page in Chromium. */
  target = '';
  private session = '';
  private preloadWorld: number | undefined;
  private bounds: Bounds;
  private maximized = false;
  private focused = false;
  private shown = false;
  private asked = '';
  private loaded: (() => void) | undefined;
  private readonly preload: string | undefined;
  private readonly opened: Promise<void>;

  constructor(options: Options = {}) {
    super();
    if (!app.isReady()) throw new Error('Cannot create BrowserWindow before app is ready');
    const preferences = options.webPreferences ?? {};
    for (const key of Object.keys(options))
      if (!knownOptions.has(key)) throw new Error(`electron double: the window's option ${key} is not implemented`);
    for (const key of Object.keys(preferences))
      if (!knownPreferences.has(key)) throw new Error(`electron double: webPreferences.${key} is not implemented`);
    if (preferences.nodeIntegration || preferences.contextIsolation === false || preferences.sandbox === false)
      throw new Error('electron double: a page with access to Node, or without isolation or sandbox, is not ours');
    if (preferences.preload !== undefined && !path.isAbsolute(preferences.preload))
      throw new Error('preload script must have absolute path');
    this.preload = preferences.preload;
    this.bounds = {
      x: options.x ?? 100,
      y: options.y ?? 60,
      width: options.width ?? 800,
      height: options.height ?? 600,
    };
    record('BrowserWindow', options);
    const self = strict<BrowserWindow>(this, 'BrowserWindow');
    this.webContents = strict(new WebContents(this), 'webContents');
    windows.add(this);
    openWindows.add(this);
    this.opened = this.open();
    // A failure shows where the page is loaded.
    this.opened.catch(() => undefined);
    return self;
  }

  command(method: string, params: Params = {}): Promise<Params> {
    return send(method, params, this.session);
  }

  private async open(): Promise<void> {
    const { width, height } = this.bounds;
    const made = await send('Target.createTarget', { url: 'about:blank', width, height, newWindow: true });
    this.target = String(made['targetId']);
    const attached = await send('Target.attachToTarget', { targetId: this.target, flatten: true });
    this.session = String(attached['sessionId']);
    onSession(this.session, (method, params) => void this.onEvent(method, params));
    const patterns = [{ urlPattern: caught }, { urlPattern: '*', resourceType: 'Document' }];
    await Promise.all([
      this.command('Page.enable'),
      this.command('Runtime.enable'),
      this.command('Runtime.addBinding', { name: 'whetstoneDoubleSend', executionContextName: worldName }),
      this.command('Fetch.enable', { patterns }),
    ]);
    if (this.preload !== undefined) await this.addPreload(this.preload);
  }

  private async addPreload(file: string): Promise<void> {
    const wrapped = `(function(require,module,exports,process){${readFileSync(file, 'utf8')}\n})`;
    // Says where a mistake in it is.
    new Script(wrapped, { filename: file });
    await this.command('Page.addScriptToEvaluateOnNewDocument', {
      source: `if (window === top) { ${pageScript}; whetstoneWorld('whetstone-page', 'whetstone-preload'); }`,
    });
    await this.command('Page.addScriptToEvaluateOnNewDocument', {
      worldName,
      source: `if (window === top) { ${pageScript}; whetstonePreload(${wrapped}); }\n//# sourceURL=${file}`,
    });
  }

  /** To the preload script of the document that is shown, or of the one that asked. */
  toPreload(message: unknown, world: number | undefined = this.preloadWorld): void {
    if (world === undefined || this.gone) return;
    const expression = `whetstoneDoubleTake(${JSON.stringify(message)})`;
    // The document may be gone by now: then nobody waits for it.
    this.command('Runtime.evaluate', { contextId: world, expression }).catch(() => undefined);
  }

  private async onEvent(method: string, params: never): Promise<void> {
    const contents = this.webContents;
    switch (method) {
      case 'Runtime.executionContextCreated': {
        const { context } = params as { context: { id: number; name: string; auxData?: { frameId?: string } } };
        if (context.name === worldName && context.auxData?.frameId === this.target) this.preloadWorld = context.id;
        return;
      }
      case 'Runtime.executionContextDestroyed':
        if ((params as { executionContextId: number }).executionContextId === this.preloadWorld)
          this.preloadWorld = undefined;
        return;
      case 'Runtime.exceptionThrown': {
        const { exceptionDetails: details } = params as {
          exceptionDetails: { text: string; exception?: { description?: string } };
        };
        console.error(`electron double: in the page: ${details.exception?.description ?? details.text}`);
        return;
      }
      case 'Page.frameNavigated': {
        const { frame } = params as { frame: { url: string; parentId?: string } };
        if (frame.parentId === undefined) contents.mainFrame.url = toApp(frame.url);
        return;
      }
      case 'Page.loadEventFired':
        if (!this.shown) this.emit('ready-to-show');
        this.shown = true;
        this.loaded?.();
        return;
      case 'Page.windowOpen':
        popupAsked(toApp((params as { url: string }).url), contents.openHandler);
        return;
      case 'Runtime.bindingCalled':
        return this.onBinding(params);
      case 'Fetch.requestPaused':
        return this.onRequest(params);
    }
  }

  private async onBinding(params: { name: string; payload: string; executionContextId: number }): Promise<void> {
    const { id, channel, args } = JSON.parse(params.payload) as { id: number; channel: string; args: unknown[] };
    const event = { sender: this.webContents, senderFrame: this.webContents.mainFrame };
    const answer = await invoke(channel, event, args).then(
      (value) => ({ kind: 'answer', id, value }),
      (error: unknown) => ({ kind: 'answer', id, error: String(error) }),
    );
    this.toPreload(answer, params.executionContextId);
  }

  private async onRequest(params: {
    requestId: string;
    resourceType: string;
    request: { url: string; method: string; headers: Record<string, string>; postData?: string };
  }): Promise<void> {
    const { requestId, resourceType, request } = params;
    const url = toApp(request.url);
    try {
      // What the app loads itself is not asked about.
      if (resourceType === 'Document' && request.url !== this.asked) {
        const event = preventable({ url });
        this.webContents.emit('will-navigate', event, url);
        if (event.isPrevented()) {
          record('navigation refused', url);
          await this.command('Fetch.failRequest', { requestId, errorReason: 'Aborted' });
          return;
        }
      }
      if (url === request.url) {
        await this.command('Fetch.continueRequest', { requestId });
        return;
      }
      const { method, headers, postData } = request;
      const answer = await answerRequest(url, {
        method,
        headers,
        ...(postData === undefined ? {} : { body: postData }),
      });
      await this.command('Fetch.fulfillRequest', {
        requestId,
        responseCode: answer.status,
        responseHeaders: [...answer.headers].map(([name, value]) => ({ name, value })),
        body: Buffer.from(await answer.arrayBuffer()).toString('base64'),
      });
    } catch (error) {
      if (this.gone) return;
      console.error(`electron double: ${url}:`, error);
      await this.command('Fetch.failRequest', { requestId, errorReason: 'Failed' }).catch(() => undefined);
    }
  }

  async loadURL(url: string): Promise<void> {
    await this.opened;
    this.asked = toChromium(url);
    const loaded = new Promise<void>((resolve) => (this.loaded = resolve));
    const { errorText } = await this.command('Page.navigate', { url: this.asked });
    if (typeof errorText === 'string') throw new Error(`${errorText} (-2) loading '${url}'`);
    await loaded;
  }
  show(): void {
    this.focused = true;
    record('show');
  }
  focus(): void {
    this.focused = true;
    record('focus');
  }
  restore(): void {
    record('restore');
  }
  maximize(): void {
    this.maximized = true;
    this.emit('maximize');
  }
  isMinimized(): boolean {
    return false;
  }
  isMaximized(): boolean {
    return this.maximized;
  }
  getNormalBounds(): Bounds {
    return this.bounds;
  }
  setBounds(bounds: Bounds): void {
    this.bounds = bounds;
    this.emit('resize');
    this.emit('move');
  }
  setBackgroundColor(color: string): void {
    record('setBackgroundColor', color);
  }
  isDestroyed(): boolean {
    return this.gone;
  }
  close(): void {
    const event = preventable();
    this.emit('close', event);
    if (!event.isPrevented()) this.destroy();
  }
  destroy(): void {
    this.opened.then(() => send('Target.closeTarget', { targetId: this.target })).catch(() => undefined);
    this.wentAway();
  }
  /** Also when the page was closed in Chromium. */
  wentAway(): void {
    if (this.gone) return;
    this.gone = true;
    windows.delete(this);
    openWindows.delete(this);
    offSession(this.session);
    this.emit('closed');
    if (windows.size === 0 && !app.quitting && !app.emit('window-all-closed')) app.quit();
  }
  /** Where the page is in Chromium, once it is. */
  whenOpened(): Promise<void> {
    return this.opened.catch(() => undefined);
  }
}

// Chromium opens what window.open asks for before anybody can say no: the answer is paired with the page that it made, which is closed again.
const popups: { made: string[]; verdicts: string[] } = { made: [], verdicts: [] };

function popupAsked(url: string, handler: OpenHandler | undefined): void {
  const { action } = handler?.({ url }) ?? { action: 'deny' };
  record('window.open', url, action);
  popups.verdicts.push(action);
  void closeRefused();
}

async function closeRefused(): Promise<void> {
  await Promise.all([...windows].map((window) => window.whenOpened()));
  popups.made = popups.made.filter((target) => ![...windows].some((window) => window.target === target));
  while (popups.made.length > 0 && popups.verdicts.length > 0) {
    const target = popups.made.shift();
    if (popups.verdicts.shift() !== 'allow')
      await send('Target.closeTarget', { targetId: target }).catch(() => undefined);
  }
}

onBrowser((method, params) => {
  const { targetInfo, targetId } = params as { targetInfo?: { type: string; targetId: string }; targetId?: string };
  if (method === 'Target.targetCreated' && targetInfo?.type === 'page') {
    popups.made.push(targetInfo.targetId);
    setTimeout(() => void closeRefused(), 50);
  } else if (method === 'Target.targetDestroyed')
    for (const window of [...windows]) if (window.target === targetId) window.wentAway();
});
