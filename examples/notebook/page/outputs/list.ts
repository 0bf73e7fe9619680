/** @file The outputs of a cell or a program, in the order of their slots. */
import type { Output } from '../../protocol.ts';
import { makeOutput, type OutputView } from './index.ts';

export class OutputList {
  readonly #views = new Map<number, OutputView>();

  constructor(
    readonly root: HTMLElement,
    private readonly tell: (slot: number, name: string, value: unknown) => void,
  ) {}

  show(slot: number, output: Output): void {
    const known = this.#views.get(slot);
    if (known?.kind === output.kind) {
      known.update(output as never);
      return;
    }
    const view = makeOutput(output, (name, value) => this.tell(slot, name, value));
    this.#views.set(slot, view);
    view.root.dataset.slot = String(slot);
    const later = [...this.root.children].find((child) => Number((child as HTMLElement).dataset.slot) > slot);
    if (known) known.root.replaceWith(view.root);
    else this.root.insertBefore(view.root, later ?? null);
  }

  /** Its height stays until `settle`, so that the page doesn't jump. */
  clear(): void {
    this.root.style.minHeight = `${this.root.offsetHeight}px`;
    this.#views.clear();
    this.root.replaceChildren();
  }

  /** Resolves when all outputs are to be seen. */
  async settle(): Promise<void> {
    await Promise.all([...this.#views.values()].map((view) => view.settled?.()));
    this.root.style.minHeight = '';
  }
}
