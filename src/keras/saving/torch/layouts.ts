/**
 * @file PyTorch's storage of the weights of layers: channels come first, matrices are [out, in], and images are flattened
 * channel by channel.
 */
import { type Shape, sizeOf } from '../../../core/shape.ts';
import type { Layout } from '../../../formats/storedTensor.ts';
import type { Variable } from '../../../tensor/variable.ts';
import type { AnyLayer } from '../../layers/base/layer.ts';

/** The history of a layer's input. */
type InputHistory = NonNullable<AnyLayer['inboundNodes'][number]['inputs'][number]['history']>;

/** The PyTorch parameter of a weight. */
export interface TorchParameter {
  /** Name within its module: 'weight', 'bias', 'running_mean', 'running_var'. */
  readonly name: string;
  readonly shape: Shape;
  /** How it is converted to the weight; null if both have the same layout. */
  readonly layout: Layout | null;
}

/** PyTorch's names of weights, by Keras's names. */
const parameterNames: Readonly<Record<string, string>> = {
  kernel: 'weight',
  embeddings: 'weight',
  gamma: 'weight',
  scale: 'weight',
  bias: 'bias',
  beta: 'bias',
  moving_mean: 'running_mean',
  moving_variance: 'running_var',
};

/** The axes of a kernel in PyTorch's order, by rank. */
const kernelOrders: Readonly<Record<number, readonly number[]>> = {
  2: [1, 0],
  3: [2, 1, 0],
  4: [3, 2, 0, 1],
};
/** Transposed convolutions have [h, w, out, in] for PyTorch's [in, out, h, w]. */
const transposedOrders: Readonly<Record<number, readonly number[]>> = { 3: [2, 1, 0], 4: [3, 2, 0, 1] };

/** Returns the PyTorch parameter for a weight of `layer`; null for weights that have no counterpart. */
export function torchParameter(layer: AnyLayer, variable: Variable): TorchParameter | null {
  const role = variable.path.slice(variable.path.lastIndexOf('/') + 1);
  const name = Object.hasOwn(parameterNames, role) ? parameterNames[role] : undefined;
  if (name === undefined || layer.sublayers.length > 0) return null;
  const { shape } = variable;
  const flattened = flattenedImage(layer);
  if (role === 'kernel') return kernelParameter(layer.className, shape, flattened);
  const isPerInput = name !== 'bias' || role === 'beta';
  const isFlat = flattened !== null && isPerInput && shape.length === 1 && sizeOf(flattened) === shape[0];
  return { name, shape, layout: isFlat ? fromChannels(flattened, []) : null };
}

function kernelParameter(className: string, shape: Shape, flattened: Shape | null): TorchParameter | null {
  const name = 'weight';
  if (className.startsWith('Depthwise')) return { name, ...depthwise(shape) };
  if (className === 'Dense' && flattened && sizeOf(flattened) === shape[0]) {
    const units = shape[1] as number;
    return { name, shape: [units, sizeOf(flattened)], layout: fromChannels(flattened, [units]) };
  }
  const order = (/Transpose$/.test(className) ? transposedOrders : kernelOrders)[shape.length];
  return order ? { name, ...permuted(shape, order) } : null;
}

/** Returns a parameter with the axes of the weight in another order. */
function permuted(shape: Shape, order: readonly number[]): Omit<TorchParameter, 'name'> {
  const from = order.map((axis) => shape[axis] as number);
  return { shape: from, layout: { from, perm: shape.map((_, axis) => order.indexOf(axis)), to: shape } };
}

/** Kernels [...window, channels, multiplier] for PyTorch's [channels · multiplier, 1, ...window]. */
function depthwise(shape: Shape): Omit<TorchParameter, 'name'> {
  const window = shape.slice(0, -2);
  const [channels, multiplier] = shape.slice(-2) as [number, number];
  return {
    shape: [channels * multiplier, 1, ...window],
    layout: {
      from: [channels, multiplier, ...window],
      perm: [...window.map((_, i) => i + 2), 0, 1],
      to: shape,
    },
  };
}

/** [...before, channels · positions] of PyTorch to [positions · channels, ...before] here. */
function fromChannels(image: Shape, before: Shape): Layout {
  const channels = image.at(-1) as number;
  const window = image.slice(0, -1);
  const first = before.length;
  return {
    from: [...before, channels, ...window],
    perm: [...window.map((_, i) => first + 1 + i), first, ...before.map((_, i) => i)],
    to: [sizeOf(image), ...before],
  };
}

/** Returns the shape, without the batch, of the image that was flattened into the input of `layer`; null if there was none. */
function flattenedImage(layer: AnyLayer): Shape | null {
  let history: InputHistory | null = layer.inboundNodes[0]?.inputs[0]?.history ?? null;
  while (history) {
    const { node, operation }: InputHistory = history;
    const [input] = node.inputs;
    if (!input || node.inputs.length > 1) return null;
    if (operation.className === 'Flatten' || operation.className === 'Reshape')
      return node.outputs[0]?.shape.length === 2 ? imageOf(input.shape) : null;
    // Skips layers in between that keep every element in its position.
    if (!isSame(node.outputs[0]?.shape ?? [], input.shape) || operation.className === 'Dense') return null;
    history = input.history;
  }
  return null;
}

/** Returns the shape of one image; null for vectors, and if sizes are open. */
function imageOf([, ...image]: readonly (number | null)[]): Shape | null {
  const sizes = image.filter((size) => size !== null);
  return image.length > 1 && sizes.length === image.length ? sizes : null;
}

function isSame(a: readonly (number | null)[], b: readonly (number | null)[]): boolean {
  return a.length === b.length && a.every((size, i) => size === b[i]);
}
