/** @file Models with many kinds of layers, which are sent to Keras and back. */
import { randomNormal, type Tensor } from '../../../src/index.ts';
import type { AnyModel } from '../../../src/keras/models/model.ts';
import { input, layers, model, sequential } from '../../../src/keras/index.ts';

/** A model by its name, and the shapes of inputs for it. */
export interface MadeModel {
  readonly model: AnyModel;
  readonly shapes: readonly (readonly number[])[];
}

const batch = 8;

function made(model: unknown, ...shapes: readonly (readonly number[])[]): MadeModel {
  return { model: model as AnyModel, shapes: shapes.map((shape) => [batch, ...shape]) };
}

export const makers: Readonly<Record<string, () => MadeModel>> = {
  convolutions: () => {
    const x = input({ shape: [8, 8, 3] });
    let h = layers.conv2d({ filters: 4, kernelSize: 3, padding: 'same' }).apply(x);
    h = layers.batchNormalization().apply(h);
    h = layers.reLU().apply(h);
    h = layers.depthwiseConv2d({ kernelSize: 3, padding: 'same' }).apply(h);
    h = layers.separableConv2d({ filters: 5, kernelSize: 3, activation: 'tanh' }).apply(h);
    h = layers.conv2dTranspose({ filters: 3, kernelSize: 2, strides: 2 }).apply(h);
    h = layers.groupNormalization({ groups: 3 }).apply(h);
    h = layers.maxPooling2d().apply(h);
    h = layers.dropout({ rate: 0.2, seed: 1 }).apply(h);
    h = layers.flatten().apply(h);
    const y = layers.dense({ units: 3, activation: 'softmax' }).apply(h);
    return made(model({ inputs: x, outputs: y }), [8, 8, 3]);
  },
  recurrence: () => {
    const x = input({ shape: [5, 3] });
    let h = layers.bidirectional({ layer: layers.lstm({ units: 4, returnSequences: true }) }).apply(x);
    h = layers.layerNormalization().apply(h as never);
    h = layers
      .rnn({ cell: [layers.gruCell({ units: 4 }), layers.lstmCell({ units: 3 })], returnSequences: true })
      .apply(h as never) as never;
    h = layers.timeDistributed({ layer: layers.dense({ units: 4 }) }).apply(h as never) as never;
    h = layers.simpleRNN({ units: 4 }).apply(h as never) as never;
    return made(model({ inputs: x, outputs: layers.dense({ units: 2 }).apply(h as never) }), [5, 3]);
  },
  attention: () => {
    const x = input({ shape: [6, 8] });
    const attended = layers.multiHeadAttention({ numHeads: 2, keyDim: 4 }).apply([x, x]);
    const h = layers.layerNormalization().apply(layers.add().apply([x, attended as never]));
    const wide = layers
      .einsumDense({ equation: 'abc,cd->abd', outputShape: [6, 12], biasAxes: 'd' })
      .apply(h);
    const pooled = layers.globalAveragePooling1d().apply(layers.prelu().apply(wide));
    return made(
      model({ inputs: x, outputs: layers.dense({ units: 2, activation: 'sigmoid' }).apply(pooled) }),
      [6, 8],
    );
  },
  nested: () => {
    const inner = sequential([
      input({ shape: [4] }),
      layers.dense({ units: 5, activation: 'relu' }),
      layers.dense({ units: 4 }),
    ]);
    const [a, b] = [input({ shape: [4] }), input({ shape: [4] })];
    const joined = layers.concatenate().apply([inner.apply(a), inner.apply(b)]);
    const moments = layers.normalization({ axis: -1 });
    moments.adapt(randomNormal([16, 8], { seed: 5 }) as Tensor);
    const y = layers.dense({ units: 1, kernelRegularizer: 'l2' }).apply(moments.apply(joined));
    return made(model({ inputs: [a, b], outputs: y }), [4], [4]);
  },
  sharing: () => {
    const c = input({ shape: [4] });
    const shared = layers.dense({ units: 4, activation: 'gelu', name: 'shared' });
    const graph = model({
      inputs: c,
      outputs: [shared.apply(c), layers.dense({ units: 2 }).apply(shared.apply(shared.apply(c)))],
    });
    const around = sequential([input({ shape: [4] }), shared, layers.unitNormalization()]);
    const [a, b] = [input({ shape: [4] }), input({ shape: [4] })];
    const [left, top] = graph.apply(a) as unknown as [never, never];
    const [right] = graph.apply(around.apply(b)) as unknown as [never];
    const merged = layers
      .maximum()
      .apply([layers.subtract().apply([left, right]), layers.multiply().apply([left, right])]);
    const angle = layers.dot({ axes: 1, normalize: true }).apply([left, right]);
    return made(model({ inputs: [a, b], outputs: [merged, top, angle] as never }), [4], [4]);
  },
  sequences: () => {
    const x = input({ shape: [9, 3] });
    let h = layers.conv1d({ filters: 4, kernelSize: 3, padding: 'causal', dilationRate: 2 }).apply(x);
    h = layers.rmsNormalization().apply(layers.elu({ alpha: 0.7 }).apply(h));
    h = layers.depthwiseConv1d({ kernelSize: 2, depthMultiplier: 2 }).apply(h);
    h = layers.leakyReLU({ negativeSlope: 0.1 }).apply(layers.zeroPadding1d({ padding: [1, 0] }).apply(h));
    h = layers.separableConv1d({ filters: 4, kernelSize: 2, strides: 2 }).apply(h);
    h = layers.conv1dTranspose({ filters: 3, kernelSize: 3, strides: 2, padding: 'same' }).apply(h);
    h = layers.spatialDropout1d({ rate: 0.3, seed: 3 }).apply(layers.upSampling1d().apply(h));
    h = layers.averagePooling1d({ poolSize: 3, padding: 'same' }).apply(layers.cropping1d().apply(h));
    const turned = layers.permute({ dims: [2, 1] }).apply(h);
    const [forward, backward] = layers
      .bidirectional({
        layer: layers.gru({ units: 3, resetAfter: false, returnSequences: true }),
        mergeMode: null as never,
      })
      .apply(turned as never) as unknown as [never, never];
    const attended = layers.attention({ useScale: true }).apply([forward, backward]);
    const last = layers
      .lstm({ units: 3, goBackwards: true, recurrentActivation: 'hardSigmoid' })
      .apply(attended as never);
    const repeated = layers.repeatVector({ n: 2 }).apply(last as never);
    return made(model({ inputs: x, outputs: layers.globalMaxPooling1d().apply(repeated) }), [9, 3]);
  },
  volumes: () => {
    const x = input({ shape: [6, 6, 6, 2] });
    let h = layers.conv3d({ filters: 3, kernelSize: 2, strides: 2 }).apply(x);
    h = layers
      .batchNormalization({ momentum: 0.8, renorm: false } as never)
      .apply(layers.softmax({ axis: -1 }).apply(h));
    h = layers.maxPooling3d({ poolSize: 2, strides: 1 }).apply(h);
    h = layers.reshape({ targetShape: [-1, 3] }).apply(h);
    h = layers.spectralNormalization({ layer: layers.dense({ units: 3 }) }).apply(h as never) as never;
    return made(model({ inputs: x, outputs: layers.flatten().apply(h) }), [6, 6, 6, 2]);
  },
  statistics: () => {
    const x = input({ shape: [5, 3] });
    const moments = layers.normalization({ axis: -1 });
    moments.adapt(randomNormal([64, 5, 3], { seed: 6, mean: 2 }) as Tensor);
    const back = layers.normalization({ axis: -1, invert: true, mean: [1, 2, 3], variance: [4, 5, 6] });
    const h = layers.rescaling({ scale: 0.5, offset: [1, 2, 3] as never }).apply(moments.apply(x));
    return made(model({ inputs: x, outputs: back.apply(layers.dense({ units: 3 }).apply(h)) }), [5, 3]);
  },
};
