/**
 * The link to `whetstone serve`: requests by number over one WebSocket that is made anew whenever it breaks. When it breaks, requests that wait fail at once
 * (whether they were done is not known); later ones fail too until it is up again.
 */
import { decode, encode } from '../../main/contract/window/codec.ts';
import type { PushName, RequestName } from '../../main/contract/window/names.ts';
import type { Reply } from '../../main/contract/window/reply.ts';
import {
  maxRequestBytes,
  protocolName,
  silenceMs,
  socketPath,
  tokenCheckPath,
  tokenPrefix,
  type RequestMessage,
  type ServerMessage,
} from '../../main/contract/window/wire.ts';
import { CallError, disconnected } from './call-error.ts';
import type { Connection } from './connection.ts';
import type { Link } from './link.ts';

export interface WebSocketLinkOptions {
  /** Name and port, as in the page's address. */
  host: string;
  /** '' where it is not known. */
  token: () => Promise<string> | string;
  report: (change: Partial<Connection>) => void;
  /** Milliseconds before try 1, 2, ...; the last one repeats. */
  delays?: readonly number[];
  silenceMs?: number;
}

const usualDelays = [250, 500, 1000, 2000, 4000, 8000, 15_000];
const refusal = 'the token is wrong or missing';

export class WebSocketLink implements Link {
  readonly #options: WebSocketLinkOptions;
  readonly #waiting = new Map<number, { settle: (reply: Reply) => void; fail: (error: CallError) => void }>();
  readonly #takers = new Map<PushName, Set<(payload: unknown) => void>>();
  #socket: WebSocket | null = null;
  /** Settles when the first try is over; calls wait for that. */
  #firstTry = Promise.withResolvers<undefined>();
  #state: 'connecting' | 'up' | 'lost' | 'refused' = 'connecting';
  #reason = '';
  #nextId = 1;
  #attempt = 0;
  #generation = 0;
  #lastHeard = 0;
  #retry: ReturnType<typeof setTimeout> | undefined;
  #watch: ReturnType<typeof setInterval> | undefined;
  /** Goes up with every try, so that what an earlier one still says is not heard. */
  #try = 0;
  #stopped = false;

  constructor(options: WebSocketLinkOptions) {
    this.#options = options;
  }

  start(): void {
    void this.#connect();
  }

  /** Ends it for good. */
  stop(): void {
    this.#stopped = true;
    this.#drop('this window has closed the connection');
    clearTimeout(this.#retry);
  }

  /** Begins the next try now. Nothing while it is up or a try is under way. */
  tryNow(): void {
    if (this.#stopped || this.#state === 'up' || this.#socket !== null) return;
    clearTimeout(this.#retry);
    void this.#connect();
  }

  /** After a time in which timers may have stood still: tries now, or looks whether the connection is still alive. */
  wake(): void {
    if (this.#state === 'up') this.#checkSilence();
    else if (this.#state === 'lost') this.tryNow();
  }

  /** With another token. */
  restart(): void {
    if (this.#stopped) return;
    this.#drop('connecting anew');
    clearTimeout(this.#retry);
    this.#attempt = 0;
    void this.#connect();
  }

  async call(name: RequestName, input: unknown): Promise<Reply> {
    if (this.#state === 'connecting') await this.#firstTry.promise;
    const socket = this.#socket;
    if (this.#state !== 'up' || socket === null) throw disconnected(this.#reason);
    const message: RequestMessage = { id: this.#nextId++, name, input };
    const frame = encode(message);
    if (frame.length > maxRequestBytes)
      throw new CallError({
        code: 'too-large',
        message: `${name}: ${frame.length} bytes are more than the ${maxRequestBytes} that a request may have`,
        hint: 'Enter less: a shorter text, or fewer folders.',
      });
    return new Promise((settle, fail) => {
      this.#waiting.set(message.id, { settle, fail });
      socket.send(frame);
    });
  }

  on(name: PushName, take: (payload: unknown) => void): () => void {
    const takers = this.#takers.get(name) ?? new Set();
    this.#takers.set(name, takers);
    // One function may be given twice; each has an end of its own.
    const taker = (payload: unknown): void => take(payload);
    takers.add(taker);
    return () => void takers.delete(taker);
  }

  async #connect(): Promise<void> {
    const turn = ++this.#try;
    const token = await this.#options.token();
    if (turn !== this.#try || this.#stopped) return;
    if (token === '') {
      this.#refused();
      return;
    }
    this.#options.report({ nextTryAt: null });
    // A WebSocket refuses subprotocols with other characters by throwing.
    const safeToken = /^[\w-]+$/.test(token) ? token : 'unusable';
    const socket = new WebSocket(`ws://${this.#options.host}${socketPath}`, [
      protocolName,
      `${tokenPrefix}${safeToken}`,
    ]);
    socket.binaryType = 'arraybuffer';
    this.#socket = socket;
    socket.addEventListener('open', () => turn === this.#try && this.#up());
    socket.addEventListener('message', ({ data }) => turn === this.#try && this.#hear(data));
    socket.addEventListener('close', (event) => turn === this.#try && void this.#closed(event, token));
    return undefined;
  }

  #up(): void {
    this.#state = 'up';
    this.#attempt = 0;
    this.#generation++;
    this.#reason = '';
    this.#lastHeard = Date.now();
    const patience = this.#options.silenceMs ?? silenceMs;
    this.#watch = setInterval(() => this.#checkSilence(), patience / 4);
    this.#options.report({
      ...{ state: 'up', lostAt: null, nextTryAt: null, attempt: 0, reason: '' },
      generation: this.#generation,
    });
    this.#firstTry.resolve(undefined);
  }

  #checkSilence(): void {
    const silent = Date.now() - this.#lastHeard;
    if (this.#state === 'up' && silent > (this.#options.silenceMs ?? silenceMs))
      this.#lost(`nothing was heard for ${Math.round(silent / 1000)} s`);
  }

  #hear(data: unknown): void {
    this.#lastHeard = Date.now();
    let message: ServerMessage;
    try {
      message = decode(data as ArrayBuffer) as ServerMessage;
    } catch (error) {
      console.error(error);
      this.#lost('the server sent what this window cannot read: reload the window');
      return;
    }
    if ('reply' in message) {
      const waiting = this.#waiting.get(message.id);
      this.#waiting.delete(message.id);
      waiting?.settle(message.reply);
    } else if ('push' in message) {
      for (const take of [...(this.#takers.get(message.push) ?? [])]) {
        try {
          take(message.payload);
        } catch (error) {
          // A fault of one taker is no reason for the others not to hear.
          console.error(error);
        }
      }
    }
  }

  async #closed({ code, reason }: CloseEvent, token: string): Promise<void> {
    if (this.#state === 'up') {
      this.#lost(reason || (code === 1006 ? 'it broke off' : `it was ended (${code})`));
      return;
    }
    // Not accepted, and the browser does not say why: asked in a way that it does say.
    const turn = this.#try;
    const why = await this.#whyNot(token);
    if (turn !== this.#try || this.#stopped) return;
    if (why === 'refused') this.#refused();
    else this.#lost(why);
  }

  async #whyNot(token: string): Promise<string> {
    try {
      const { status } = await fetch(`http://${this.#options.host}${tokenCheckPath}`, {
        headers: { Authorization: `Bearer ${token}` },
        cache: 'no-store',
        signal: AbortSignal.timeout(5000),
      });
      if (status === 401 || status === 403) return 'refused';
      return status === 204 ? 'the connection was not accepted' : `something else answers there (status ${status})`;
    } catch {
      return 'nothing answers: whetstone serve has ended, or the tunnel to it';
    }
  }

  #refused(): void {
    this.#drop(refusal);
    this.#state = 'refused';
    this.#options.report({ state: 'refused', reason: refusal, lostAt: Date.now(), nextTryAt: null });
    this.#firstTry.resolve(undefined);
  }

  /** Gives the socket up and fails what waits. */
  #drop(reason: string): void {
    this.#try++;
    clearInterval(this.#watch);
    const socket = this.#socket;
    this.#socket = null;
    this.#reason = reason;
    socket?.close();
    for (const { fail } of this.#waiting.values()) fail(disconnected(reason));
    this.#waiting.clear();
  }

  #lost(reason: string): void {
    const first = this.#state !== 'lost';
    this.#drop(reason);
    this.#state = 'lost';
    const delays = this.#options.delays ?? usualDelays;
    const wait = delays[Math.min(this.#attempt, delays.length - 1)] ?? 0;
    this.#attempt++;
    this.#options.report({
      ...{ state: 'lost', reason, attempt: this.#attempt, nextTryAt: Date.now() + wait },
      ...(first ? { lostAt: Date.now() } : {}),
    });
    this.#retry = setTimeout(() => this.tryNow(), wait);
    this.#firstTry.resolve(undefined);
  }
}
