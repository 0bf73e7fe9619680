/** @file The steps of a MultiOptimizer: each variable's optimizer makes them. */
import type { Pieces } from '../../core/pieces.ts';
import { div } from '../../ops/elementwise/arithmetic.ts';
import { changeSlices } from '../../ops/indexing/slices.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import type { Variable } from '../../tensor/variable.ts';
import type { Optimizer } from './optimizer.ts';
import type { StepEngine } from './stepEngine.ts';

/** The optimizers, each with its variables. */
type VariablesOf = ReadonlyMap<Optimizer, readonly Variable[]>;

export class MultiEngine implements StepEngine {
  /** The optimizers pack their variables themselves. */
  readonly isPacked = true;

  private constructor(
    private readonly variablesOf: VariablesOf,
    private readonly lossScaleFactor: number | null,
  ) {}

  /** Builds the optimizers, in pieces. */
  static *create(variablesOf: VariablesOf, lossScaleFactor: number | null): Pieces<MultiEngine> {
    for (const [optimizer, variables] of variablesOf) {
      if (variables.length > 0) yield* optimizer.buildInPieces(variables);
    }
    return new MultiEngine(variablesOf, lossScaleFactor);
  }

  get stateVariables() {
    return [...this.variablesOf.keys()].flatMap(({ variables }) => variables);
  }

  repack(): void {
    for (const [optimizer, variables] of this.variablesOf) {
      if (variables.length > 0) optimizer.build(variables);
    }
  }

  run(gradients: ReadonlyMap<Variable, Tensor>): void {
    for (const [optimizer, variables] of this.variablesOf) {
      const updated = variables.filter((variable) => gradients.has(variable));
      if (updated.length === 0) continue;
      const scaled = updated.map((variable) => gradients.get(variable) as Tensor);
      optimizer.apply(this.#unscaled(scaled), updated);
    }
  }

  averageOf(): null {
    return null;
  }

  dispose(): void {
    for (const optimizer of this.variablesOf.keys()) optimizer.dispose();
  }

  #unscaled(gradients: readonly Tensor[]): readonly Tensor[] {
    const factor = this.lossScaleFactor;
    if (factor === null) return gradients;
    const unscaled = (values: Tensor) => div(values, factor);
    return gradients.map((gradient) => changeSlices(unscaled(gradient), gradient, unscaled));
  }
}
