/**
 * @file What a function uses from outside: tensors, variables, masks and seeds. `checkpoint` and `scan` run their functions
 * again for the gradient, with the values that all of these had at the first run, even if tensors were disposed of and
 * variables assigned since.
 */
import { isFloating } from '../core/dtype.ts';
import type { Storage } from '../webgpu/storage.ts';
import type { Origin } from '../history/origin.ts';
import { numberIn } from '../ops/define/scalars.ts';
import {
  activeRecorders,
  isAbstract,
  nextRecording,
  type RecordedCall,
  type Recorder,
  recordUse,
  withRecorders,
} from '../ops/define/recorders.ts';
import { SeedNotes } from '../ops/define/seeds.ts';
import { alias, newTensorId, Tensor } from '../tensor/tensor.ts';
import { Variable } from '../tensor/variable.ts';
import { observingVariables, type UsedVariable, type VariableObserver } from '../tensor/variableObservers.ts';

/** Something that the function used, and the position of its values, and of those of its mask, among what is kept. */
interface Use {
  /** The object that the function has, and finds again at its next run. */
  readonly handle: Tensor;
  readonly value: number;
  readonly mask: number | null;
}

/** Collects what calls use from outside, if it `keeps` anything; otherwise it only looks for mapped tensors. */
export class OutsideUse implements Recorder, VariableObserver {
  readonly recording = nextRecording();
  readonly seeds = new SeedNotes();
  /** Values of what was used, as they were at the first use. Dispose of them once they are recorded. */
  readonly kept: Tensor[] = [];
  /** Whether the function uses a mapped tensor from outside. Calls that are given one are never captured. */
  sawAbstract = false;
  /** Tensors with smaller ids were made before. */
  readonly #first = newTensorId();
  readonly #enclosing = activeRecorders();
  readonly #uses = new Map<Tensor, Use>();

  constructor(readonly keeps: boolean) {}

  /** Runs `body`, the function, of whose calls no other recorder knows. */
  observe<T>(body: () => T): T {
    return withRecorders([this], () =>
      this.keeps ? observingVariables(this, () => this.seeds.observe(body)) : body(),
    );
  }

  /** @internal */
  record({ inputs }: RecordedCall): void {
    for (const input of inputs) if (input) this.uses(input);
  }

  uses(tensor: Tensor): void {
    if (tensor.id >= this.#first || tensor instanceof Variable) return;
    this.sawAbstract ||= isAbstract(tensor);
    if (!this.keeps || this.#uses.has(tensor)) return;
    // Ops look numbers up again.
    if (numberIn(tensor.physicalStorage) === undefined) this.add(tensor);
  }

  touched(variable: UsedVariable): void {
    if (this.#uses.has(variable)) return;
    const { device, origin, id, current } = variable;
    const value = new Tensor(device, current.retain(), variable, origin, id);
    value.watchDrop();
    this.#uses.set(variable, { handle: variable, value: this.kept.push(value) - 1, mask: null });
  }

  /** Keeps the values of an input of the function. */
  add(tensor: Tensor): void {
    if (this.#uses.has(tensor)) return;
    if (tensor instanceof Variable) {
      // Observers, this one among them, see that its values are read.
      void tensor.storage;
      return;
    }
    const value = this.kept.push(alias(tensor)) - 1;
    const mask = tensor.attachment && this.kept.push(alias(tensor.attachment)) - 1;
    this.#uses.set(tensor, { handle: tensor, value, mask });
    for (const recorder of this.#enclosing) recorder.uses?.(tensor);
  }

  /** The tensors and variables from outside to which gradients may flow, each once. */
  get sources(): Tensor[] {
    const byId = new Map<number, Tensor>();
    for (const handle of this.#uses.keys()) {
      if (!isFloating(handle.dtype) || !this.#isFollowed(handle)) continue;
      // Saved values of a variable have its id. Tapes watch the variable.
      if (handle instanceof Variable || !byId.has(handle.id)) byId.set(handle.id, handle);
    }
    return [...byId.values()];
  }

  #isFollowed(tensor: Tensor): boolean {
    return isAbstract(tensor) || this.#enclosing.some((recorder) => recorder.follows?.(tensor) ?? true);
  }

  /** The variables whose values are no longer those of their first use, with the positions of those values in `kept`. */
  get assigned(): { variable: Variable; value: number }[] {
    return [...this.#uses.values()].flatMap(({ handle, value }) =>
      handle instanceof Variable && !handle.disposed && handle.current !== this.kept[value]?.storage
        ? [{ variable: handle, value }]
        : [],
    );
  }

  /** Runs `body` with the values `kept`, in the order of `this.kept`. What it assigns is undone afterwards. */
  rerun<T>(kept: readonly Tensor[], body: () => T): T {
    // A loop around it may run again, too, when this tape has freed them.
    for (const tensor of kept) recordUse(tensor);
    const undo = new Undo();
    try {
      return observingVariables(undo, () => {
        for (const { handle, value, mask } of this.#uses.values())
          undo.give(handle, kept[value] as Tensor, mask === null ? null : (kept[mask] as Tensor));
        return body();
      });
    } finally {
      undo.end();
    }
  }

  /** Disposes of the kept values: tapes have their own handles. */
  release(): void {
    for (const value of this.kept) value.dispose();
  }
}

/** Runs `body`, whose assignments to variables and draws of seeds are undone afterwards. */
export function undone<T>(body: () => T): T {
  const undo = new Undo();
  const seeds = new SeedNotes();
  try {
    return observingVariables(undo, () => seeds.observe(body));
  } finally {
    seeds.rewind();
    undo.end();
  }
}

/** Restores variables, and disposes of tensors that were revived. */
class Undo implements VariableObserver {
  readonly #before = new Map<UsedVariable, { storage: Storage; origin: Origin }>();
  readonly #revived: Tensor[] = [];

  touched(variable: UsedVariable): void {
    if (this.#before.has(variable)) return;
    // Shared from now on, so that nothing overwrites it in place.
    this.#before.set(variable, { storage: variable.current.retain(), origin: variable.origin });
  }

  /** Gives `handle` the values of `value`. */
  give(handle: Tensor, value: Tensor, mask: Tensor | null): void {
    if (handle.disposed) {
      handle.revive(value);
      if (mask) handle.attachment = alias(mask);
      this.#revived.push(handle);
      return;
    }
    if (!(handle instanceof Variable)) return;
    // Reading the storage lets recordings and observers note the variable before it moves.
    void handle.storage;
    if (handle.current !== value.storage) handle.adopt(value.storage.retain());
  }

  end(): void {
    for (const [variable, { storage, origin }] of this.#before) {
      if (variable.disposed || variable.current === storage) storage.release();
      else variable.adopt(storage);
      variable.origin = origin;
    }
    for (const tensor of this.#revived) tensor.dispose();
  }
}
