/**
 * Pulling again whenever something changed, without ever asking twice at once or too often: the first ask goes out right away, those that come while one is on its
 * way (or too soon after) make one more when its time has come. So what is shown is at most one interval and one answer behind.
 */
export interface LivePullOptions<Answer> {
  pull: () => Promise<Answer>;
  take: (answer: Answer) => void;
  fail: (error: unknown) => void;
  /** Milliseconds from the start of one pull to the start of the next, at least. */
  every: number;
}

export class LivePull<Answer> {
  readonly #options: LivePullOptions<Answer>;
  #busy = false;
  #again = false;
  #started = -Infinity;
  #timer: ReturnType<typeof setTimeout> | null = null;
  #closed = false;

  constructor(options: LivePullOptions<Answer>) {
    this.#options = options;
  }

  /** What is shown may be old. */
  ask(): void {
    if (this.#closed || this.#timer !== null) return;
    if (this.#busy) {
      this.#again = true;
      return;
    }
    const wait = this.#started + this.#options.every - performance.now();
    if (wait <= 0) void this.#run();
    else
      this.#timer = setTimeout(() => {
        this.#timer = null;
        void this.#run();
      }, wait);
  }

  /** Answers that are still on their way are thrown away. */
  close(): void {
    this.#closed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  async #run(): Promise<void> {
    this.#busy = true;
    this.#again = false;
    this.#started = performance.now();
    try {
      const answer = await this.#options.pull();
      if (!this.#closed) this.#options.take(answer);
    } catch (error) {
      if (!this.#closed) this.#options.fail(error);
    }
    this.#busy = false;
    if (this.#wantsAgain()) this.ask();
  }

  /** A method, since it changes while a pull is awaited. */
  #wantsAgain(): boolean {
    return this.#again;
  }
}
