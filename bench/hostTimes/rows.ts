/**
 * @file The calls whose time on the host is measured: single ops, a tape, layers and training. Sizes are small, since nothing is
 * executed; but they are large enough to select the kernels of usual problems.
 */
import {
  add,
  concat,
  conv2d,
  gather,
  GradientTape,
  getDevice,
  init,
  matMul,
  mean,
  relu,
  softmax,
  square,
  sub,
  sum,
  type Tensor,
  tidy,
  transpose,
  Variable,
  variable,
} from 'retrograd';
import { input, layers, optimizers, sequential } from 'retrograd/keras';
import { type HostArray, integers, normal, toChannelsFirst, toFiltersFirst } from '../host.ts';
import { type Contender, type Job, unable, type Unable } from '../job.ts';
import { type JaxArray, type JaxJs, jaxjs as jaxjsContender } from '../peers/jaxjs.ts';
import { deviceOfTfjs, openTfjs, type Tfjs, tfjs, uploadTo, waitForTfjs } from '../peers/tfjs.ts';
import { retrograd, upload } from '../retrograd.ts';

export interface HostCase {
  readonly name: string;
  inputs(): HostArray[];
  readonly retrograd: Contender;
  readonly tfjs: Contender;
  /** Op by op. */
  readonly jaxjs: Contender | Unable;
  /** As one compiled function. */
  readonly jaxjsJit: Contender | Unable;
  /** Calls in one run. Default 1. */
  readonly calls?: number;
}

type TfTensor = ReturnType<typeof uploadTo>;
type JaxContenders = Pick<HostCase, 'jaxjs' | 'jaxjsJit'>;

const jaxjs = (...[compute, layout]: Parameters<typeof jaxjsContender>): JaxContenders => ({
  jaxjs: jaxjsContender(compute, { ...layout, jitted: false }),
  jaxjsJit: jaxjsContender(compute, layout),
});

const withoutJax = (reason: string): JaxContenders => ({ jaxjs: unable(reason), jaxjsJit: unable(reason) });

const square256 = () => [normal([256, 256], 1)];

const ops: readonly HostCase[] = [
  {
    name: 'add 256×256',
    inputs: () => [normal([256, 256], 1), normal([256, 256], 2)],
    retrograd: retrograd((a, b) => add(a!, b!)),
    tfjs: tfjs((tf, a, b) => tf.add(a!, b!)),
    ...jaxjs((_, a, b) => a!.add(b!)),
  },
  {
    name: 'relu 256×256',
    inputs: square256,
    retrograd: retrograd((x) => relu(x!)),
    tfjs: tfjs((tf, x) => tf.relu(x!)),
    ...jaxjs(({ nn }, x) => nn.relu(x!)),
  },
  {
    name: 'matMul 512',
    inputs: () => [normal([512, 512], 1), normal([512, 512], 2)],
    retrograd: retrograd((a, b) => matMul(a!, b!)),
    tfjs: tfjs((tf, a, b) => tf.matMul(a!, b!)),
    ...jaxjs(({ numpy }, a, b) => numpy.matmul(a!, b!)),
  },
  {
    name: 'conv2d 3×3, 32²×32→32',
    inputs: () => [normal([1, 32, 32, 32], 1), normal([3, 3, 32, 32], 2)],
    retrograd: retrograd((x, w) => conv2d(x!, w!, { padding: 'same' })),
    tfjs: tfjs((tf, x, w) => tf.conv2d(x as never, w as never, 1, 'same')),
    ...jaxjs(({ lax }, x, w) => lax.convGeneralDilated(x!, w!, [1, 1], 'SAME'), {
      inputs: [toChannelsFirst, toFiltersFirst],
    }),
  },
  {
    name: 'gather 128 of 1000×64',
    inputs: () => [normal([1000, 64], 1), integers([128], 1000, 2)],
    retrograd: retrograd((x, indices) => gather(x!, indices!)),
    tfjs: tfjs((tf, x, indices) => tf.gather(x!, indices as never)),
    ...jaxjs((_, x, indices) => x!.slice(indices!)),
  },
  {
    name: 'softmax 256×256',
    inputs: square256,
    retrograd: retrograd((x) => softmax(x!)),
    tfjs: tfjs((tf, x) => tf.softmax(x!)),
    ...jaxjs(({ nn }, x) => nn.softmax(x!)),
  },
  {
    name: 'sum of rows 256×256',
    inputs: square256,
    retrograd: retrograd((x) => sum(x!, { axis: 1 })),
    tfjs: tfjs((tf, x) => tf.sum(x!, 1)),
    ...jaxjs(({ numpy }, x) => numpy.sum(x!, 1)),
  },
  {
    name: 'transpose 256×256',
    inputs: square256,
    retrograd: retrograd((x) => transpose(x!)),
    tfjs: tfjs((tf, x) => tf.transpose(x!)),
    ...withoutJax('its transpose is a view; it computes nothing'),
  },
  {
    name: 'mean 256×256',
    inputs: square256,
    retrograd: retrograd((x) => mean(x!)),
    tfjs: tfjs((tf, x) => tf.mean(x!)),
    ...jaxjs(({ numpy }, x) => numpy.mean(x!)),
  },
  {
    name: 'concat 2 × 128×256',
    inputs: () => [normal([128, 256], 1), normal([128, 256], 2)],
    retrograd: retrograd((a, b) => concat([a!, b!], { axis: 0 })),
    tfjs: tfjs((tf, a, b) => tf.concat([a!, b!], 0)),
    ...jaxjs(({ numpy }, a, b) => numpy.concatenate([a!, b!], 0)),
  },
];

/** A perceptron of two layers: six ops, and the gradients of its four parameters. */
const tape: HostCase = {
  name: 'tape of six ops, with gradient',
  inputs: () => [
    normal([32, 64], 1),
    normal([64, 128], 2),
    normal([128], 3),
    normal([128, 10], 4),
    normal([10], 5),
    normal([32, 10], 6),
  ],
  retrograd: retrograd((x, w1, b1, w2, b2, y) => {
    const parameters = [w1!, b1!, w2!, b2!];
    const tape = new GradientTape();
    tape.watch(parameters);
    const h = relu(add(matMul(x!, w1!), b1!));
    const loss = mean(square(sub(add(matMul(h, w2!), b2!), y!)));
    return tape.gradient(loss, parameters) as Tensor[];
  }),
  tfjs: tfjs((tf, x, w1, b1, w2, b2, y) => {
    const lossOf = (...[w1, b1, w2, b2]: TfTensor[]) => {
      const h = tf.relu(tf.add(tf.matMul(x!, w1!), b1!));
      return tf.mean(tf.square(tf.sub(tf.add(tf.matMul(h, w2!), b2!), y!)));
    };
    return tf.grads(lossOf)([w1!, b1!, w2!, b2!]);
  }),
  ...jaxjs((jax: JaxJs, x, w1, b1, w2, b2, y) => {
    const { numpy, nn } = jax;
    const lossOf = ([w1, b1, w2, b2]: JaxArray[]) => {
      const h = nn.relu(numpy.matmul(x!, w1!).add(b1!));
      return numpy.mean(numpy.square(numpy.matmul(h, w2!).add(b2!).sub(y!)));
    };
    return jax.grad(lossOf)([w1!, b1!, w2!, b2!]) as unknown as JaxArray[];
  }),
};

const notMeasured = withoutJax('not part of its package');
const variablesCount = 100;

const optimizerStep: HostCase = {
  name: `Adam step of ${variablesCount} variables`,
  inputs: () => [],
  retrograd: ownJob(() => {
    const parameters = Array.from({ length: variablesCount }, () => variable(upload(normal([64], 1))));
    const gradients = parameters.map(() => upload(normal([64], 2)));
    const optimizer = optimizers.adam();
    optimizer.build(parameters);
    return {
      run: () => tidy(() => void optimizer.apply(gradients, parameters)),
      held: [
        ...parameters,
        ...gradients,
        ...optimizer.variables.filter((state) => state instanceof Variable),
      ],
    };
  }),
  tfjs: tfjsJob((tf) => {
    const parameters = Array.from({ length: variablesCount }, (_, i) =>
      tf.variable(uploadTo(tf, normal([64], 1)), true, `w${i}`),
    );
    const gradients = Object.fromEntries(parameters.map(({ name }) => [name, uploadTo(tf, normal([64], 2))]));
    const optimizer = tf.train.adam(0.001);
    return {
      run: () => tf.tidy(() => optimizer.applyGradients(gradients as never)),
      dispose: () => tf.dispose([...parameters, ...Object.values(gradients)]),
    };
  }),
  ...notMeasured,
};

const layerCall: HostCase = {
  name: 'call of a dense layer, 32×64→128',
  inputs: () => [],
  retrograd: ownJob(() => {
    const layer = layers.dense({ units: 128, activation: 'relu' });
    const x = upload(normal([32, 64], 1));
    return { run: () => tidy(() => void layer.apply(x)), held: [x] };
  }),
  tfjs: tfjsJob(async (tf) => {
    const layer = (await openTfjsLayers()).layers.dense({ units: 128, activation: 'relu' });
    const x = uploadTo(tf, normal([32, 64], 1));
    return { run: () => tf.tidy(() => void layer.apply(x)), dispose: () => x.dispose() };
  }),
  ...notMeasured,
};

const fitSteps = 64;
const batchSize = 32;
const [features, hidden, classes] = [64, 128, 10];

const samples = (count: number) => [normal([count, features], 1), normal([count, classes], 2)] as const;

function perceptron() {
  const net = sequential([
    input({ shape: [features] }),
    layers.dense({ units: hidden, activation: 'relu' }),
    layers.dense({ units: classes }),
  ]);
  net.compile({ optimizer: 'adam', loss: 'meanSquaredError' });
  return net;
}

async function tfjsPerceptron() {
  const { sequential, layers } = await openTfjsLayers();
  const net = sequential({
    layers: [
      layers.dense({ units: hidden, activation: 'relu', inputShape: [features] }),
      layers.dense({ units: classes }),
    ],
  });
  net.compile({ optimizer: 'adam', loss: 'meanSquaredError' });
  return net;
}

const fitStep: HostCase = {
  name: 'step of fit, a perceptron',
  inputs: () => [],
  calls: fitSteps,
  retrograd: ownJob(() => {
    const net = perceptron();
    const [x, y] = samples(fitSteps * batchSize).map(upload) as [Tensor, Tensor];
    const options = { batchSize, epochs: 1, shuffle: false, verbose: 0 } as const;
    return { run: async () => void (await net.fit(x, y, options)), held: [x, y] };
  }),
  tfjs: tfjsJob(async (tf) => {
    const net = await tfjsPerceptron();
    const [x, y] = samples(fitSteps * batchSize).map((each) => uploadTo(tf, each)) as [TfTensor, TfTensor];
    const options = { batchSize, epochs: 1, shuffle: false, verbose: 0 } as const;
    return { run: async () => void (await net.fit(x, y, options)), dispose: () => tf.dispose([x, y]) };
  }),
  ...notMeasured,
};

const fitOnce: HostCase = {
  name: 'fit of one batch, a perceptron',
  inputs: () => [],
  retrograd: ownJob(() => {
    const net = perceptron();
    const [x, y] = samples(batchSize).map(upload) as [Tensor, Tensor];
    return { run: async () => void (await net.fit(x, y, { batchSize, verbose: 0 })), held: [x, y] };
  }),
  tfjs: tfjsJob(async (tf) => {
    const net = await tfjsPerceptron();
    const [x, y] = samples(batchSize).map((each) => uploadTo(tf, each)) as [TfTensor, TfTensor];
    const run = async () => void (await net.fit(x, y, { batchSize, verbose: 0 }));
    return { run, dispose: () => tf.dispose([x, y]) };
  }),
  ...notMeasured,
};

const predictOne: HostCase = {
  name: 'predict of one sample, a perceptron',
  inputs: () => [],
  retrograd: ownJob(() => {
    const net = perceptron();
    const [x] = samples(1).map(upload) as [Tensor];
    return { run: async () => (await net.predict(x, { verbose: 0 })).dispose(), held: [x] };
  }),
  tfjs: tfjsJob(async (tf) => {
    const net = await tfjsPerceptron();
    const [x] = samples(1).map((each) => uploadTo(tf, each)) as [TfTensor];
    return {
      // Its predict returns before the work is done; as Retrograd's does, this waits.
      run: async () => {
        (net.predict(x) as TfTensor).dispose();
        await waitForTfjs(tf);
      },
      dispose: () => tf.dispose(x),
    };
  }),
  ...notMeasured,
};

export const hostCases: readonly HostCase[] = [
  ...ops,
  tape,
  optimizerStep,
  layerCall,
  fitStep,
  fitOnce,
  predictOne,
];

interface OwnJob {
  run(): void | Promise<void>;
  readonly held: readonly { dispose(): void }[];
}

/** A job of Retrograd that isn't a function of tensors. */
function ownJob(make: () => OwnJob): Contender {
  return async () => {
    await init();
    const { run, held } = make();
    return {
      run,
      wait: () => getDevice().sync(),
      results: async () => [],
      dispose() {
        for (const each of held) each.dispose();
      },
      device: getDevice().gpu,
    } satisfies Job;
  };
}

interface TfjsJob {
  run(): void | Promise<void>;
  dispose(): void;
}

function tfjsJob(make: (tf: Tfjs) => TfjsJob | Promise<TfjsJob>): Contender {
  return async () => {
    const tf = await openTfjs();
    const { run, dispose } = await make(tf);
    return {
      run,
      wait: () => waitForTfjs(tf),
      results: async () => [],
      dispose,
      device: deviceOfTfjs(tf),
    } satisfies Job;
  };
}

const openTfjsLayers = () => import('@tensorflow/tfjs-layers');
