/** @file What is bound by memory: reductions, softmax, normalizations, elementwise ops, gathers and scatters. */
import {
  add,
  batchNormTrain,
  gather,
  GradientTape,
  layerNorm,
  mul,
  relu,
  softmax,
  sum,
  type Tensor,
  transpose,
  variable,
} from 'retrograd';
import { jaxjs } from '../../peers/jaxjs.ts';
import { tfjs } from '../../peers/tfjs.ts';
import { float32, int32, type InputSpec, type Problem } from '../problem.ts';

/** The gradients of a sum of `f`'s first result for all float32 inputs, with the forward launches before them. */
const gradientOf =
  (f: (...inputs: Tensor[]) => Tensor) =>
  (...inputs: Tensor[]) => {
    const sources = inputs.map((x) => (x.dtype === 'float32' ? variable(x) : x));
    const tape = new GradientTape();
    const y = f(...sources);
    // A cotangent that isn't constant: a sum alone would have gradients of ones.
    const loss = sum(mul(y, y));
    return tape.gradient(
      loss,
      sources.filter((x) => x.dtype === 'float32'),
    );
  };

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
  }),
  line(
    'softmax',
    `softmax [${shape}], with gradient`,
    [float32(...shape)],
    gradientOf((x) => softmax(x as Tensor)),
  ),
]);

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
      line('normalization', `layerNorm [${shape}]`, inputs, run),
      line('normalization', `layerNorm [${shape}], with gradient`, inputs, gradientOf(run as never)),
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
      line('normalization', `batchNormTrain [${shape}]`, inputs, run),
      line('normalization', `batchNormTrain [${shape}], with gradient`, inputs, gradientOf(run as never)),
    ];
  }),
];

const moves = [
  line('elementwise', 'add [1048576]', [float32(2 ** 20), float32(2 ** 20)], (a, b) => add(a, b), {
    tfjs: tfjs((tf, a, b) => tf.add(a as never, b as never)),
    jaxjs: jaxjs(({ numpy: np }, a, b) => np.add(a, b)),
  }),
  line('elementwise', 'relu [1048576]', [float32(2 ** 20)], (x) => relu(x), {
    tfjs: tfjs((tf, x) => tf.relu(x as never)),
    jaxjs: jaxjs(({ nn }, x) => nn.relu(x)),
  }),
  line('elementwise', 'transpose [1024, 1024]', [float32(1024, 1024)], (x) => transpose(x), {
    tfjs: tfjs((tf, x) => tf.transpose(x as never)),
  }),
];

/** Nothing is executed, so that a validating kernel would report faults that are leftovers in memory. */
const unchecked = { validateIndices: false } as const;

const lookUps = [
  line('gather and scatter', 'gather 4096 of [32000, 64]', [float32(32000, 64), int32(4096)], (x, indices) =>
    gather(x, indices, unchecked),
  ),
  line(
    'gather and scatter',
    'gather 4096 of [32000, 64], with gradient',
    [float32(32000, 64), int32(4096)],
    gradientOf((x: Tensor, indices?: Tensor) => gather(x, indices as Tensor, unchecked)),
  ),
  line(
    'gather and scatter',
    'gather 1024 of [50257, 768], with gradient',
    [float32(50257, 768), int32(1024)],
    gradientOf((x: Tensor, indices?: Tensor) => gather(x, indices as Tensor, unchecked)),
  ),
];

export const lineProblems: readonly Problem[] = [
  ...sums,
  ...softmaxes,
  ...normalizations,
  ...moves,
  ...lookUps,
];
