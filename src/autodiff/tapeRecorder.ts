/**
 * @file The dispatcher's handle on a tape. It doesn't keep the tape alive: one that is dropped without being closed would
 * otherwise keep recording, and hold what it recorded, until the program ends.
 */
import { type RecordedCall, type Recorder, startRecorder, stopRecorder } from '../ops/define/recorders.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { countTape } from '../tensor/openTapes.ts';

interface RecordingTape {
  record(call: RecordedCall): unknown;
  follows(tensor: Tensor): boolean;
}

const dropped = new FinalizationRegistry<TapeRecorder>((recorder) => recorder.close());

export class TapeRecorder implements Recorder {
  readonly #reference: WeakRef<RecordingTape>;
  /** The tape, from its first call on for the rest of the job: JavaScript keeps it as long, and a reference takes longer to follow. */
  #current: RecordingTape | undefined;
  #isOpen = false;
  readonly #checks: ((sources: readonly Tensor[]) => void)[] = [];

  constructor(
    tape: RecordingTape,
    readonly recording: number,
  ) {
    this.#reference = new WeakRef(tape);
    dropped.register(tape, this, this);
    this.open();
  }

  get #tape(): RecordingTape | undefined {
    if (this.#current) return this.#current;
    this.#current = this.#reference.deref();
    queueMicrotask(() => {
      this.#current = undefined;
    });
    return this.#current;
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

  /** Starts to record. The tape counts as open until `close`. */
  open(): void {
    startRecorder(this);
    if (this.#isOpen) return;
    this.#isOpen = true;
    countTape(1);
  }

  /** Stops recording. */
  stop(): void {
    stopRecorder(this);
  }

  /** Stops recording permanently; the tape no longer counts as open. */
  close(): void {
    stopRecorder(this);
    if (!this.#isOpen) return;
    this.#isOpen = false;
    countTape(-1);
  }
}
