/** @file Adam and AdamW with moments in 8 bits. */
import type { Pieces } from '../../core/pieces.ts';
import { adam8bitKernel, type Adam8bitLaunch, adam8bitShapes } from '../../kernels/optimizers/adam8bit.ts';
import { stepKernel, type StepVariable } from '../../kernels/optimizers/optimizerStep.ts';
import { output } from '../../kernels/launch/output.ts';
import { zeros } from '../../ops/creation/creation.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { Variable } from '../../tensor/variable.ts';
import { withDevice } from '../../webgpu/current.ts';
import { DynamicScalar } from '../../webgpu/params.ts';
import { type Storage, wholeWords } from '../../webgpu/storage.ts';
import { Adam } from './adam.ts';
import { factoryOf, integer, moments, optimizer, type OptimizerOptions } from './declare.ts';
import { type FusedLaunch, ownStorage, withReadableGradients } from './fusedVariables.ts';
import { makeSlot, type OpRule, OpStepEngine } from './opStepEngine.ts';
import type { EngineParts, StepEngine } from './stepEngine.ts';

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

/** Steps by two engines, each for its own variables. */
class TwoEngines implements StepEngine {
  readonly #engines: ReadonlyMap<StepEngine, ReadonlySet<Variable>>;

  constructor(engines: readonly (readonly [StepEngine, readonly Variable[]])[]) {
    this.#engines = new Map(engines.map(([engine, variables]) => [engine, new Set(variables)]));
  }

  get isPacked(): boolean {
    return [...this.#engines.keys()].every(({ isPacked }) => isPacked);
  }

  get stateVariables() {
    return [...this.#engines.keys()].flatMap(({ stateVariables }) => stateVariables);
  }

  repack(): void {
    for (const engine of this.#engines.keys()) engine.repack();
  }

  run(gradients: ReadonlyMap<Variable, Tensor>): void {
    for (const [engine, variables] of this.#engines) {
      const own = [...gradients].filter(([variable]) => variables.has(variable));
      if (own.length > 0) engine.run(new Map(own));
    }
  }

  averageOf(variable: Variable): Variable | null {
    const owner = [...this.#engines].find(([, variables]) => variables.has(variable));
    return owner?.[0].averageOf(variable) ?? null;
  }

  dispose(): void {
    for (const engine of this.#engines.keys()) engine.dispose();
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
    const { clipping, useEma } = parts.extras;
    // A norm of all gradients needs all of them in one engine; averages move without gradients, too.
    const isOne = clipping === 'globalNorm' || useEma;
    const isPacked = (variable: Variable) => !isOne && this.#isSmall(variable);
    const packed = parts.variables.filter(isPacked);
    const others = parts.variables.filter((variable) => !isPacked(variable));
    const engines: [StepEngine, Variable[]][] = [];
    let isComplete = false;
    try {
      if (packed.length > 0) engines.push([yield* super.makeEngine({ ...parts, variables: packed }), packed]);
      if (others.length > 0) engines.push([yield* this.#separate(parts, others), others]);
      isComplete = true;
      return new TwoEngines(engines);
    } finally {
      if (!isComplete) for (const [engine] of engines) engine.dispose();
    }
  }

  #isSmall({ size }: Variable): boolean {
    return size < this.min8bitSize;
  }

  /** The engine of variables that have a launch each. The launch decays them. */
  #separate(parts: EngineParts, variables: readonly Variable[]): Pieces<StepEngine> {
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
    if (this.#isSmall(variable))
      return ['momentum', 'velocity'].map((slot) => makeSlot(variable, name(slot)));
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
    const { kernel, variant, params } = this.settings;
    if (this.#isSmall(variable)) {
      const plain = { clipping: 'none', scaled: false, accumulated: false, averaged: false } as const;
      stepKernel(variable.device, {
        kernel,
        options: { ...plain, variant, states: ['momentum', 'velocity'], decayed: extras.decayed },
        ...launch,
        filler: given,
        scales: null,
        shared: { ...numbers },
        own: params,
      });
      return;
    }
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
