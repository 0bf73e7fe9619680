/** @file The models of test/fixtures/configs, built here: make_models.py builds them in Keras. */
import {
  add,
  concat,
  exp,
  mean,
  mul,
  relu,
  reshape,
  softmax,
  sub,
  type Tensor,
  tensor,
} from '../../../src/index.ts';
import type { SymbolicTensor } from '../../../src/ops/define/recorders.ts';
import type { AnyModel } from '../../../src/keras/models/model.ts';
import {
  constraints,
  initializers,
  input,
  layers as L,
  model,
  regularizers,
  sequential,
} from '../../../src/keras/index.ts';

const makers: Record<string, () => AnyModel> = {
  automatic: () => {
    const x = input({ shape: [16, 16, 3] });
    let h: SymbolicTensor = L.conv2d({ filters: 4, kernelSize: 3, padding: 'same' }).apply(x);
    h = L.reLU().apply(L.batchNormalization().apply(h));
    h = L.conv2d({ filters: 4, kernelSize: 3, strides: 2 }).apply(h);
    h = L.elu().apply(L.leakyReLU().apply(L.prelu({ sharedAxes: [1, 2] }).apply(h)));
    h = L.upSampling2d({ interpolation: 'bilinear' }).apply(L.maxPooling2d().apply(h));
    h = L.zeroPadding2d({
      padding: [
        [1, 0],
        [0, 1],
      ],
    }).apply(h);
    h = L.cropping2d({ cropping: 1 }).apply(h);
    h = L.separableConv2d({ filters: 5, kernelSize: 3, depthMultiplier: 2 }).apply(h);
    h = L.depthwiseConv2d({ kernelSize: 3, padding: 'same' }).apply(h);
    h = L.conv2dTranspose({ filters: 3, kernelSize: 2, strides: 2 }).apply(h);
    const a = L.globalAveragePooling2d().apply(h);
    const b = L.flatten().apply(L.globalMaxPooling2d({ keepDims: true }).apply(h));
    h = L.dense({ units: 8 }).apply(L.concatenate().apply([a, b]));
    h = L.dense({ units: 3 }).apply(L.activation({ activation: 'gelu' }).apply(h));
    return model({ inputs: x, outputs: L.softmax().apply(h) });
  },
  recurrent: () => {
    const x = input({ shape: [6, 3] });
    const lstm = L.lstm({ units: 4, returnSequences: true, dropout: 0.1, seed: 3 });
    let h: SymbolicTensor = L.bidirectional({ layer: lstm }).apply(x);
    h = L.timeDistributed({ layer: L.dropout({ rate: 0.2, seed: 5 }) }).apply(h);
    h = L.timeDistributed({ layer: L.dense({ units: 5 }) }).apply(h);
    h = L.bidirectional({ layer: L.gru({ units: 3, returnSequences: true }), mergeMode: 'sum' }).apply(h);
    const cell = [L.lstmCell({ units: 3 }), L.gruCell({ units: 2, dropout: 0.3, seed: 1 })];
    h = L.rnn({ cell, returnSequences: true }).apply(h);
    return model({ inputs: x, outputs: L.dense({ units: 1 }).apply(L.simpleRNN({ units: 4 }).apply(h)) });
  },
  adapted: () => {
    const x = input({ shape: [5] });
    const range = Array.from({ length: 40 }, (_, i) => i);
    const n = L.normalization();
    n.adapt(tensor(range, { shape: [8, 5] }));
    const m = L.normalization({ mean: [1, 2, 3, 4, 5], variance: [2, 1, 2, 1, 3] });
    const k = L.normalization({ axis: null });
    k.adapt(
      tensor(
        range.map((v) => v ** 1.5),
        { shape: [8, 5] },
      ),
    );
    const h = L.rescaling({ scale: 0.5, offset: 1 }).apply(n.apply(x));
    const all = L.concatenate().apply([h, m.apply(x), k.apply(x)]);
    return model({ inputs: x, outputs: L.dense({ units: 2 }).apply(L.unitNormalization().apply(all)) });
  },
  attention: () => {
    const [x, y] = [input({ shape: [6, 8] }), input({ shape: [4, 8] })];
    let h: SymbolicTensor = L.multiHeadAttention({ numHeads: 2, keyDim: 4, dropout: 0.1, seed: 9 }).apply([
      x,
      y,
    ]) as SymbolicTensor;
    h = L.layerNormalization().apply(L.add().apply([x, h]));
    const g = L.attention({ useScale: true }).apply([h, y]) as SymbolicTensor;
    h = L.average().apply([g, L.additiveAttention().apply([h, y]) as SymbolicTensor]);
    h = L.einsumDense({
      equation: 'abc,cd->abd',
      outputShape: [6, 7],
      biasAxes: 'd',
      activation: 'relu',
    }).apply(h);
    h = L.groupNormalization({ groups: 7 }).apply(h);
    return model({ inputs: [x, y], outputs: L.globalAveragePooling1d().apply(h) });
  },
  nested: () => {
    const inner = sequential([
      input({ shape: [4] }),
      L.dense({ units: 5, activation: 'relu' }),
      L.dropout({ rate: 0.1 }),
      L.dense({ units: 4 }),
    ]);
    const [a, b] = [input({ shape: [4] }), input({ shape: [4], name: 'second' })];
    const c = input({ shape: [4] });
    const graph = model({ inputs: c, outputs: L.multiply().apply([c, L.dense({ units: 4 }).apply(c)]) });
    const s = L.dense({ units: 4, name: 'shared' });
    let j: SymbolicTensor = L.subtract().apply([inner.apply(a), inner.apply(b)]);
    j = L.maximum().apply([s.apply(j), s.apply(graph.apply(b))]);
    const o = L.dot({ axes: 1, normalize: true }).apply([j, inner.apply(j)]);
    return model({ inputs: [a, b], outputs: [o, graph.apply(j)] });
  },
  deferred: () => {
    const made = sequential([
      L.conv1d({ filters: 4, kernelSize: 3, padding: 'causal', dilationRate: 2 }),
      L.maxPooling1d(),
      L.conv1d({ filters: 4, kernelSize: 2 }),
      L.averagePooling1d({ poolSize: 2, strides: 1 }),
      L.upSampling1d({ size: 2 }),
      L.zeroPadding1d({ padding: 1 }),
      L.cropping1d({ cropping: [1, 0] }),
      L.spatialDropout1d({ rate: 0.1 }),
      L.flatten(),
      L.repeatVector({ n: 2 }),
      L.permute({ dims: [2, 1] }),
      L.reshape({ targetShape: [-1, 2] }),
      L.dense({ units: 2 }),
    ]);
    made.build([null, 12, 3]);
    return made;
  },
  operations: () => {
    const inputs = [input({ shape: [4] }), input({ shape: [4] })];
    // For TypeScript, such ops take and return tensors; called on symbolic ones, they extend the graph.
    const [x, y] = inputs as unknown as [Tensor, Tensor];
    let h: Tensor = add(mul(x, 2), y);
    h = sub(relu(h), 1);
    h = concat([h, exp(x)], { axis: -1 });
    h = mean(h, { axis: 1, keepDims: true });
    h = reshape(h, { shape: [-1, 1] });
    h = softmax(add(h, L.dense({ units: 3 }).apply(x)));
    return model({ inputs, outputs: h as unknown as SymbolicTensor });
  },
  masked: () => {
    const x = input({ shape: [7], dtype: 'int32' });
    let h: SymbolicTensor = L.embedding({ inputDim: 11, outputDim: 4, maskZero: true }).apply(x);
    h = L.lstm({ units: 3, returnSequences: true }).apply(h);
    h = L.bidirectional({ layer: L.gru({ units: 3 }) }).apply(h);
    const y = input({ shape: [7, 2] });
    const g = L.simpleRNN({ units: 2 }).apply(L.masking({ maskValue: -1 }).apply(y));
    const top = L.dense({ units: 1, activation: 'sigmoid' });
    return model({ inputs: [x, y], outputs: top.apply(L.concatenate().apply([h, g as SymbolicTensor])) });
  },
  random: () => {
    const x = input({ shape: [5, 4] });
    let h: SymbolicTensor = L.dropout({ rate: 0.2, seed: 1 }).apply(x);
    h = L.spatialDropout1d({ rate: 0.2, seed: 2 }).apply(h);
    h = L.gaussianNoise({ stddev: 0.1, seed: 3 }).apply(h);
    h = L.gaussianDropout({ rate: 0.1 }).apply(h);
    h = L.dropout({ rate: 0.3, noiseShape: [null, 1, 4] }).apply(h);
    h = L.identity().apply(L.activityRegularization({ l1: 0.1, l2: 0.2 }).apply(h));
    return model({ inputs: x, outputs: L.dense({ units: 2, activityRegularizer: 'l2' }).apply(h) });
  },
  options: () => {
    const x = input({ batchShape: [2, 6, 6, 4], name: 'image' } as never);
    let h: SymbolicTensor = L.conv2d({
      filters: 4,
      kernelSize: 3,
      kernelInitializer: initializers.heNormal({ seed: 3 }),
      kernelRegularizer: regularizers.l1l2({ l1: 0.1, l2: 0.2 }),
      biasConstraint: constraints.nonNeg(),
      groups: 2,
      dilationRate: 2,
      name: 'a',
    }).apply(x);
    h = L.dense({
      units: 3,
      kernelInitializer: initializers.varianceScaling({ scale: 2, mode: 'fanOut', distribution: 'uniform' }),
      kernelConstraint: constraints.maxNorm({ maxValue: 3, axis: 0 }),
      biasInitializer: initializers.constant({ value: 0.5 }),
      kernelRegularizer: regularizers.l1({ l1: 0.1 }),
      activation: 'leakyRelu',
    }).apply(h);
    h = L.dense({
      units: 3,
      kernelInitializer: 'orthogonal',
      activation: { className: 'leakyRelu', config: { negativeSlope: 0.2 } },
      kernelRegularizer: regularizers.orthogonalRegularizer(),
      trainable: false,
    }).apply(h);
    h = L.batchNormalization({ momentum: 0.9, epsilon: 1e-5, center: false, scale: false, axis: 1 }).apply(h);
    h = L.layerNormalization({ axis: [1, 2], epsilon: 1e-6 }).apply(h);
    return model({ inputs: x, outputs: h, name: 'chosen' });
  },
  frozen: () => {
    const base = sequential({
      layers: [
        input({ shape: [8, 8, 3] }),
        L.conv2d({ filters: 2, kernelSize: 3 }),
        L.batchNormalization(),
        L.globalAveragePooling2d(),
      ],
      name: 'base',
    });
    base.trainable = false;
    const x = input({ shape: [8, 8, 3] });
    return model({ inputs: x, outputs: L.dense({ units: 1 }).apply(base.apply(x, { training: false })) });
  },
};

export const goldenModels: Readonly<Record<string, () => AnyModel>> = makers;
