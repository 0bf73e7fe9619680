/** @file How free a page's main thread is: its long tasks, and the turns that timers and painting get. */

/** What happened between two marks. */
export interface Span {
  readonly name: string;
  /** Of the longest task, in milliseconds; 0 where none took 50 or the browser doesn't tell. */
  longTask: number;
  /** The longest time between two turns of a timer, in milliseconds. */
  gap: number;
  /** Frames that were painted. */
  frames: number;
}

/** Watches the main thread from its making to `end`, in spans. */
export class MainThread {
  readonly spans: (Span & { readonly start: number })[] = [];
  #running = true;
  #turn = performance.now();
  readonly #observer: PerformanceObserver | null = null;

  constructor(name: string) {
    this.mark(name);
    // Firefox knows no long tasks.
    if (PerformanceObserver.supportedEntryTypes.includes('longtask')) {
      this.#observer = new PerformanceObserver((list) => this.#note(list.getEntries()));
      this.#observer.observe({ type: 'longtask' });
    }
    const beat = () => {
      const now = performance.now();
      for (const span of this.spans) {
        // A pause counts where it began, too.
        if (span === this.#last || span.start > this.#turn) span.gap = Math.max(span.gap, now - this.#turn);
      }
      this.#turn = now;
      if (this.#running) setTimeout(beat, 1);
    };
    const paint = () => {
      this.#last.frames++;
      if (this.#running) requestAnimationFrame(paint);
    };
    setTimeout(beat);
    requestAnimationFrame(paint);
  }

  /** Begins another span. */
  mark(name: string): void {
    this.spans.push({ name, start: performance.now(), longTask: 0, gap: 0, frames: 0 });
  }

  /** The spans, once all that was observed has arrived. */
  async end(): Promise<Span[]> {
    this.mark('end');
    await new Promise((resolve) => setTimeout(resolve, 50));
    if (this.#observer) this.#note(this.#observer.takeRecords());
    this.#observer?.disconnect();
    this.#running = false;
    return this.spans.slice(0, -1);
  }

  get #last() {
    return this.spans.at(-1) as Span & { readonly start: number };
  }

  #note(tasks: readonly PerformanceEntry[]): void {
    for (const { startTime, duration } of tasks) {
      const span = this.spans.findLast(({ start }) => start <= startTime) ?? this.#last;
      span.longTask = Math.max(span.longTask, duration);
    }
  }
}
