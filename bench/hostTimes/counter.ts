/** @file Counts submissions and launches, by wrapping WebGPU, and notes when the first submission is made. */

export interface Counts {
  submissions: number;
  launches: number;
  /** When the first submission since the last reset was made, by `performance.now()`; null if there was none. */
  first: number | null;
}

/** Wraps WebGPU for good. `counting` is false while calls are timed, which the counts would slow down. */
export class Counter {
  readonly counts: Counts = { submissions: 0, launches: 0, first: null };
  readonly #originals = {
    submit: GPUQueue.prototype.submit,
    dispatch: GPUComputePassEncoder.prototype.dispatchWorkgroups,
  };

  /** Runs `body`, and returns what it and what follows until it resolves submit and launch. */
  async during(body: () => Promise<void>): Promise<Counts> {
    const { counts } = this;
    Object.assign(counts, { submissions: 0, launches: 0, first: null });
    const { submit, dispatch } = this.#originals;
    GPUQueue.prototype.submit = function (buffers) {
      counts.first ??= performance.now();
      counts.submissions++;
      return submit.call(this, buffers);
    };
    GPUComputePassEncoder.prototype.dispatchWorkgroups = function (...grid) {
      counts.launches++;
      return dispatch.apply(this, grid);
    };
    try {
      await body();
    } finally {
      GPUQueue.prototype.submit = submit;
      GPUComputePassEncoder.prototype.dispatchWorkgroups = dispatch;
    }
    return { ...counts };
  }
}
