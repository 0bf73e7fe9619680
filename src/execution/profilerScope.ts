/**
 * @file ProfilerScope: attributes launches to the call of an op, in a layer. Captures have one, since their replays may be
 * profiled later, and so has a profile.
 */
import type { Attribution, ProfiledCall } from '../webgpu/command.ts';
import type { CallDescription, ProfilerScope } from '../webgpu/executor.ts';

/** The call to which launches are attributed now. */
interface OpenCall {
  readonly call: ProfiledCall;
  /** The layer call in which it was made. */
  readonly frame: object | null;
  /** Operations that no launch has taken yet. */
  flops: number | null;
}

export class CallScope implements ProfilerScope {
  #open: OpenCall | null = null;
  /** Whether a call around has counted its operations, so that those inside are among them. */
  #isCounted = false;

  /**
   * A call inside of another is part of that, unless it is made in a layer, `frame`, which that doesn't know: what a
   * checkpoint computes again belongs to its layers.
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

  /** The operations of a call are all attributed to its first launch. */
  take(): Attribution | null {
    const open = this.#open;
    if (!open) return null;
    const { call, flops } = open;
    open.flops = null;
    return { calls: [call], flops };
  }
}
