/** @file Gated residual networks that weigh the columns of a table, numbers and categories, by named inputs. */
import { init, type Tensor } from 'retrograd';
import {
  input,
  type KerasTensor,
  Layer,
  layers,
  losses,
  metrics,
  model,
  ops,
  optimizers,
} from 'retrograd/keras';
import { type Curves, integers, setKernels, uniform } from './formula.ts';

const numeric = ['age', 'hours', 'gain'];
const categorical = { work: ['Private', 'State', 'Self'], class: ['A', 'B'] };
const [count, size] = [16, 6];

class GatedLinearUnit extends Layer {
  readonly linear: Layer;
  readonly sigmoid: Layer;

  constructor(units: number) {
    super();
    this.linear = layers.dense(units);
    this.sigmoid = layers.dense(units, 'sigmoid');
  }

  override call(inputs: Tensor): Tensor {
    return ops.multiply(this.linear.apply(inputs), this.sigmoid.apply(inputs));
  }
}

class GatedResidualNetwork extends Layer {
  readonly eluDense: Layer;
  readonly linearDense: Layer;
  readonly dropout: Layer;
  readonly gatedLinearUnit: Layer;
  readonly layerNorm = layers.layerNormalization();
  readonly project: Layer;

  constructor(
    readonly units: number,
    dropoutRate: number,
  ) {
    super();
    this.eluDense = layers.dense(units, 'elu');
    this.linearDense = layers.dense(units);
    this.dropout = layers.dropout(dropoutRate);
    this.gatedLinearUnit = new GatedLinearUnit(units);
    this.project = layers.dense(units);
  }

  override call(inputs: Tensor): Tensor {
    const x = this.dropout.apply(this.linearDense.apply(this.eluDense.apply(inputs)));
    const residual = inputs.shape.at(-1) === this.units ? inputs : this.project.apply(inputs);
    return this.layerNorm.apply(ops.add(residual, this.gatedLinearUnit.apply(x)));
  }
}

class VariableSelection extends Layer<Tensor[], Tensor> {
  readonly grns: Layer[];
  readonly grnConcat: Layer;
  readonly softmax: Layer;

  constructor(numFeatures: number, units: number, dropoutRate: number) {
    super();
    this.grns = Array.from({ length: numFeatures }, () => new GatedResidualNetwork(units, dropoutRate));
    this.grnConcat = new GatedResidualNetwork(units, dropoutRate);
    this.softmax = layers.dense({ units: numFeatures, activation: 'softmax' });
  }

  override call(inputs: Tensor[]): Tensor {
    const v = this.grnConcat.apply(ops.concatenate(inputs, { axis: -1 }));
    const weights = ops.expandDims(this.softmax.apply(v), { axis: -1 });
    const selected = this.grns.map((grn, i) => grn.apply(inputs[i] as Tensor));
    const x = ops.stack(selected, { axis: 1 });
    return ops.squeeze(ops.matMul(ops.transpose(weights, [0, 2, 1]), x), { axis: 1 });
  }
}

function createModel() {
  const inputs: Record<string, KerasTensor> = {};
  const encoded: KerasTensor[] = [];
  for (const name of numeric) {
    inputs[name] = input({ shape: [1], name });
    encoded.push(layers.dense(size).apply(inputs[name]));
  }
  for (const [name, vocabulary] of Object.entries(categorical)) {
    inputs[name] = input({ shape: [1], name, dtype: 'int32' });
    const embedding = layers.embedding(vocabulary.length + 1, size, { name: `${name}_embedding` });
    encoded.push(layers.reshape({ targetShape: [size] }).apply(embedding.apply(inputs[name])));
  }
  const features = new VariableSelection(encoded.length, size, 0).apply(encoded);
  return model({ inputs, outputs: layers.dense(1, 'sigmoid').apply(features) });
}

export async function run(): Promise<Curves> {
  await init();
  const x: Record<string, Tensor> = {};
  for (const [i, name] of numeric.entries()) x[name] = uniform([count, 1], 10 + i, -1, 1);
  for (const [i, [name, vocabulary]] of Object.entries(categorical).entries()) {
    const lookup = layers.stringLookup({ vocabulary, maskToken: null, numOovIndices: 1 });
    const drawn = await integers([count], 20 + i, vocabulary.length + 1).data();
    const words = Array.from(drawn, (index) => [vocabulary[index] ?? 'Unknown']);
    x[name] = lookup.apply(words);
  }
  const [y, sampleWeight] = [integers([count, 1], 30, 2), uniform([count], 31, 0.5, 2)];
  const net = createModel();
  setKernels(net);
  net.compile({
    optimizer: optimizers.adam({ learningRate: 0.005 }),
    loss: losses.binaryCrossentropy(),
    metrics: [metrics.binaryAccuracy({ name: 'accuracy' })],
  });
  const { history } = await net.fit(x, y, {
    sampleWeight,
    epochs: 4,
    batchSize: 4,
    shuffle: false,
    verbose: 0,
  });
  const [loss, accuracy] = await net.evaluate(x, y, { verbose: 0 });
  const predictions = await (await net.predict(x)).data();
  return {
    loss: history.loss ?? [],
    accuracy: history.accuracy ?? [],
    evaluated: [loss as number, accuracy as number],
    predictions: [...predictions].slice(0, 6),
  };
}
