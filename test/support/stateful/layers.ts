/** @file Layers of stateful programs: shared ones, models inside models, masks, and layers with state of their own. */
import * as rg from '../../../src/index.ts';
import type { Tensor, Variable } from '../../../src/index.ts';
import { input, layers, model, optimizers } from '../../../src/keras/index.ts';
import { pick, values } from './numbers.ts';

type Shape = readonly [rows: number, columns: number];

/** Layers from [rows, columns] to [rows, columns], built with equal weights in every world. */
export class WorldLayers {
  readonly dense;
  readonly #norm = layers.batchNormalization({ momentum: 0.8 });
  readonly #dropout = layers.dropout({ rate: 0.3, seed: 7 });
  readonly #masking = layers.masking();
  readonly #gru;
  readonly stateful;
  readonly #inner;
  readonly #outer;
  readonly #optimizer = optimizers.adam({ learningRate: 0.05, clipnorm: 1 });
  /** Weights and other state that a program may change. */
  readonly variables: readonly Variable[];

  constructor(private readonly shape: Shape) {
    const [rows, columns] = shape;
    this.dense = layers.dense({ units: columns, activation: 'tanh' });
    this.#gru = layers.gru({ units: columns, returnSequences: true });
    this.stateful = layers.simpleRNN({ units: columns, returnSequences: true, stateful: true });
    for (const recurrent of [this.#gru, this.stateful]) recurrent.build([1, rows, columns]);
    const x = input({ shape: [columns] });
    this.#inner = model({ inputs: x, outputs: this.#norm.apply(this.dense.apply(x)) as typeof x });
    const y = input({ shape: [columns] });
    const twice = this.#inner.apply(this.dense.apply(this.#inner.apply(y)));
    this.#outer = model({ inputs: y, outputs: this.#dropout.apply(twice) as typeof y });
    this.#optimizer.build(this.#outer.trainableWeights);
    const weights = [this.#outer, this.#gru, this.stateful].flatMap((layer) => layer.weights);
    weights.forEach((weight, i) => {
      if (!weight.path.endsWith('variance') && !weight.path.includes('seed') && weight.dtype === 'float32')
        weight.assign(rg.mul(values([...weight.shape], 31 + i), 0.5));
    });
    const ofOptimizer = this.#optimizer.variables.filter((one) => one instanceof rg.Variable);
    this.variables = [...new Set([...weights, ...ofOptimizer])];
    // State is made at the first call, which no compiled function could replay.
    this.recurrent(rg.zeros([rows, columns]), 0);
    this.recurrent(rg.zeros([rows, columns]), 1);
    this.stateful.resetState();
  }

  /** One layer. */
  single(x: Tensor, which: number): Tensor {
    const training = which % 2 === 0;
    return pick([this.dense, this.#norm, this.#dropout], which >> 1).apply(this.#fitted(x), { training });
  }

  /** A model in which another is called twice, with a shared layer in both. */
  nested(x: Tensor, which: number): Tensor {
    return this.#outer.apply(this.#fitted(x), { training: which % 2 === 0 }) as Tensor;
  }

  /** Rows as steps of a sequence, some of which are masked; the other layer has state. */
  recurrent(x: Tensor, which: number): Tensor {
    const [rows] = this.shape;
    const kept = Array.from({ length: rows }, (_, i) => ((which >> 1) + i) % 3 > 0);
    const steps = rg.mul(this.#fitted(x), rg.tensor(kept.map(Number), { shape: [rows, 1] }));
    const sequence = this.#masking.apply(rg.expandDims(steps, { axis: 0 }));
    return rg.squeeze((which % 2 === 0 ? this.#gru : this.stateful).apply(sequence), { axis: 0 });
  }

  /** One step of the optimizer on what is trainable at the moment. Returns the loss. */
  train(x: Tensor): Tensor {
    const fitted = this.#fitted(x);
    const { trainableWeights } = this.#outer;
    using tape = new rg.GradientTape();
    const loss = rg.mean(rg.square(rg.sub(this.#outer.apply(fitted, { training: true }) as Tensor, 0.3)));
    const gradients = tape.gradient(loss, trainableWeights, { unconnectedGradients: 'zero' });
    this.#optimizer.apply(gradients, trainableWeights);
    return loss;
  }

  #fitted(x: Tensor): Tensor {
    return rg.add(x, rg.zeros([...this.shape]));
  }
}
