/**
 * @file The dispatcher's handle on a tape. It doesn't keep the tape alive: one that is dropped without being closed would
 * otherwise keep recording, and hold what it recorded, until the program ends.
 */
import { DropRegistry, type Holding } from '../core/dropRegistry.ts';
import { type RecordedCall, type Recorder, startRecorder, stopRecorder } from '../ops/define/recorders.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { countTape } from '../tensor/openTapes.ts';

interface RecordingTape {
  record(call: RecordedCall): unknown;
  follows(tensor: Tensor): boolean;
}

const dropped = new DropRegistry<TapeRecorder>((recorder) => recorder.close());

export class TapeRecorder implements Recorder, Holding {
  /** Made at the end of the job in which the tape was opened: most tapes are closed by then. */
  #reference: WeakRef<RecordingTape> | undefined;
  /** The tape, for the rest of the job in which it was opened or called: JavaScript keeps it as long, and a reference takes longer to follow. */
  #current: RecordingTape | undefined;
  /** Whether the tape is closed: nothing is to be done when it is dropped. */
  isFree = true;
  readonly #checks: ((sources: readonly Tensor[]) => void)[] = [];

  constructor(
    tape: RecordingTape,
    readonly recording: number,
  ) {
    this.open(tape);
  }

  get #tape(): RecordingTape | undefined {
    if (this.#current) return this.#current;
    const tape = this.#reference?.deref();
    return tape && this.#holdForNow(tape);
  }

  #holdForNow(tape: RecordingTape): RecordingTape {
    queueMicrotask(() => {
      if (!this.isFree) this.#reference ??= new WeakRef(tape);
      this.#current = undefined;
    });
    this.#current = tape;
    return tape;
  }

  /** @internal */
  record(call: RecordedCall): void {
    this.#tape?.record(call);
  }

  /** @internal */
  follows(tensor: Tensor): boolean {
    return this.#tape?.follows(tensor) ?? false;
  }

  beforeGradients(check: (sources: readonly Tensor[]) => void): void {
    this.#checks.push(check);
  }

  /** Runs the registered checks before the tape computes gradients. */
  checkSources(sources: readonly Tensor[]): void {
    for (const check of this.#checks) check(sources);
  }

  /** Starts to record for `tape`, which counts as open until `close`. */
  open(tape: RecordingTape): void {
    startRecorder(this);
    if (!this.isFree) return;
    this.isFree = false;
    this.#holdForNow(tape);
    dropped.watch(tape, this);
    countTape(1);
  }

  /** Stops recording. */
  stop(): void {
    stopRecorder(this);
  }

  /** Stops recording permanently; the tape no longer counts as open. */
  close(): void {
    stopRecorder(this);
    if (this.isFree) return;
    dropped.forget(this);
    countTape(-1);
  }
}
