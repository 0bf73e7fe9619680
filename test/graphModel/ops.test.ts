/** @file Each operation of a graph, next to TF.js's executor on its CPU backend. */
import '@tensorflow/tfjs-backend-cpu';
import * as converter from '@tensorflow/tfjs-converter';
import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { opNames } from '../../src/graphModel/ops/index.ts';
import { init, memory, type Tensor, tensor } from '../../src/index.ts';
import { type GraphModel, loadGraphModel } from '../../src/io/index.ts';
import {
  filesOf,
  flag,
  float,
  floats,
  type GraphFile,
  graphFile,
  type HostTensor,
  int,
  integers,
  ints,
  type NodeDef,
  placeholder,
  scalar,
  text,
  texts,
  type,
} from './graphFile.ts';

beforeAll(async () => {
  await init();
  await tf.setBackend('cpu');
});

/** Inputs of a node: those of the graph, unless they are constants. */
type Given = HostTensor | { readonly constant: HostTensor };

interface Case {
  readonly op: string;
  readonly inputs: readonly Given[];
  readonly attr?: Readonly<Record<string, unknown>>;
  /** How many outputs are compared. Default 1. */
  readonly outputs?: number;
  /** What distinguishes it from others of the same operation. */
  readonly also?: string;
}

const constant = (value: HostTensor) => ({ constant: value });
const axes = (...values: number[]) => constant(integers(values));
const number = (value: number) => constant(scalar(value));
const bools = (values: readonly number[], shape: readonly number[] = [values.length]): HostTensor => ({
  shape,
  values,
  dtype: 'bool',
});

const x = floats([2, 3]);
const above = floats([2, 3], [0.2, 0.5, 1.5, 2, 3, 4.25]);
const within = floats([2, 3], [-0.9, -0.5, -0.1, 0.2, 0.5, 0.9]);
const image = floats([1, 5, 6, 2]);
const kernel = constant(floats([3, 3, 2, 3]));
const depth = constant(floats([3, 3, 2, 2]));
const windows = (padding: string, stride = 1) => ({
  strides: ints(1, stride, stride, 1),
  padding: text(padding),
  data_format: text('NHWC'),
  dilations: ints(1, 1, 1, 1),
});

const counting = { binary_output: flag(false) };

/** Boxes, scores, how many are kept, and the thresholds of overlap and score. */
const suppressed = [
  floats([3, 4], [0, 0, 1, 1, 0, 0.1, 1, 1.1, 0, 2, 1, 3]),
  floats([3], [0.9, 0.8, 0.7]),
  number(3),
  constant(scalar(0.5, 'float32')),
  constant(scalar(0.1, 'float32')),
];

const unary = [
  ...['Abs', 'Neg', 'Ceil', 'Floor', 'Round', 'Sign', 'Square', 'Exp', 'Expm1', 'Sigmoid', 'Tanh', 'Relu'],
  ...['Relu6', 'Elu', 'Selu', 'Softplus', 'Cos', 'Sin', 'Tan', 'Cosh', 'Sinh', 'Atan', 'Asinh', 'Erf'],
  ...['IsFinite', 'IsInf', 'IsNan', 'Identity', 'StopGradient', 'ZerosLike', 'OnesLike'],
].map((op) => ({ op, inputs: [x] }));
const ofPositive = ['Sqrt', 'Rsqrt', 'Log', 'Log1p', 'Reciprocal'].map((op) => ({ op, inputs: [above] }));
const ofFractions = ['Acos', 'Asin', 'Atanh'].map((op) => ({ op, inputs: [within] }));
const binary = [
  ...['Add', 'AddV2', 'Sub', 'Mul', 'RealDiv', 'Div', 'Maximum', 'Minimum', 'SquaredDifference'],
  ...['FloorMod', 'Atan2', 'Greater', 'GreaterEqual', 'Less', 'LessEqual', 'Equal', 'NotEqual', 'DivNoNan'],
].map((op) => ({ op, inputs: [x, floats([3], [0.5, -0.25, 2])] }));

const cases: Case[] = [
  ...unary,
  ...ofPositive,
  ...ofFractions,
  ...binary,
  { op: 'Acosh', inputs: [floats([3], [1, 1.5, 4])] },
  { op: 'Pow', inputs: [above, floats([3], [2, 0.5, -1])] },
  { op: 'DivNoNan', inputs: [x, floats([3], [0, 1, 0])], also: 'zeros' },
  ...['Add', 'Mul', 'FloorDiv', 'Maximum'].map((op) => ({
    op,
    inputs: [integers([7, -7, 9]), integers([2, 2, -4])],
    also: 'integers',
  })),
  ...['LogicalAnd', 'LogicalOr'].map((op) => ({ op, inputs: [bools([0, 0, 1, 1]), bools([0, 1, 0, 1])] })),
  { op: 'LogicalNot', inputs: [bools([0, 1])] },
  { op: 'AddN', inputs: [x, x, above] },
  { op: 'BiasAdd', inputs: [image, constant(floats([2]))] },
  { op: 'LeakyRelu', inputs: [x], attr: { alpha: float(0.3) } },
  { op: 'Prelu', inputs: [image, constant(floats([2], [0.25, 0.5]))] },
  { op: 'ClipByValue', inputs: [x, constant(scalar(-0.5, 'float32')), constant(scalar(0.5, 'float32'))] },
  { op: 'SelectV2', inputs: [bools([1, 0, 1, 0, 0, 1], [2, 3]), x, above] },
  { op: 'Select', inputs: [bools([1, 0, 1, 0, 0, 1], [2, 3]), x, above] },
  { op: 'Cast', inputs: [floats([4], [-1.7, 0, 0.4, 2.9])], attr: { DstT: type('int32') } },
  { op: 'Cast', inputs: [floats([3], [-1.7, 0, 0.4])], attr: { DstT: type('bool') }, also: 'to bool' },
  { op: 'Cast', inputs: [integers([-1, 5])], attr: { DstT: type('float32') }, also: 'to floats' },
  ...['Sum', 'Prod', 'Max', 'Min', 'Mean'].flatMap((op) => [
    { op, inputs: [image, axes(1, 2)], attr: { keep_dims: flag(true) } },
    { op, inputs: [image, axes(-1)], attr: { keep_dims: flag(false) }, also: 'last axis' },
  ]),
  { op: 'All', inputs: [bools([1, 1, 0, 1], [2, 2]), axes(1)], attr: { keep_dims: flag(false) } },
  { op: 'Any', inputs: [bools([0, 0, 0, 1], [2, 2]), axes(1)], attr: { keep_dims: flag(false) } },
  { op: 'ArgMax', inputs: [image, number(3)] },
  { op: 'ArgMin', inputs: [x, number(0)] },
  { op: 'Cumsum', inputs: [x, number(1)], attr: { exclusive: flag(true), reverse: flag(true) } },
  { op: 'Cumprod', inputs: [x, number(0)], attr: { exclusive: flag(false), reverse: flag(false) } },
  { op: 'Softmax', inputs: [x] },
  { op: 'LogSoftmax', inputs: [x] },
  { op: 'TopKV2', inputs: [floats([2, 5]), number(3)], attr: { sorted: flag(true) }, outputs: 2 },
  { op: 'EuclideanNorm', inputs: [x, axes(1)], attr: { keep_dims: flag(true) } },
  {
    op: 'FusedBatchNormV3',
    inputs: [image, ...[1, 2, 3].map((i) => constant(floats([2], [i, 0.5]))), constant(floats([2], [2, 4]))],
    attr: { epsilon: float(0.001), is_training: flag(false) },
  },
  {
    op: 'LRN',
    inputs: [floats([1, 2, 2, 6])],
    attr: { depth_radius: int(2), bias: float(1), alpha: float(0.5), beta: float(0.5) },
  },
  { op: 'Conv2D', inputs: [image, kernel], attr: windows('SAME', 2) },
  { op: 'Conv2D', inputs: [image, kernel], attr: windows('VALID'), also: 'valid' },
  {
    op: 'Conv2D',
    inputs: [image, kernel],
    attr: { ...windows('EXPLICIT'), explicit_paddings: ints(0, 0, 1, 2, 0, 1, 0, 0) },
    also: 'explicit padding',
  },
  {
    op: 'Conv2D',
    inputs: [image, kernel],
    attr: { ...windows('SAME'), dilations: ints(1, 2, 2, 1) },
    also: 'dilated',
  },
  ...['Relu', 'Relu6', 'Elu', 'Sigmoid', 'LeakyRelu'].map((name) => ({
    op: '_FusedConv2D',
    inputs: [image, kernel, constant(floats([3]))],
    attr: {
      ...windows('SAME'),
      fused_ops: texts('BiasAdd', name),
      num_args: int(1),
      leakyrelu_alpha: float(0.2),
    },
    also: name,
  })),
  {
    op: '_FusedConv2D',
    inputs: [image, kernel, constant(floats([3])), constant(floats([3], [0.1, 0.2, 0.3]))],
    attr: { ...windows('SAME'), fused_ops: texts('BiasAdd', 'Prelu'), num_args: int(2) },
    also: 'Prelu',
  },
  {
    op: '_FusedConv2D',
    inputs: [image, kernel, constant(floats([3]))],
    attr: { ...windows('VALID'), fused_ops: texts('BiasAdd'), num_args: int(1) },
    also: 'bias alone',
  },
  { op: 'DepthwiseConv2dNative', inputs: [image, depth], attr: windows('SAME', 2) },
  {
    op: 'FusedDepthwiseConv2dNative',
    inputs: [image, depth, constant(floats([4]))],
    attr: { ...windows('SAME'), fused_ops: texts('BiasAdd', 'Relu6'), num_args: int(1) },
  },
  {
    op: 'Conv2DBackpropInput',
    inputs: [axes(1, 10, 12, 2), kernel, floats([1, 5, 6, 3])],
    attr: windows('SAME', 2),
  },
  {
    op: 'Dilation2D',
    inputs: [image, constant(floats([2, 2, 2]))],
    attr: { strides: ints(1, 1, 1, 1), rates: ints(1, 2, 2, 1), padding: text('SAME') },
  },
  ...['MaxPool', 'AvgPool'].flatMap((op) => [
    { op, inputs: [image], attr: { ...windows('SAME', 2), ksize: ints(1, 3, 3, 1) } },
    { op, inputs: [image], attr: { ...windows('VALID', 2), ksize: ints(1, 2, 2, 1) }, also: 'valid' },
  ]),
  { op: 'MatMul', inputs: [x, floats([2, 4])], attr: { transpose_a: flag(true), transpose_b: flag(false) } },
  {
    op: 'BatchMatMulV2',
    inputs: [floats([2, 2, 3]), floats([2, 4, 3])],
    attr: { adj_x: flag(false), adj_y: flag(true) },
  },
  {
    op: '_FusedMatMul',
    inputs: [x, constant(floats([3, 4])), constant(floats([4]))],
    attr: {
      fused_ops: texts('BiasAdd', 'Relu'),
      num_args: int(1),
      transpose_a: flag(false),
      transpose_b: flag(false),
    },
  },
  { op: 'Einsum', inputs: [x, floats([3, 4])], attr: { equation: text('ij,jk->ik'), N: int(2) } },
  { op: 'Shape', inputs: [image] },
  { op: 'Rank', inputs: [image] },
  { op: 'Size', inputs: [image] },
  { op: 'Reshape', inputs: [image, axes(2, -1)] },
  { op: 'Squeeze', inputs: [floats([1, 3, 1, 2])], attr: { squeeze_dims: ints(0, 2) } },
  { op: 'Squeeze', inputs: [floats([1, 3, 1, 2])], attr: { squeeze_dims: ints() }, also: 'all' },
  { op: 'ExpandDims', inputs: [x, number(-1)] },
  { op: 'Transpose', inputs: [image, axes(0, 3, 1, 2)] },
  { op: 'BroadcastTo', inputs: [floats([3]), axes(2, 3)] },
  { op: 'Tile', inputs: [x, axes(2, 3)] },
  { op: 'Slice', inputs: [image, axes(0, 1, 0, 1), axes(1, 3, -1, 1)] },
  {
    op: 'StridedSlice',
    inputs: [image, axes(0, 4, 1, 0), axes(1, 0, 6, 1), axes(1, -1, 2, 1)],
    attr: {
      begin_mask: int(0),
      end_mask: int(2),
      shrink_axis_mask: int(0),
      ellipsis_mask: int(0),
      new_axis_mask: int(0),
    },
  },
  { op: 'Pack', inputs: [x, above], attr: { axis: int(1), N: int(2) } },
  { op: 'Unpack', inputs: [x], attr: { axis: int(1), num: int(3) }, outputs: 3 },
  { op: 'ConcatV2', inputs: [x, above, number(1)], attr: { N: int(2) } },
  { op: 'Split', inputs: [number(1), floats([2, 6])], attr: { num_split: int(3) }, outputs: 3 },
  {
    op: 'SplitV',
    inputs: [floats([2, 6]), axes(1, -1, 2), number(1)],
    attr: { num_split: int(3) },
    outputs: 3,
  },
  { op: 'Pad', inputs: [x, constant(integers([1, 0, 2, 1], [2, 2]))] },
  { op: 'PadV2', inputs: [x, constant(integers([1, 0, 2, 1], [2, 2])), constant(scalar(0.5, 'float32'))] },
  ...['REFLECT', 'SYMMETRIC'].map((mode) => ({
    op: 'MirrorPad',
    inputs: [x, constant(integers([1, 0, 2, 1], [2, 2]))],
    attr: { mode: text(mode) },
    also: mode,
  })),
  { op: 'ReverseV2', inputs: [x, axes(1)] },
  {
    op: 'DepthToSpace',
    inputs: [floats([1, 2, 3, 8])],
    attr: { block_size: int(2), data_format: text('NHWC') },
  },
  { op: 'SpaceToBatchND', inputs: [image, axes(2, 2), constant(integers([1, 0, 0, 0], [2, 2]))] },
  {
    op: 'BatchToSpaceND',
    inputs: [floats([4, 2, 3, 1]), axes(2, 2), constant(integers([0, 1, 0, 0], [2, 2]))],
  },
  { op: 'Fill', inputs: [axes(2, 3), constant(scalar(1.5, 'float32'))] },
  { op: 'Fill', inputs: [axes(2, 3), scalar(1.5, 'float32')], also: 'by a tensor' },
  { op: 'Range', inputs: [number(2), number(11), number(3)], attr: { Tidx: type('int32') } },
  { op: 'GatherV2', inputs: [image, integers([4, 0, 2]), number(1)], attr: { batch_dims: int(0) } },
  { op: 'GatherNd', inputs: [x, integers([1, 2, 0, 1], [2, 2])] },
  { op: 'ScatterNd', inputs: [integers([3, 0, 3], [3, 1]), floats([3]), axes(5)] },
  { op: 'TensorScatterUpdate', inputs: [floats([4]), integers([2, 0], [2, 1]), floats([2], [7, 8])] },
  {
    op: 'SparseToDense',
    inputs: [integers([0, 1, 1, 2], [2, 2]), axes(2, 3), floats([2]), constant(scalar(-1, 'float32'))],
  },
  {
    op: 'OneHot',
    inputs: [integers([2, 0, 5]), number(3), constant(scalar(2, 'float32')), constant(scalar(-1, 'float32'))],
    attr: { axis: int(-1), T: type('float32') },
  },
  { op: 'Where', inputs: [bools([1, 0, 1, 0, 1, 1], [2, 3])] },
  { op: 'Unique', inputs: [integers([3, 1, 3, 2, 1])], outputs: 2 },
  ...[
    { align_corners: false, half_pixel_centers: true },
    { align_corners: true, half_pixel_centers: false },
    { align_corners: false, half_pixel_centers: false },
  ].flatMap(({ align_corners, half_pixel_centers }) =>
    ['ResizeBilinear', 'ResizeNearestNeighbor'].map((op) => ({
      op,
      inputs: [image, axes(7, 9)],
      attr: { align_corners: flag(align_corners), half_pixel_centers: flag(half_pixel_centers) },
      also: align_corners ? 'corners' : half_pixel_centers ? 'half pixels' : 'origin',
    })),
  ),
  {
    op: 'CropAndResize',
    inputs: [image, floats([2, 4], [0, 0, 1, 1, 0.2, 0.1, 0.8, 1.3]), integers([0, 0]), axes(3, 4)],
    attr: { method: text('bilinear'), extrapolation_value: float(0.5) },
  },
  {
    op: 'NonMaxSuppressionV3',
    inputs: suppressed,
  },
  {
    op: 'NonMaxSuppressionV4',
    inputs: suppressed,
    attr: { pad_to_max_output_size: flag(true) },
    outputs: 2,
  },
  {
    op: 'NonMaxSuppressionV5',
    inputs: [...suppressed, constant(scalar(0, 'float32'))],
    outputs: 2,
  },
];

cases.push(
  { op: 'DenseBincount', inputs: [integers([1, 3, 1, 0]), number(5), floats([0])], attr: counting },
  {
    op: 'DenseBincount',
    also: 'rows with weights',
    inputs: [integers([1, 3, 1, 0], [2, 2]), number(4), floats([2, 2])],
    attr: counting,
  },
  { op: 'LowerBound', inputs: [floats([2, 3], [0, 1, 2, 1, 1, 3]), floats([2, 2], [1, 2.5, 1, 9])] },
  { op: 'UpperBound', inputs: [floats([2, 3], [0, 1, 2, 1, 1, 3]), floats([2, 2], [1, 2.5, 1, 9])] },
);

/** A graph of one operation. What isn't constant is an input of the graph. */
function fileOf({ op, inputs, attr = {} }: Case): { file: GraphFile; fed: Record<string, HostTensor> } {
  const fed: Record<string, HostTensor> = {};
  const constants: Record<string, HostTensor> = {};
  const names = inputs.map((given, i) => {
    const name = `in${i}`;
    if ('constant' in given) constants[name] = given.constant;
    else fed[name] = given;
    return name;
  });
  const placeholders: NodeDef[] = Object.entries(fed).map(([name, value]) => placeholder(name, value));
  const node = { name: 'made', op, input: names, attr };
  return { file: graphFile([...placeholders, node], constants), fed };
}

async function expected({ file, fed }: ReturnType<typeof fileOf>, outputs: readonly string[]) {
  const { json, specs, bytes } = file;
  const model = await converter.loadGraphModel({
    load: async () =>
      ({ modelTopology: json.modelTopology, weightSpecs: specs, weightData: bytes.buffer }) as never,
  });
  const inputs = Object.fromEntries(
    Object.entries(fed).map(([name, { values, shape, dtype }]) => [
      name,
      tf.tensor([...values], [...shape], dtype),
    ]),
  );
  const made = await model.executeAsync(inputs, [...outputs]);
  return (Array.isArray(made) ? made : [made]).map((one) => ({
    shape: one.shape,
    dtype: one.dtype,
    values: Array.from(one.dataSync() as ArrayLike<number>),
  }));
}

const tensorsOf = (fed: Readonly<Record<string, HostTensor>>): Record<string, Tensor> =>
  Object.fromEntries(
    Object.entries(fed).map(([name, { values, shape, dtype }]) => [
      name,
      tensor(dtype === 'float32' ? Float32Array.from(values) : Int32Array.from(values), { shape, dtype }),
    ]),
  );

async function made(net: GraphModel, fed: Readonly<Record<string, HostTensor>>, outputs: readonly string[]) {
  const inputs = tensorsOf(fed);
  const before = memory().tensors;
  const results = await net.executeAsync(inputs, outputs);
  expect(memory().tensors).toBe(before + outputs.length);
  return Promise.all(
    results.map(async (one) => ({
      shape: one.shape,
      dtype: one.dtype,
      values: Array.from(await one.data()),
    })),
  );
}

const titles = cases.map((one) => [`${one.op}${one.also ? `, ${one.also}` : ''}`, one] as const);

describe('operations of graphs agree with TF.js', () => {
  test.each(titles)('%s', async (_, one) => {
    const built = fileOf(one);
    const outputs = Array.from({ length: one.outputs ?? 1 }, (_, i) => (i === 0 ? 'made' : `made:${i}`));
    const wanted = await expected(built, outputs);
    const net = await loadGraphModel(filesOf(built.file));
    const found = await made(net, built.fed, outputs);
    for (const [i, { shape, dtype, values }] of wanted.entries()) {
      expect(found[i]).toMatchObject({ shape, dtype });
      const largest = Math.max(1, ...values.map(Math.abs));
      for (const [k, value] of values.entries())
        expect(Math.abs((found[i]?.values[k] as number) - value), `${one.op}[${k}]`).toBeLessThan(
          2e-6 * largest,
        );
    }
    net.dispose();
  });

  test.each([
    // TF.js gives int32.
    {
      one: { op: 'FloorDiv', inputs: [floats([3], [7, -7, 1]), floats([3], [2, 2, 4])] },
      values: [3, -4, 0],
    },
    // TF.js fails.
    {
      one: {
        op: 'Select',
        inputs: [bools([1, 0]), floats([2, 2], [1, 2, 3, 4]), floats([2, 2], [5, 6, 7, 8])],
      },
      values: [1, 2, 7, 8],
    },
    // TF.js takes other elements: x[4:0:-2, 1] of a matrix.
    {
      one: {
        op: 'StridedSlice',
        inputs: [floats([5, 2], [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]), axes(4, 1), axes(0, 2), axes(-2, 1)],
        attr: { shrink_axis_mask: int(2) },
      },
      values: [9, 5],
    },
  ] satisfies { one: Case; values: number[] }[])(
    '$one.op is as in TensorFlow where TF.js is not',
    async ({ one, values }) => {
      const built = fileOf(one);
      const net = await loadGraphModel(filesOf(built.file));
      const [found] = await made(net, built.fed, ['made']);
      expect(found).toMatchObject({ dtype: 'float32', values });
    },
  );

  const above = floats([3], [0.25, 2, 5]);
  const signed = floats([3], [-2.5, 0, 3]);
  const small: readonly Case[] = [
    ...'Abs Ceil Floor Neg Round Sign Square'.split(' ').flatMap((op) => [
      { op, inputs: [signed] },
      { op, inputs: [integers([-4, 0, 3])] },
    ]),
    ...'Exp Log Reciprocal Rsqrt Sqrt'.split(' ').map((op) => ({ op, inputs: [above] })),
    { op: 'LogicalNot', inputs: [bools([1, 0])] },
    ...'AddV2 Div Equal FloorDiv FloorMod GreaterEqual Maximum Mul Pow SquaredDifference Sub'
      .split(' ')
      .flatMap((op) => [
        { op, inputs: [above, floats([3], [2, 2, -1])] },
        { op, inputs: [integers([4, 7, 1]), integers([2, 2, 3])] },
      ]),
  ];
  test.each(small)(
    '$op of numbers that the host knows is what the device computes',
    async ({ op, inputs }) => {
      const computed = async (given: readonly Given[]) => {
        const built = fileOf({ op, inputs: given });
        const net = await loadGraphModel(filesOf(built.file));
        const [found] = await made(net, built.fed, ['made']);
        net.dispose();
        return found as NonNullable<typeof found>;
      };
      const ofDevice = await computed(inputs);
      const ofHost = await computed(inputs.map((each) => constant(each as HostTensor)));
      expect(ofHost).toMatchObject({ shape: ofDevice.shape, dtype: ofDevice.dtype });
      for (const [i, value] of ofDevice.values.entries())
        expect(Math.abs((ofHost.values[i] as number) - value)).toBeLessThanOrEqual(1e-6 * Math.abs(value));
    },
  );

  test('every operation is compared here, or named with what it does', () => {
    const compared = new Set(cases.map(({ op }) => op));
    const sameAs = {
      passed:
        'IdentityN PreventGradient Snapshot EnsureShape CheckNumerics Print PlaceholderWithDefault NoOp',
      others:
        'Softsign Mod ShapeN Concat SpaceToDepth MatrixBandPart BatchMatMul FusedBatchNorm FusedBatchNormV2',
      threeAxes: 'Conv3D MaxPool3D AvgPool3D',
      creation: 'LinSpace BroadcastArgs RandomUniform RandomStandardNormal TruncatedNormal Gather',
      suppression: 'NonMaxSuppressionV2',
      tensorflow:
        'Erfc Reverse Bucketize Bincount BitwiseAnd FakeQuantWithMinMaxVars ResizeArea ScaleAndTranslate Conv3DBackpropInputV2',
      complex: 'Complex ComplexAbs Real Imag FFT IFFT RFFT IRFFT',
      resized: 'ResizeBicubic',
      lists: opNames()
        .filter((name) => /^(?:TensorArray|TensorList|EmptyTensorList)/.test(name))
        .join(' '),
    };
    const known = new Set(Object.values(sameAs).join(' ').split(' '));
    expect(opNames().filter((name) => !compared.has(name) && !known.has(name))).toEqual([]);
  });
});
