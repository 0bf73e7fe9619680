/** @file Training: optimizers with n variables, fits of n batches or layers, inspection of n ops. */
import {
  add,
  compile,
  GradientTape,
  matMul,
  profile,
  relu,
  sum,
  type Tensor,
  tensor,
  variable,
} from '../../../src/index.ts';
import { inspect } from '../../../src/inspect/index.ts';
import { input, layers, losses, metrics, model, optimizers } from '../../../src/keras/index.ts';
import type { ScaleRow } from '../scaleRow.ts';

const times = <T>(n: number, body: (i: number) => T): T[] => Array.from({ length: n }, (_, i) => body(i));
const square = () => tensor([1, 0, 0, 1], [2, 2]);

/** With their smallest sizes: the steps of Lamb are written with ops, of which each variable takes many. */
const makers = {
  sgd: { make: () => optimizers.sgd({ learningRate: 0.1 }), from: 500 },
  adam: { make: () => optimizers.adam({ learningRate: 0.1, globalClipnorm: 1 }), from: 500 },
  lamb: { make: () => optimizers.lamb({ learningRate: 0.1 }), from: 60 },
};

function network(layerCount: number) {
  const x = input({ shape: [2] });
  let y = x;
  for (let i = 0; i < layerCount; i++)
    y = layers.dense({ units: 2, activation: 'relu' }).apply(y) as typeof x;
  const net = model({ inputs: x, outputs: y });
  net.compile({
    optimizer: optimizers.adam(),
    loss: losses.meanSquaredError(),
    metrics: [metrics.meanAbsoluteError()],
  });
  return net;
}

const zeros = (n: number) => tensor(new Float32Array(2 * n), [n, 2]);

function stepOf(n: number) {
  const weights = times(n, () => variable(square()));
  return (x: Tensor) => {
    using tape = new GradientTape();
    const loss = sum(weights.reduce((y: Tensor, w) => relu(matMul(y, w)), x));
    return tape.gradient(loss, weights);
  };
}

export const trainingRows: readonly ScaleRow[] = [
  ...Object.entries(makers).flatMap(([name, { make, from }]): ScaleRow[] => [
    {
      name: `${name}, eagerly`,
      unit: 'variables',
      from,
      short: 100,
      prepare: (n) => {
        const weights = times(n, () => variable(square()));
        const gradients = weights.map(square);
        const optimizer = make();
        return () => {
          optimizer.apply(gradients, weights);
          optimizer.apply(gradients, weights);
          return optimizer;
        };
      },
    },
    {
      name: `${name}, compiled`,
      unit: 'variables',
      from: from / 2,
      short: 100,
      prepare: (n) => {
        const weights = times(n, () => variable(square()));
        const optimizer = make();
        optimizer.build(weights);
        const step = compile((x: Tensor) => {
          optimizer.apply(
            weights.map((w) => add(w, x)),
            weights,
          );
          return x;
        });
        const x = square();
        return () => [step(x), step(x), step(x)];
      },
    },
  ]),
  {
    name: 'fit, many batches',
    unit: 'batches',
    from: 500,
    short: 50,
    prepare: (n) => {
      const [net, x] = [network(2), zeros(4 * n)];
      return () => net.fit(x, x, { epochs: 1, batchSize: 4, verbose: 0 });
    },
  },
  {
    name: 'fit, many epochs',
    unit: 'epochs',
    from: 30,
    short: 25,
    prepare: (n) => {
      const [net, x] = [network(2), zeros(8)];
      return () => net.fit(x, x, { epochs: n, batchSize: 4, verbose: 0, validationData: [x, x] });
    },
  },
  {
    name: 'fit, many layers',
    unit: 'layers',
    from: 125,
    short: 25,
    prepare: (n) => {
      const [net, x] = [network(n), zeros(32)];
      return () => net.fit(x, x, { epochs: 1, batchSize: 4, verbose: 0 });
    },
  },
  {
    name: 'evaluate and predict, many batches',
    unit: 'batches',
    from: 500,
    short: 50,
    prepare: (n) => {
      const [net, x] = [network(2), zeros(4 * n)];
      return async () => [
        await net.evaluate(x, x, { batchSize: 4, verbose: 0 }),
        await net.predict(x, { batchSize: 4, verbose: 0 }),
      ];
    },
  },
  {
    name: 'inspect',
    unit: 'layers',
    from: 125,
    short: 25,
    prepare: (n) => {
      const [step, x] = [stepOf(n), square()];
      return () => inspect(step, x);
    },
  },
  {
    name: 'inspect, a model',
    unit: 'layers',
    from: 60,
    short: 15,
    prepare: (n) => {
      const [net, x] = [network(n), zeros(4)];
      return async () => (await inspect(net, x, x)).summary();
    },
  },
  {
    name: 'profile',
    unit: 'layers',
    from: 250,
    short: 50,
    prepare: (n) => {
      const [step, x] = [stepOf(n), square()];
      return async () => (await profile(() => step(x))).toString();
    },
  },
];
