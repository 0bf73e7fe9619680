/** @file RetainedSteps: the data for running recorded steps again: checkpoints of the state, and the arguments of each step. */
import { isPlainObject } from '../../core/options.ts';
import { Snapshot } from '../../tensor/snapshot.ts';
import { alias, Tensor } from '../../tensor/tensor.ts';
import { Variable } from '../../tensor/variable.ts';
import type { Storage } from '../../webgpu/storage.ts';
import type { StepState } from '../step/inspectedStep.ts';

/** A step that can run again. */
export interface RetainedStep {
  readonly args: readonly unknown[];
  /** Whether metrics are reset before the step. */
  readonly resets: boolean;
  /** The numbers of the state before the step. */
  readonly numbers: readonly number[];
  /** The position in the sequence of seeds before the step. */
  readonly seeds: number;
  /** The numbers that the step returned, by name. */
  readonly values: Readonly<Record<string, number>>;
}

/** The steps from one checkpoint to the next. */
interface Span {
  readonly first: number;
  readonly checkpoint: Snapshot;
  readonly steps: RetainedStep[];
}

export class RetainedSteps {
  readonly #spans: Span[] = [];
  #count = 0;
  #disposed = false;
  /** The values of the variables after the last step. */
  #left: ReadonlyMap<Variable, Storage> = new Map();

  constructor(
    private readonly checkpointEvery: number,
    /** The minimum number of steps to keep. */
    private readonly keep: number,
  ) {}

  get disposed(): boolean {
    return this.#disposed;
  }

  /** The first step that is kept. */
  get first(): number {
    return this.#spans[0]?.first ?? this.#count;
  }

  /** Takes a checkpoint before a step if one is due; with `seesChanges`, also if a variable was assigned since the last step. */
  begin({ variables, accumulators = [] }: StepState, seesChanges: boolean): void {
    if (this.#disposed) return;
    const isChanged =
      seesChanges && variables.some((variable) => this.#left.get(variable) !== variable.current);
    if (this.#count % this.checkpointEvery !== 0 && !isChanged) return;
    const checkpoint = new Snapshot();
    checkpoint.take([...variables, ...accumulators]);
    this.#spans.push({ first: this.#count, checkpoint, steps: [] });
  }

  /** Adds the step that was begun, and leaves these variables. Its arguments are freed with it. */
  add(step: RetainedStep, variables: readonly Variable[]): void {
    const span = this.#spans.at(-1);
    // A recording that has been disposed of in the meantime keeps no steps.
    if (span) span.steps.push(step);
    else freeArguments(step.args);
    this.#left = new Map(variables.map((variable) => [variable, variable.current]));
    this.#count++;
    while ((this.#spans[1]?.first ?? Number.POSITIVE_INFINITY) <= this.#count - this.keep)
      free(this.#spans.shift());
  }

  /** Returns the checkpoint before step `index`, and the steps from there to it. */
  upTo(index: number): { readonly checkpoint: Snapshot; readonly steps: readonly RetainedStep[] } | null {
    const span = this.#spans.findLast(({ first }) => first <= index);
    return span ? { checkpoint: span.checkpoint, steps: span.steps.slice(0, index - span.first + 1) } : null;
  }

  dispose(): void {
    this.#disposed = true;
    for (const span of this.#spans.splice(0)) free(span);
  }
}

function free(span: Span | undefined): void {
  span?.checkpoint.dispose();
  for (const { args } of span?.steps ?? []) freeArguments(args);
}

/** Arguments in their current state, unaffected by later changes: handles of tensors, copies of host values. */
export function retainArguments(args: readonly unknown[]): unknown[] {
  return args.map(retained);
}

function retained(value: unknown): unknown {
  if (value instanceof Variable) return value;
  if (value instanceof Tensor) return alias(value);
  if (ArrayBuffer.isView(value)) return structuredClone(value);
  if (Array.isArray(value)) return value.map(retained);
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, retained(part)]));
}

export function freeArguments(value: unknown): void {
  if (value instanceof Tensor) {
    if (!(value instanceof Variable)) value.dispose();
  } else if (Array.isArray(value)) for (const part of value) freeArguments(part);
  else if (isPlainObject(value)) freeArguments(Object.values(value));
}
