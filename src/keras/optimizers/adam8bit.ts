/** @file Adam and AdamW with moments in 8 bits. */
import type { Pieces } from '../../core/pieces.ts';
import { adam8bitKernel, type Adam8bitLaunch, adam8bitShapes } from '../../kernels/optimizers/adam8bit.ts';
import type { StepVariable } from '../../kernels/optimizers/optimizerStep.ts';
import { output } from '../../kernels/launch/output.ts';
import { zeros } from '../../ops/creation/creation.ts';
import { mul } from '../../ops/elementwise/arithmetic.ts';
import { sqrt, square } from '../../ops/elementwise/unary.ts';
import { hasSlices, sumOfSlices } from '../../ops/indexing/slices.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { Variable } from '../../tensor/variable.ts';
import { withDevice } from '../../webgpu/current.ts';
import { DynamicScalar } from '../../webgpu/params.ts';
import { type Storage, wholeWords } from '../../webgpu/storage.ts';
import { Adam } from './adam.ts';
import { factoryOf, integer, moments, optimizer, type OptimizerOptions } from './declare.ts';
import { type FusedLaunch, ownStorage, withReadableGradients } from './fusedVariables.ts';
import type { FusedStepEngine } from './fusedStepEngine.ts';
import { makeSlot, type OpRule, OpStepEngine } from './opStepEngine.ts';
import type { EngineParts, StepEngine, StepExtras } from './stepEngine.ts';

export interface Adam8bitOptions extends OptimizerOptions {
  /** Decay of the running mean of gradients, in [0, 1). Default 0.9. */
  beta1?: number;
  /** Decay of the running mean of squared gradients, in [0, 1). Default 0.999. */
  beta2?: number;
  /** Added to the root of the squared mean. Default 1e-7, as in Keras. */
  epsilon?: number;
  /** Variables with fewer values keep their moments in float32. At least 1; default 4096. */
  min8bitSize?: number;
}

const adam8bitTable = () => ({ ...moments(), min8bitSize: integer({ min: 1, default: 4096 }) });

/** Steps small variables by the fused engine, several per launch, and large ones one by one. */
class TwoEngines implements StepEngine {
  readonly #small: ReadonlySet<Variable>;

  constructor(
    private readonly fused: FusedStepEngine,
    private readonly separate: OpStepEngine,
    small: readonly Variable[],
    private readonly extras: StepExtras,
  ) {
    this.#small = new Set(small);
  }

  get isPacked(): boolean {
    return this.fused.isPacked;
  }

  get stateVariables() {
    return [...this.fused.stateVariables, ...this.separate.stateVariables];
  }

  repack(): void {
    this.fused.repack();
  }

  run(gradients: ReadonlyMap<Variable, Tensor>): void {
    const { clipping, useEma } = this.extras;
    const ofSize = (isSmall: boolean) =>
      new Map([...gradients].filter(([variable]) => this.#small.has(variable) === isSmall));
    const [small, large] = [ofSize(true), ofSize(false)];
    if (clipping === 'globalNorm') this.#runClipped(small, large);
    else {
      // Averages move without gradients, too.
      if (useEma || small.size > 0) this.fused.runWith(small, [...large.values()])?.dispose();
      if (useEma || large.size > 0) this.separate.run(large);
    }
  }

  /** As in Keras, what is clipped by the norm of all gradients is a sum, and the norm is that of slices. */
  #runClipped(small: ReadonlyMap<Variable, Tensor>, large: ReadonlyMap<Variable, Tensor>): void {
    const unclipped = this.separate.unclipped(large);
    const normed = [...unclipped.values()].map((gradient) =>
      hasSlices(gradient) ? sqrt(sumOfSlices(gradient, square)) : gradient,
    );
    const scale = this.fused.runWith(small, normed) as Tensor;
    const clipped = [...unclipped].map(
      ([variable, gradient]) => [variable, { gradient: mul(gradient, scale), squares: null }] as const,
    );
    this.separate.runClipped(large, new Map(clipped));
  }

  averageOf(variable: Variable): Variable | null {
    return this.fused.averageOf(variable) ?? this.separate.averageOf(variable);
  }

  dispose(): void {
    this.fused.dispose();
    this.separate.dispose();
  }
}

export class Adam8bit extends /* @__PURE__ */ optimizer<Adam8bitOptions, Adam>(
  'Adam8bit',
  Adam,
  adam8bitTable,
) {
  readonly #step = new DynamicScalar(0);

  protected override advance(step: number, rate: number): void {
    super.advance(step, rate);
    this.#step.value = step;
  }

  protected override *makeEngine(parts: EngineParts): Pieces<StepEngine> {
    const [small, large] = [true, false].map((isSmall) =>
      parts.variables.filter(({ size }) => size < this.min8bitSize === isSmall),
    ) as [Variable[], Variable[]];
    if (large.length === 0) return yield* super.makeEngine(parts);
    const separate = yield* this.#separate(parts, large);
    if (small.length === 0) return separate;
    let isComplete = false;
    try {
      const fused = yield* super.makeEngine({ ...parts, variables: small });
      isComplete = true;
      return new TwoEngines(fused as FusedStepEngine, separate, small, parts.extras);
    } finally {
      if (!isComplete) separate.dispose();
    }
  }

  /** The engine of variables that have a launch each. The launch decays them. */
  #separate(parts: EngineParts, variables: readonly Variable[]): Pieces<OpStepEngine> {
    const extras = { ...parts.extras, decayed: false };
    return OpStepEngine.create({ ...parts, variables, extras }, this.#rule(parts), (variable, state) =>
      this.slotName(variable, state),
    );
  }

  #rule(parts: EngineParts): OpRule {
    // Variables draw different random numbers.
    const streams = new Map(parts.variables.map((variable, i) => [variable, i]));
    return {
      makeSlots: (variable) => this.#makeSlots(variable),
      update: (_value, gradient, slots, _scalar, variable, squares) => {
        // Steps that only accumulate gradients keep what is there.
        const now = [variable, ...(slots as Variable[])];
        const targets = parts.extras.accumulating ? now.map(copyOf) : now;
        const stream = streams.get(variable) as number;
        this.#launch(parts, stream, variable, targets, gradient, squares);
        return targets;
      },
    };
  }

  #makeSlots(variable: Variable): Variable[] {
    const name = (slot: string) => this.slotName(variable, slot);
    const [codes, scales] = adam8bitShapes(variable.size);
    const start = withDevice(variable.device, () => zeros(codes, { dtype: 'uint32' }));
    const made = new Variable(start, { name: name('moments'), trainable: false });
    start.dispose();
    return [made, makeSlot(variable, name('scales'), scales)];
  }

  /** Updates `targets`, the values of `variable` and its slots. */
  #launch(
    { numbers, extras, isDecayed }: EngineParts,
    stream: number,
    variable: Variable,
    targets: readonly Tensor[],
    given: Tensor,
    squares: Tensor | null,
  ): void {
    const storages = targets.map((target) =>
      target instanceof Variable ? ownStorage(target) : target.storage,
    );
    const [launch] = withReadableGradients([
      {
        buffers: { kind: 'separate', storages },
        variables: [
          {
            variable,
            start: 0,
            size: variable.size,
            gradient: given,
            sliceSums: squares,
            withNorm: null,
            isClipped: false,
            decayed: extras.decayed && isDecayed(variable),
            skipped: false,
          },
        ],
        first: 0,
      },
    ]) as [FusedLaunch];
    const { gradient, sliceSums, decayed } = launch.variables[0] as StepVariable;
    const { params } = this.settings;
    const [value, moments, scales] = storages as [Storage, Storage, Storage];
    adam8bitKernel({
      value,
      moments,
      scales,
      size: variable.size,
      gradient: gradient as Tensor,
      squares: sliceSums,
      decay: decayed ? numbers.decay : null,
      step: this.#step,
      stream,
      rule: params as Adam8bitLaunch['rule'],
    });
  }
}

export class AdamW8bit extends /* @__PURE__ */ optimizer<Adam8bitOptions, Adam8bit>(
  'AdamW8bit',
  Adam8bit,
  adam8bitTable,
  { defaults: { weightDecay: 0.004 } },
) {}

/** A copy of the values, which may be overwritten. */
function copyOf(source: Variable): Tensor {
  const { device, storage, bytes } = source;
  const copy = output(device, source, 'optimizer');
  device.copy(storage, copy.storage, wholeWords(bytes));
  return copy;
}

/**
 * Adam with moments in 8 bits, which take a quarter of the memory. Each block of 256 values of a variable has a scale for its momenta
 * and one for its velocities; both are rounded at random, so that they are right on average, and a step is computed in float32. The
 * random numbers follow from the step count: training can be repeated, and resumed from a file, to the bit. Variables with fewer than
 * `min8bitSize` values keep float32; each larger one takes a launch. It has no `amsgrad`. Keras has no such optimizer, and opens a
 * saved model with `compile=False`. Default learning rate 0.001.
 * Sources: Kingma and Ba, ICLR 2015; moments in blocks: Dettmers et al., 8-bit optimizers via block-wise quantization, ICLR 2022.
 * Errors: ValueError for options.
 */
export const adam8bit = /* @__PURE__ */ factoryOf(Adam8bit, ['learningRate', 'beta1', 'beta2', 'epsilon']);

/** `adam8bit` with decoupled weight decay. Default weight decay 0.004. Errors: ValueError for options. */
export const adamW8bit = /* @__PURE__ */ factoryOf(AdamW8bit, [
  'learningRate',
  'weightDecay',
  'beta1',
  'beta2',
  'epsilon',
]);
