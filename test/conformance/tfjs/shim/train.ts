/** @file tf.train, over Keras's optimizers. */
import * as keras from '../../../../src/keras/index.ts';
import { type Tensor, tensor, tidy, type Variable } from '../../../../src/index.ts';
import { type Loose, Rejection } from './call.ts';
import { registeredVariables } from './engine.ts';
import { variableGrads } from './gradients.ts';
import { notOffered } from './notOffered.ts';
import { ownedByTest } from './testScope.ts';

interface Kind {
  /** The name of TF.js's class, without `Optimizer`. */
  readonly className: string;
  /** TF.js's arguments, by position, with their defaults. */
  readonly parameters: Readonly<Record<string, Loose>>;
  /** TF.js's names of the slots of a variable, in Keras's order. */
  slots(config: Loose): readonly string[];
  make(config: Loose): keras.optimizers.Optimizer;
}

/** The epsilon that TF.js adds to denominators. */
const epsilon = 1e-7;

const kinds = {
  sgd: {
    className: 'SGD',
    parameters: { learningRate: undefined },
    slots: () => [],
    make: ({ learningRate }) => keras.optimizers.sgd({ learningRate }),
  },
  momentum: {
    className: 'Momentum',
    parameters: { learningRate: undefined, momentum: undefined, useNesterov: false },
    slots: () => ['momentum'],
    make: ({ learningRate, momentum, useNesterov }) =>
      keras.optimizers.sgd({ learningRate, momentum, nesterov: useNesterov }),
  },
  rmsprop: {
    className: 'RMSProp',
    parameters: { learningRate: undefined, decay: 0.9, momentum: 0, epsilon, centered: false },
    slots: ({ centered }) => ['rms', 'momentum', ...(centered ? ['mg'] : [])],
    make: ({ learningRate, decay, ...options }) =>
      keras.optimizers.rmsprop({ learningRate, rho: decay, ...options }),
  },
  adagrad: {
    className: 'Adagrad',
    parameters: { learningRate: undefined, initialAccumulatorValue: 0.1 },
    slots: () => ['accumulator'],
    make: (config) => keras.optimizers.adagrad(config),
  },
  adadelta: {
    className: 'Adadelta',
    parameters: { learningRate: 0.001, rho: 0.95, epsilon },
    slots: () => ['accum_grad', 'accum_var'],
    make: (config) => keras.optimizers.adadelta(config),
  },
  adam: {
    className: 'Adam',
    parameters: { learningRate: 0.001, beta1: 0.9, beta2: 0.999, epsilon },
    slots: () => ['m', 'v'],
    make: ({ beta1, beta2, ...options }) => keras.optimizers.adam({ ...options, beta1, beta2 }),
  },
  adamax: {
    className: 'Adamax',
    parameters: { learningRate: 0.002, beta1: 0.9, beta2: 0.999, epsilon, decay: 0 },
    slots: () => ['m', 'u'],
    make: ({ decay, ...options }) => {
      if (decay) notOffered("adamax's decay");
      return keras.optimizers.adamax(options);
    },
  },
} satisfies Record<string, Kind>;

/** TF.js's optimizer: it finds the gradients itself. Keras's optimizer is created at the first step. */
export class Optimizer {
  readonly #kind: Kind;
  readonly #config: Loose;
  #keras: keras.optimizers.Optimizer | null = null;
  #loaded: { iterations: number; slots: Tensor[] } | null = null;

  constructor(kind: Kind, args: Loose[]) {
    this.#kind = kind;
    const names = Object.entries(kind.parameters);
    this.#config = Object.fromEntries(names.map(([name, standard], i) => [name, args[i] ?? standard]));
    if (this.#config.learningRate === undefined)
      throw new Rejection(`learningRate for ${kind.className}Optimizer must be defined.`);
  }

  static fromConfig(cls: Loose, config: Loose): Optimizer {
    return new cls(...Object.values(config));
  }

  getConfig(): Loose {
    return { ...this.#config };
  }

  get iterations(): number {
    return this.#keras?.iterations ?? this.#loaded?.iterations ?? 0;
  }

  minimize(f: Loose, returnCost = false, varList?: Loose): Loose {
    const cost = tidy(() => {
      const { value, grads } = variableGrads(f, varList);
      const chosen = ([...(varList ?? registeredVariables())] as Variable[]).filter(
        (v) => grads[v.name as string],
      );
      this.#built(chosen).apply(
        chosen.map((v) => grads[v.name as string]),
        chosen,
      );
      return returnCost ? value : null;
    });
    return cost && ownedByTest(cost);
  }

  #built(variables: readonly Variable[]): keras.optimizers.Optimizer {
    if (this.#keras) return this.#keras;
    this.#keras = this.#kind.make(this.#config);
    this.#keras.build(variables);
    return this.#keras;
  }

  async getWeights(): Promise<Loose> {
    const iterations = { name: 'iter', tensor: ownedByTest(tensor(this.iterations, { dtype: 'int32' })) };
    if (!this.#keras) return [iterations];
    // Behind the count of steps and the learning rate.
    const values = (await this.#keras.getWeights()).slice(2);
    const names = this.#keras.trainableVariables.flatMap((v) =>
      this.#kind.slots(this.#config).map((slot) => `${v.name}/${slot}`),
    );
    return [
      iterations,
      ...values.map((value, i) => ({ name: names[i], tensor: ownedByTest(tensor(value)) })),
    ];
  }

  async setWeights(weights: Loose): Promise<void> {
    const variables = registeredVariables().filter((v) => v.trainable);
    const optimizer = this.#built(variables);
    const [iterations, ...slots] = await Promise.all(weights.map((weight: Loose) => weight.tensor.data()));
    const before = await optimizer.getWeights();
    optimizer.setWeights([Number(iterations[0]), before[1] as never, ...slots]);
  }

  dispose(): void {
    this.#keras?.dispose();
  }
}

const optimizerOf = (kind: Kind) =>
  class extends Optimizer {
    constructor(...args: Loose[]) {
      super(kind, args);
    }
  };

export const SGDOptimizer = optimizerOf(kinds.sgd);
export const MomentumOptimizer = optimizerOf(kinds.momentum);
export const RMSPropOptimizer = optimizerOf(kinds.rmsprop);
export const AdagradOptimizer = optimizerOf(kinds.adagrad);
export const AdadeltaOptimizer = optimizerOf(kinds.adadelta);
export const AdamOptimizer = optimizerOf(kinds.adam);
export const AdamaxOptimizer = optimizerOf(kinds.adamax);

export const train = {
  sgd: (...args: Loose[]) => new SGDOptimizer(...args),
  momentum: (...args: Loose[]) => new MomentumOptimizer(...args),
  rmsprop: (...args: Loose[]) => new RMSPropOptimizer(...args),
  adagrad: (...args: Loose[]) => new AdagradOptimizer(...args),
  adadelta: (...args: Loose[]) => new AdadeltaOptimizer(...args),
  adam: (...args: Loose[]) => new AdamOptimizer(...args),
  adamax: (...args: Loose[]) => new AdamaxOptimizer(...args),
};
