/** @file Problems bound by memory: reductions, softmax, normalizations, elementwise ops, gathers and scatters. */
import {
  add,
  batchNormTrain,
  gather,
  layerNorm,
  relu,
  rmsNorm,
  rotaryEmbedding,
  softmax,
  sum,
  type Tensor,
  transpose,
} from 'retrograd';
import { type JaxArray, type JaxJs, jaxjs } from '../../peers/jaxjs.ts';
import { ort } from '../../peers/ort.ts';
import { type Tfjs, tfjs } from '../../peers/tfjs.ts';
import { gradientOf, jaxjsGradient, type TfTensor, tfjsGradient } from '../gradients.ts';
import { float32, int32, type InputSpec, type Problem } from '../problem.ts';

const line = (
  family: string,
  name: string,
  inputs: readonly InputSpec[],
  run: Problem['run'],
  peers?: Problem['peers'],
): Problem => ({ name, family, inputs, fmas: 0, terms: 0, run, ...(peers ? { peers } : {}) });

const sums = (
  [
    [[1024, 1024], null],
    [[512, 768], 1],
    [[768, 512], 0],
    [
      [8, 56, 56, 64],
      [0, 1, 2],
    ],
    [
      [32, 7, 7, 2048],
      [1, 2],
    ],
    [[32, 3072], 0],
  ] as const
).map(([shape, axis]) => {
  const options = axis === null ? {} : { axis };
  const axes = axis as number | number[] | null;
  return line(
    'reductions',
    `sum of [${shape}] along ${axis ?? 'all axes'}`,
    [float32(...shape)],
    (x) => sum(x, options),
    {
      tfjs: tfjs((tf, x) => tf.sum(x as never, axes ?? undefined)),
      jaxjs: jaxjs(({ numpy: np }, x) => np.sum(x, axes)),
      ort: ort(
        (graph, x) =>
          graph.node('ReduceSum', [x, graph.integers([axis ?? shape.map((_, i) => i)].flat())], {
            keepdims: 0,
          }),
        { shapes: [shape.filter((_, i) => axis !== null && ![axis].flat().includes(i as never))] },
      ),
    },
  );
});

const softmaxes = (
  [
    [1536, 128],
    [1024, 1000],
    [12288, 1024],
    [32, 50257],
  ] as const
).flatMap((shape) => [
  line('softmax', `softmax [${shape}]`, [float32(...shape)], (x) => softmax(x), {
    tfjs: tfjs((tf, x) => tf.softmax(x as never)),
    jaxjs: jaxjs(({ nn }, x) => nn.softmax(x)),
    ort: ort((graph, x) => graph.node('Softmax', [x], { axis: -1 })),
  }),
  line(
    'softmax',
    `softmax [${shape}], with gradient`,
    [float32(...shape), float32(...shape)],
    gradientOf((x) => softmax(x as Tensor), 1),
    {
      tfjs: tfjsGradient((tf, x) => tf.softmax(x as TfTensor), 1),
      jaxjs: jaxjsGradient(({ nn }, x) => nn.softmax(x as JaxArray), 1),
    },
  ),
]);

const epsilon = 1e-3;

/** TF.js has neither as one op with a gradient: its moments, and elementwise ops. */
const tfNormalize = (axes: number[]) => (tf: Tfjs, x?: TfTensor, gamma?: TfTensor, beta?: TfTensor) => {
  const { mean, variance } = tf.moments(x!, axes, true);
  const scale = tf.mul(tf.rsqrt(tf.add(variance, epsilon)), gamma!);
  return tf.add(tf.mul(tf.sub(x!, mean), scale), beta!) as TfTensor;
};

const jaxNormalize =
  (axes: number[]) =>
  ({ nn }: JaxJs, x?: JaxArray, gamma?: JaxArray, beta?: JaxArray) =>
    nn.standardize(x!, axes, { epsilon }).mul(gamma!).add(beta!);

const normalizations = [
  ...(
    [
      [1024, 768],
      [32, 128, 256],
    ] as const
  ).flatMap((shape) => {
    const size = shape.at(-1) as number;
    const inputs = [float32(...shape), float32(size), float32(size)];
    const run = (x: Tensor, gamma?: Tensor, beta?: Tensor) => layerNorm(x, gamma ?? null, beta ?? null);
    return [
      line('normalization', `layerNorm [${shape}]`, inputs, run, {
        tfjs: tfjs(tfNormalize([-1])),
        jaxjs: jaxjs(jaxNormalize([-1])),
        ort: ort(
          (graph, ...given) => graph.node('LayerNormalization', given, { epsilon: { float: epsilon } }),
          {
            constants: [1, 2],
          },
        ),
      }),
      line(
        'normalization',
        `layerNorm [${shape}], with gradient`,
        [...inputs, float32(...shape)],
        gradientOf(run as never, 3),
        {
          tfjs: tfjsGradient(tfNormalize([-1]), 3),
          jaxjs: jaxjsGradient(jaxNormalize([-1]), 3),
        },
      ),
    ];
  }),
  ...(
    [
      [8, 56, 56, 64],
      [32, 14, 14, 256],
    ] as const
  ).flatMap((shape) => {
    const size = shape.at(-1) as number;
    const inputs = [float32(...shape), float32(size), float32(size)];
    const run = (x: Tensor, gamma?: Tensor, beta?: Tensor) =>
      batchNormTrain(x, gamma ?? null, beta ?? null)[0] as Tensor;
    return [
      line('normalization', `batchNormTrain [${shape}]`, inputs, run, {
        tfjs: tfjs(tfNormalize([0, 1, 2])),
        jaxjs: jaxjs(jaxNormalize([0, 1, 2])),
      }),
      line(
        'normalization',
        `batchNormTrain [${shape}], with gradient`,
        [...inputs, float32(...shape)],
        gradientOf(run as never, 3),
        {
          tfjs: tfjsGradient(tfNormalize([0, 1, 2]), 3),
          jaxjs: jaxjsGradient(jaxNormalize([0, 1, 2]), 3),
        },
      ),
    ];
  }),
];

const rmsNormalizations = (
  [
    [1024, 768],
    [2048, 4096],
  ] as const
).flatMap((shape) => {
  const inputs = [float32(...shape), float32(shape[1])];
  const run = (x: Tensor, gamma?: Tensor) => rmsNorm(x, gamma ?? null, { epsilon });
  return [
    line('normalization', `rmsNorm [${shape}]`, inputs, run, {
      ort: ort(
        (graph, x, gamma) =>
          graph.node('SimplifiedLayerNormalization', [x, gamma], {
            axis: -1,
            epsilon: { float: epsilon },
          }),
        { constants: [1] },
      ),
    }),
    line(
      'normalization',
      `rmsNorm [${shape}], with gradient`,
      [...inputs, float32(...shape)],
      gradientOf(run as never, 2),
    ),
  ];
});

const rotations = [false, true].map((interleaved) => {
  const shape = [1, 1024, 32, 128] as const;
  return line(
    'elementwise',
    `rotaryEmbedding [${shape}]${interleaved ? ', interleaved' : ''}`,
    [float32(...shape)],
    (x) => rotaryEmbedding(x, null, null, { interleaved }),
  );
});

const moves = [
  line('elementwise', 'add [1048576]', [float32(2 ** 20), float32(2 ** 20)], (a, b) => add(a, b), {
    tfjs: tfjs((tf, a, b) => tf.add(a as never, b as never)),
    jaxjs: jaxjs(({ numpy: np }, a, b) => np.add(a, b)),
    ort: ort((graph, a, b) => graph.node('Add', [a, b])),
  }),
  line('elementwise', 'relu [1048576]', [float32(2 ** 20)], (x) => relu(x), {
    tfjs: tfjs((tf, x) => tf.relu(x as never)),
    jaxjs: jaxjs(({ nn }, x) => nn.relu(x)),
    ort: ort((graph, x) => graph.node('Relu', [x])),
  }),
  line('elementwise', 'transpose [1024, 1024]', [float32(1024, 1024)], (x) => transpose(x), {
    tfjs: tfjs((tf, x) => tf.transpose(x as never)),
    // On its own, a transposition is a view, which is only computed by the next op.
    jaxjs: jaxjs(({ numpy: np }, x) => np.transpose(x).add(0)),
    ort: ort((graph, x) => graph.node('Transpose', [x], { perm: [1, 0] })),
  }),
];

/** Nothing is executed, so a validating kernel would report faults from uninitialized memory. */
const unchecked = { validateIndices: false } as const;

const lookUps = (
  [
    [32000, 64, 4096],
    [50257, 768, 1024],
  ] as const
).flatMap(([rows, width, count]) => {
  const inputs = [float32(rows, width), int32(count)];
  const name = `gather ${count} of [${rows}, ${width}]`;
  return [
    line('gather and scatter', name, inputs, (x, indices) => gather(x, indices, unchecked), {
      tfjs: tfjs((tf, x, indices) => tf.gather(x as never, indices as never)),
      jaxjs: jaxjs(({ numpy: np }, x, indices) => np.take(x, indices, 0)),
      ort: ort((graph, x, indices) => graph.node('Gather', [x, indices]), { shapes: [[count, width]] }),
    }),
    line(
      'gather and scatter',
      `${name}, with gradient`,
      [...inputs, float32(count, width)],
      gradientOf((x?: Tensor, indices?: Tensor) => gather(x as Tensor, indices as Tensor, unchecked), 1),
      {
        tfjs: tfjsGradient((tf, x, indices) => tf.gather(x!, indices as never), 1),
        jaxjs: jaxjsGradient(({ numpy: np }, x, indices) => np.take(x!, indices!, 0), 1),
      },
    ),
  ];
});

export const memoryBoundProblems: readonly Problem[] = [
  ...sums,
  ...softmaxes,
  ...normalizations,
  ...rmsNormalizations,
  ...rotations,
  ...moves,
  ...lookUps,
];
