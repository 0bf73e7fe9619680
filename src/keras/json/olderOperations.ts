/**
 * @file TensorFlow's functions in the graphs of Keras 2, as operations of Keras 3. Keras 2 describes a call as a layer of the class
 * `TFOpLambda`, or `SlicingOpLambda` for `x[…]`, with the function's name and the arguments of its only call.
 */
import { isObject, type Json, type JsonObject } from './document.ts';
import { type OperationEntry, operationTable } from './operationTable.ts';

/** Arguments by name, with symbolic tensors as Keras 3 describes them. */
type Arguments = Readonly<Record<string, Json>>;

/** Operations that are calls of others, the last of which has the layer's name. */
interface Graph {
  /** Adds a call before the last, and returns its output. */
  before(op: string, args: readonly Json[], config?: JsonObject): Json;
}

/** A call of an operation: its name in `operationTable`, or its class and module. */
interface Call {
  readonly op: string | readonly [module: string, className: string];
  readonly args: readonly Json[];
  readonly config?: JsonObject;
  readonly kwargs?: JsonObject;
}

/** A function of TensorFlow. */
interface TensorFlowFunction {
  /** The names of its arguments. The first is that by which the node refers to its input. */
  readonly names: readonly string[];
  /** Arguments that are only accepted with this value, or with null. */
  readonly only?: JsonObject;
  /** Returns null if Keras 3 has no such call. */
  call(given: Arguments, graph: Graph): Call | null;
}

const keras = 'keras.src.ops';

/** Functions of one tensor; `function:op` where Keras has another name. */
const ofOne = (names: string): [string, TensorFlowFunction][] =>
  pairs(names).map(([name, op]) => [name, { names: ['x'], call: ({ x }) => ({ op, args: [x as Json] }) }]);

/** Functions of two tensors or numbers. */
const ofTwo = (
  names: string,
  [a, b]: readonly [string, string] = ['x', 'y'],
): [string, TensorFlowFunction][] =>
  pairs(names).map(([name, op]) => [
    name,
    { names: [a, b], call: (given) => ({ op, args: [operand(given[a]), operand(given[b])] }) },
  ]);

/** Functions of a tensor with options: `function's:Keras's` names of these. */
const withOptions = (
  names: string,
  options: string,
  only: JsonObject = {},
  defaults: JsonObject = {},
): [string, TensorFlowFunction][] =>
  pairs(names).map(([name, op]) => [
    name,
    {
      names: ['x', ...pairs(options).map(([option]) => option)],
      only,
      call: ({ x, ...given }) => {
        const config = pairs(options).map(([option, known]) => [
          known,
          given[option] ?? defaults[option] ?? null,
        ]);
        return { op, args: [x as Json], config: Object.fromEntries(config) as JsonObject };
      },
    },
  ]);

const reduced = { keep_dims: null, reduction_indices: null };
const scanned = { exclusive: false, reverse: false };

const functions: ReadonlyMap<string, TensorFlowFunction> = new Map([
  ...ofOne('abs negative:neg exp expm1 log log1p sqrt rsqrt square reciprocal sign floor ceil round erf'),
  ...ofOne('sin cos tan sinh cosh tanh asin acos atan asinh acosh atanh identity stop_gradient:stopGradient'),
  ...ofOne('is_nan:isNaN is_inf:isInf is_finite:isFinite logical_not:logicalNot'),
  ...ofOne('relu relu6 selu silu swish:silu sigmoid softplus softsign log_sigmoid:logSigmoid'),
  ...ofOne('elu zeros_like:zerosLike ones_like:onesLike zeros_like_v2:zerosLike ones_like_v2:onesLike'),
  ...ofTwo('add sub subtract:sub multiply:mul mul truediv:div divide:div div pow maximum minimum'),
  ...ofTwo('floordiv:floorDiv floormod:mod mod equal eq:equal not_equal:notEqual ne:notEqual'),
  ...ofTwo('greater greater_equal:greaterEqual less less_equal:lessEqual'),
  ...ofTwo('logical_and:logicalAnd logical_or:logicalOr logical_xor:logicalXor'),
  ...ofTwo('atan2', ['y', 'x']),
  ...ofTwo('bias_add:add', ['value', 'bias']),
  ...withOptions(
    'reduce_sum:sum reduce_mean:mean reduce_prod:prod reduce_variance:variance',
    'axis keepdims',
    reduced,
  ),
  ...withOptions(
    'reduce_max:max reduce_min:min reduce_std:std reduce_any:any reduce_all:all',
    'axis keepdims',
    reduced,
  ),
  ...withOptions('reduce_logsumexp:logSumExp', 'axis keepdims', reduced),
  ...withOptions('argmax:argMax argmin:argMin', 'axis', { output_type: 'int64' }, { axis: 0 }),
  ...withOptions('cumsum cumprod', 'axis', scanned, { axis: 0 }),
  ...withOptions('softmax log_softmax:logSoftmax', 'axis', {}, { axis: -1 }),
  ...withOptions('leaky_relu:leakyRelu', 'alpha:negative_slope', {}, { alpha: 0.2 }),
  ...withOptions('gelu', 'approximate', {}, { approximate: false }),
  ...withOptions('reshape', 'shape:newshape'),
  ...withOptions('transpose', 'perm:axes', { conjugate: false }),
  ...withOptions('expand_dims:expandDims squeeze', 'axis', { dim: null, squeeze_dims: null }),
  ...withOptions('tile', 'multiples:repeats'),
  ...withOptions('broadcast_to:broadcastTo', 'shape'),
  ...withOptions('cast', 'dtype'),
  ...withOptions('reverse:flip', 'axis'),
  ...withOptions('roll', 'shift axis'),
  ...withOptions('repeat', 'repeats axis'),
  ...withOptions('unstack', 'axis', { num: null }, { axis: 0 }),
  ...withOptions('concat stack', 'axis', {}, { axis: 0 }),
  ...withOptions('top_k:topK', 'k sorted', { index_type: 'int32' }, { k: 1, sorted: true }),
  ['clip_by_value', { names: ['x', 'clip_value_min', 'clip_value_max'], call: clipped }],
  ['where', { names: ['condition', 'x', 'y'], call: chosen }],
  ['matmul', { names: ['a', 'b', 'transpose_a', 'transpose_b'], only: unlike(), call: multiplied }],
  ['squared_difference', { names: ['x', 'y'], call: squaredDifference }],
  ['add_n', { names: ['inputs'], call: added }],
  [
    'gather',
    { names: ['params', 'indices', 'axis'], only: { validate_indices: null, batch_dims: 0 }, call: gathered },
  ],
  ['split', { names: ['value', 'num_or_size_splits', 'axis'], only: { num: null }, call: split }],
  ['pad', { names: ['tensor', 'paddings', 'mode', 'constant_values'], call: padded }],
  ['l2_normalize', { names: ['x', 'axis', 'epsilon'], only: { dim: null }, call: normalized }],
  [
    'one_hot',
    { names: ['indices', 'depth', 'axis', 'dtype'], only: { on_value: 1, off_value: 0 }, call: oneHot },
  ],
  [
    'resize',
    {
      names: ['images', 'size', 'method', 'antialias'],
      only: { preserve_aspect_ratio: false },
      call: resized,
    },
  ],
  ['rgb_to_grayscale', { names: ['images'], call: ({ images }) => onImages('RGBToGrayscale', images) }],
  ['space_to_depth', { names: ['input', 'block_size'], only: lastChannels(), call: blocks('SpaceToDepth') }],
  ['depth_to_space', { names: ['input', 'block_size'], only: lastChannels(), call: blocks('DepthToSpace') }],
  ['getitem', { names: ['tensor', 'slice_spec'], call: indexed }],
]);

/** Returns whether `layer` is a call of a function of TensorFlow. */
export function isTensorFlowCall(layer: Json): layer is JsonObject {
  return isObject(layer) && (layer.class_name === 'TFOpLambda' || layer.class_name === 'SlicingOpLambda');
}

/**
 * Returns the operations of a call, in order; null if Keras 3 has no such operation. `tensorsIn` describes the symbolic tensors of a
 * value as Keras 3 does.
 */
export function upgradeTensorFlowCall(
  layer: JsonObject,
  tensorsIn: (value: Json) => Json,
): JsonObject[] | null {
  const { config = null, inbound_nodes: nodes = null } = layer;
  const path = isObject(config) ? config.function : null;
  const name = layer.name ?? (isObject(config) ? config.name : null);
  if (typeof path !== 'string' || typeof name !== 'string' || !Array.isArray(nodes) || nodes.length !== 1)
    return null;
  const known = functions.get(path.slice(path.lastIndexOf('.') + 1));
  const given = known && argumentsOf(known, nodes[0] as Json, tensorsIn);
  if (!known || !given) return null;
  const made: JsonObject[] = [];
  const before: Graph['before'] = (op, args, options = {}) => {
    const inner = `${name}_${made.length}`;
    made.push(operation(inner, { op, args, config: options }));
    return { class_name: '__keras_tensor__', config: { keras_history: [inner, 0, 0] } };
  };
  const call = known.call(given, { before });
  return call && [...made, operation(name, call)];
}

/** The arguments of a node: [layer, call, output, others], a nest of these, or a constant in the place of the first. */
function argumentsOf(
  { names, only = {} }: TensorFlowFunction,
  node: Json,
  tensorsIn: (value: Json) => Json,
): Arguments | null {
  const [first, others] = firstOf(node, tensorsIn);
  const given: Record<string, Json> = { [names[0] as string]: first };
  for (const [key, value] of Object.entries(others)) {
    if (names.includes(key)) given[key] = tensorsIn(value as Json);
    else if (key !== 'name' && value !== null && value !== only[key]) return null;
  }
  return given;
}

function firstOf(node: Json, tensorsIn: (value: Json) => Json): [first: Json, others: JsonObject] {
  if (!Array.isArray(node)) return [null, {}];
  const [layer, call, value, others] = node as readonly Json[];
  if (typeof layer === 'string' && typeof call === 'number') {
    const first = layer === '_CONSTANT_VALUE' ? (value ?? null) : tensorsIn([layer, call, value ?? 0]);
    return [first, isObject(others ?? null) ? (others as JsonObject) : {}];
  }
  const items = node.map((item: Json) => firstOf(item, tensorsIn));
  return [items.map(([first]) => first), items[0]?.[1] ?? {}];
}

/** An operation as Keras 3 describes it, with its only call. */
function operation(name: string, { op, args, config = {}, kwargs = {} }: Call): JsonObject {
  const [module, className] = typeof op === 'string' ? placeOf(op) : op;
  return {
    module,
    class_name: className,
    config: { name, ...config },
    registered_name: className,
    name,
    inbound_nodes: [{ args, kwargs }] as Json,
  };
}

/** A list is a constant, of float32: its dtype isn't in the file. */
function operand(value: Json | undefined): Json {
  if (!Array.isArray(value)) return value ?? null;
  return { class_name: '__numpy__', config: { value: value as Json, dtype: 'float32' } };
}

function placeOf(op: string): readonly [module: string, className: string] {
  const { module, className } = operationTable.find((entry) => entry.op === op) as OperationEntry;
  return [module, className];
}

function clipped({ x, clip_value_min: min, clip_value_max: max }: Arguments): Call | null {
  if (typeof min === 'number' && typeof max === 'number')
    return { op: 'clip', args: [x as Json], config: { x_min: min, x_max: max } };
  return null;
}

function chosen({ condition, x, y }: Arguments): Call | null {
  if (x === undefined || y === undefined || x === null || y === null) return null;
  return { op: 'where', args: [condition as Json, operand(x), operand(y)] };
}

function multiplied({ a, b, transpose_a: turnsA, transpose_b: turnsB }: Arguments, { before }: Graph): Call {
  const turned = (matrix: Json) => before('swapAxes', [matrix], { axis1: -1, axis2: -2 });
  return { op: 'matMul', args: [turnsA ? turned(a as Json) : a, turnsB ? turned(b as Json) : b] as Json[] };
}

function squaredDifference({ x, y }: Arguments, { before }: Graph): Call {
  return { op: 'square', args: [before('sub', [x as Json, y as Json])] };
}

function added({ inputs }: Arguments, { before }: Graph): Call | null {
  const [first, ...rest] = Array.isArray(inputs) ? (inputs as Json[]) : [];
  const last = rest.pop();
  if (first === undefined || last === undefined) return null;
  return { op: 'add', args: [rest.reduce((sum, next) => before('add', [sum, next]), first), last] };
}

function gathered({ params, indices, axis }: Arguments): Call {
  return { op: 'gather', args: [params as Json, indices as Json], config: { axis: axis ?? 0 } };
}

/** Keras takes the indices at which parts begin, TensorFlow their sizes. */
function split({ value, num_or_size_splits: sizes, axis }: Arguments): Call | null {
  if (
    Array.isArray(sizes) &&
    !sizes.slice(0, -1).every((size: Json) => typeof size === 'number' && size >= 0)
  )
    return null;
  const parts = (Array.isArray(sizes) ? sizes.slice(0, -1) : []) as number[];
  const begins = parts.map((_, i) => parts.slice(0, i + 1).reduce((sum, size) => sum + size));
  return {
    op: 'split',
    args: [value as Json],
    config: { indices_or_sections: Array.isArray(sizes) ? begins : (sizes as Json), axis: axis ?? 0 },
  };
}

function padded({ tensor, paddings, mode, constant_values: value }: Arguments): Call {
  const kind = typeof mode === 'string' ? mode.toLowerCase() : 'constant';
  const kwargs: JsonObject = kind === 'constant' ? { constant_values: value ?? 0 } : {};
  return { op: 'pad', args: [tensor as Json], config: { pad_width: paddings as Json, mode: kind }, kwargs };
}

/** TensorFlow bounds the square of the norm. */
function normalized({ x, axis, epsilon }: Arguments): Call {
  const least = Math.sqrt(typeof epsilon === 'number' ? epsilon : 1e-12);
  return {
    op: [`${keras}.nn`, 'Normalize'],
    args: [x as Json],
    config: { axis: axis ?? null, order: 2, epsilon: least },
  };
}

function oneHot({ indices, depth, axis, dtype }: Arguments): Call {
  return {
    op: [`${keras}.nn`, 'OneHot'],
    args: [indices as Json],
    config: { num_classes: depth as Json, axis: axis ?? -1, dtype: dtype ?? 'float32', sparse: false },
  };
}

function resized({ images, size, method, antialias }: Arguments): Call | null {
  const interpolation = method ?? 'bilinear';
  if (
    !Array.isArray(size) ||
    !['bilinear', 'nearest', 'bicubic', 'lanczos3', 'lanczos5'].some((known) => known === interpolation)
  )
    return null;
  return onImages('Resize', images, { size: size as Json, interpolation, antialias: antialias ?? false });
}

function blocks(className: string): TensorFlowFunction['call'] {
  return ({ input, block_size: size }) => ({
    op: [`${keras}.nn`, className],
    args: [input as Json],
    config: { block_size: size as Json, data_format: 'channels_last' },
  });
}

function onImages(className: string, images: Json | undefined, config: JsonObject = {}): Call {
  return {
    op: [`${keras}.image`, className],
    args: [images as Json],
    config: { ...config, data_format: 'channels_last' },
  };
}

/** A key of `x[…]`: ranges are objects with start, stop and step. */
function indexed({ tensor, slice_spec: key }: Arguments): Call {
  const entry = (item: Json): Json =>
    isObject(item) && 'start' in item ? { class_name: '__slice__', config: item } : item;
  const keys: Json = Array.isArray(key) ? key.map((item: Json) => entry(item)) : entry(key ?? null);
  return { op: [`${keras}.numpy`, 'GetItem'], args: [tensor as Json, keys] };
}

function unlike(): JsonObject {
  return {
    ...{ adjoint_a: false, adjoint_b: false, a_is_sparse: false, b_is_sparse: false },
    ...{ output_type: null, grad_a: false, grad_b: false },
  };
}

function lastChannels(): JsonObject {
  return { data_format: 'NHWC' };
}

function pairs(names: string): [string, string][] {
  return names.split(' ').map((name) => {
    const [first, second = first] = name.split(':') as [string, string?];
    return [first, second];
  });
}
