/**
 * @file The outputs of a cell: their slots, and the handlers of its controls. Each cell has its own, which end when the cell is
 * run again.
 */
import type { Output } from '../protocol.ts';
import { outputModule, type OutputModule } from './outputModule.ts';

export interface Wires {
  show(slot: number, output: Output): void;
  /** Tells of what a handler throws. */
  fail(error: unknown): void;
  /** Called before a handler: whatever it needs is there. */
  prepare(): Promise<unknown>;
  /** Tells that what failed is tried again. */
  recovered(): void;
}

export type Handler = (name: string, value: unknown) => unknown;

export class CellOutputs {
  readonly #wires: Wires;
  readonly #handlers = new Map<number, Handler>();
  readonly #endings: (() => void)[] = [];
  #slots = 0;
  #failed = -1;
  #ended = false;
  readonly exports: OutputModule;

  constructor(wires: Wires, remembered: Record<string, unknown>) {
    this.#wires = wires;
    this.exports = outputModule(
      {
        slot: (output, handler) => this.#slot(output, handler),
        onEnd: (ending) => this.#endings.push(ending),
        fail: (error) => wires.fail(error),
      },
      remembered,
    );
  }

  /** A fault stays until what failed is tried again: whatever else goes well has nothing to do with it. */
  async tell(slot: number, name: string, value: unknown): Promise<void> {
    if (this.#failed === slot) {
      this.#failed = -1;
      this.#wires.recovered();
    }
    try {
      await this.#wires.prepare();
      await this.#handlers.get(slot)?.(name, value);
    } catch (error) {
      this.#failed = slot;
      this.#wires.fail(error);
    }
  }

  end(): void {
    this.#ended = true;
    this.#handlers.clear();
    for (const ending of this.#endings.splice(0)) ending();
  }

  /** A place in the output; what is shown there later replaces what was. */
  #slot(output: Output, handler?: Handler): { update(output: Output): void } {
    const slot = this.#slots++;
    if (handler) this.#handlers.set(slot, handler);
    const update = (next: Output) => {
      if (!this.#ended) this.#wires.show(slot, next);
    };
    update(output);
    return { update };
  }
}
