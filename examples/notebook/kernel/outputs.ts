/**
 * @file The outputs of a cell: their slots, and the handlers of its controls. Each cell has its own, which end when the cell is
 * run again.
 */
import type { Output } from '../protocol.ts';
import { outputModule, type OutputModule } from './outputModule.ts';

export interface Wires {
  show(slot: number, output: Output): void;
  /** Reports an error of a handler. */
  fail(error: unknown): void;
  /** Called before a handler; prepares what it needs. */
  prepare(): Promise<unknown>;
  /** Reports that a failed action is tried again. */
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

  /** A fault stays until the failed action is tried again; the success of other actions doesn't remove it. */
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

  /** A slot in the output; showing something new replaces its content. */
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
