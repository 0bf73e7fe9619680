/** @file Models with many kinds of layers, for the way to Keras and back. */
import type { Tensor } from '../../../src/index.ts';
import type { AnyModel } from '../../../src/keras/json/read.ts';
import { randomNormal } from '../../../src/index.ts';
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
      .einsumDense({ equation: 'abc,cd->abd', outputShape: [null, 12], biasAxes: 'd' })
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
};
