/**
 * @file ProfilerScope: attributes launches to the op and layer that made them. Used while profiling, and by captures, since
 * their replays may be profiled later.
 */
import type { Attribution, ProfiledCall } from '../webgpu/command.ts';
import type { CallDescription, ProfilerScope } from '../webgpu/executor.ts';

/** The call to which launches are attributed now. */
interface OpenCall {
  readonly call: ProfiledCall;
  /** The layer call in which it was made. */
  readonly frame: object | null;
  /** Floating-point operations not yet attributed to a launch. */
  flops: number | null;
}

export class CallScope implements ProfilerScope {
  #open: OpenCall | null = null;
  /** Whether an enclosing call has counted its operations, which include those of calls inside. */
  #isCounted = false;

  /**
   * A call inside another one is part of it, unless it is made in another layer call, `frame`: when a checkpoint computes
   * its function again, launches belong to the layers inside.
   */
  forward<T>(describe: () => CallDescription, frame: object | null, flops: number | null, body: () => T): T {
    const [open, isCounted] = [this.#open, this.#isCounted];
    if (!open || (frame !== null && frame !== open.frame)) {
      this.#open = { call: { ...describe(), backward: false }, frame, flops: null };
      this.#isCounted = false;
    }
    const current = this.#open as OpenCall;
    if (flops !== null && !this.#isCounted) {
      current.flops = (current.flops ?? 0) + flops;
      this.#isCounted = true;
    }
    try {
      return body();
    } finally {
      [this.#open, this.#isCounted] = [open, isCounted];
    }
  }

  backward<T>(call: CallDescription, frame: object | null, body: () => T): T {
    const [open, isCounted] = [this.#open, this.#isCounted];
    this.#open = { call: { ...call, backward: true }, frame, flops: null };
    this.#isCounted = false;
    try {
      return body();
    } finally {
      [this.#open, this.#isCounted] = [open, isCounted];
    }
  }

  /** Attributes all operations of a call to its first launch. */
  take(): Attribution | null {
    const open = this.#open;
    if (!open) return null;
    const { call, flops } = open;
    open.flops = null;
    return { calls: [call], flops };
  }
}
