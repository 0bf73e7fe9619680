/** @file The steps of a LossScaleOptimizer: the inner optimizer's, undone on the device where a gradient isn't finite. */
import type { Pieces } from '../../core/pieces.ts';
import { withDevice } from '../../webgpu/current.ts';
import { wholeWords } from '../../webgpu/storage.ts';
import { copyWords } from '../../kernels/copies/copyWords.ts';
import { output } from '../../kernels/launch/output.ts';
import { all } from '../../ops/reductions/anyAll.ts';
import { add, div, mul } from '../../ops/elementwise/arithmetic.ts';
import { equal } from '../../ops/elementwise/comparison.ts';
import { fill } from '../../ops/creation/creation.ts';
import { logicalAnd } from '../../ops/elementwise/logical.ts';
import { isFinite as areFinite } from '../../ops/elementwise/predicates.ts';
import { changeSlices } from '../../ops/indexing/slices.ts';
import { where } from '../../ops/elementwise/where.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { Variable } from '../../tensor/variable.ts';
import type { HostVariable } from './hostVariable.ts';
import type { Optimizer } from './optimizer.ts';
import type { StepEngine } from './stepEngine.ts';

interface LossScaleParts {
  readonly name: string;
  readonly variables: readonly Variable[];
  readonly inner: Optimizer;
  readonly initialScale: number;
  readonly dynamicGrowthSteps: number;
}

export class LossScaleEngine implements StepEngine {
  /** The inner optimizer packs its variables itself. */
  readonly isPacked = true;
  /** The factor of the next loss, float32 []. */
  readonly scale: Variable;
  /** Finite steps since the scale last changed, int32 []. */
  readonly #counter: Variable;

  private constructor(private readonly parts: LossScaleParts) {
    const { name, variables, initialScale } = parts;
    const { device } = variables[0] as Variable;
    const make = (slot: string, value: number, dtype: 'float32' | 'int32') => {
      const initial = withDevice(device, () => fill([], value, { dtype }));
      const made = new Variable(initial, { name: `${name}/${slot}`, trainable: false });
      initial.dispose();
      return made;
    };
    this.#counter = make('step_counter', 0, 'int32');
    this.scale = make('dynamic_scale', initialScale, 'float32');
  }

  /** Builds the inner optimizer, in pieces. */
  static *create(parts: LossScaleParts): Pieces<LossScaleEngine> {
    yield* parts.inner.buildInPieces(parts.variables);
    return new LossScaleEngine(parts);
  }

  get stateVariables(): (Variable | HostVariable)[] {
    return [this.#counter, this.scale, ...this.parts.inner.variables];
  }

  repack(): void {}

  run(gradients: ReadonlyMap<Variable, Tensor>): void {
    const { inner, dynamicGrowthSteps } = this.parts;
    const { scale } = this;
    const counter = this.#counter;
    const finite = [...gradients.values()]
      .map((gradient) => all(areFinite(gradient)))
      .reduce((a, b) => logicalAnd(a, b));
    const unscale = (values: Tensor) => div(values, scale);
    const unscaled = [...gradients.values()].map((gradient) =>
      changeSlices(unscale(gradient), gradient, unscale),
    );
    const before = this.#changing().map((variable) => [variable, copyOf(variable)] as const);
    inner.apply(unscaled, [...gradients.keys()]);
    for (const [variable, old] of before) {
      // Written in place, because the inner optimizer packs small variables.
      copyWords(where(finite, variable, old), variable.writableStorage());
    }
    const isDue = logicalAnd(finite, equal(counter, dynamicGrowthSteps - 1));
    scale.assign(where(finite, where(isDue, mul(scale, 2), scale), mul(scale, 0.5)));
    counter.assign(where(logicalAnd(finite, equal(isDue, false)), add(counter, 1), 0));
  }

  averageOf(): null {
    return null;
  }

  dispose(): void {
    this.#counter.dispose();
    this.scale.dispose();
    this.parts.inner.dispose();
  }

  /** Returns the variables on the device that a step of the inner optimizer changes. */
  #changing(): Variable[] {
    const { inner, variables } = this.parts;
    const slots = inner.variables.filter((variable) => variable instanceof Variable);
    return [...variables, ...slots].filter((variable) => !variable.disposed);
  }
}

function copyOf(variable: Variable): Tensor {
  const { device, storage, bytes } = variable;
  const copy = output(device, variable, 'optimizer');
  device.copy(storage, copy.storage, wholeWords(bytes));
  return copy;
}
