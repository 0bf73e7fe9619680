/**
 * @file Layers whose weights are integers of 4 or 8 bits, or rounded to float8, as Keras's files have them: a product with the
 * numbers that they stand for. In memory an integer, or a pair of 4 bits, takes an int32. They aren't trained.
 */
import { ValueError } from '../../../core/errors.ts';
import type { OpenShape, Shape } from '../../../core/shape.ts';
import { div } from '../../../ops/arithmetic.ts';
import { cast } from '../../../ops/cast.ts';
import { expandDims } from '../../../ops/expandDims.ts';
import { gather } from '../../../ops/gather.ts';
import { reshape } from '../../../ops/reshape.ts';
import { transpose } from '../../../ops/transpose.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import type { Variable } from '../../../tensor/variable.ts';
import { Dense } from '../core/dense.ts';
import { EinsumDense } from '../core/einsumDense.ts';
import { Embedding } from '../core/embedding.ts';
import { byGroups, throughFloat8, throughIntegers, unpacked } from './arithmetic.ts';

/** How the weights of a layer are quantized. */
export interface Quantization {
  readonly mode: 'int8' | 'int4' | 'float8' | 'gptq' | 'awq';
  /** Bits of a weight. */
  readonly bits: number;
  /** Number of weights with a common scale, along the axis that is summed; null for all of them. */
  readonly block: number | null;
  /** Length of the histories of float8. */
  readonly history: number;
  /** How inputs are rounded; null if they aren't. */
  readonly inputs: { readonly range: readonly [number, number]; readonly epsilon: number } | null;
}

/** Element types of weights in files. */
type FileType = 'int8' | 'float32';

type Add = (name: string, shape: Shape, type: FileType) => Variable;

/** A matrix that is quantized: [rows, columns], where rows are summed. */
interface Sizes {
  readonly rows: number;
  readonly columns: number;
  /** Shape of the kernel. */
  readonly kernel: Shape;
  /** Shape of one scale for each column, and how the kernel is divided by it. */
  readonly scale: Shape;
  readonly divide: (kernel: Tensor, scale: Tensor) => Tensor;
}

/** The weights of a quantized kernel. */
interface Weights {
  /** In the order of files, the bias among them as null. */
  readonly saved: readonly (Variable | null)[];
  /** What the kernel stands for. */
  kernel(): Tensor;
  /** The inputs as they are multiplied. */
  inputs(x: Tensor, axes: readonly number[]): Tensor;
}

function weightsOf(quantization: Quantization, sizes: Sizes, add: Add): Weights {
  const { mode, inputs } = quantization;
  const rounded = (x: Tensor, axes: readonly number[]) => (inputs ? throughIntegers(x, inputs, axes) : x);
  if (mode === 'float8') return float8Weights(quantization, sizes, add);
  if (mode === 'int4') return { ...packedWeights(quantization, sizes, add), inputs: rounded };
  const kernel = add('kernel', sizes.kernel, 'int8');
  const scale = add('kernel_scale', sizes.scale, 'float32');
  return {
    saved: [kernel, null, scale],
    kernel: () => sizes.divide(cast(kernel, 'float32'), scale),
    inputs: rounded,
  };
}

/** Pairs of 4 bits along the columns; a scale for each column, or a scale and a zero for each group of rows. */
function packedWeights({ block }: Quantization, sizes: Sizes, add: Add): Omit<Weights, 'inputs'> {
  const { rows, columns, kernel: shape } = sizes;
  const kernel = add('kernel', [rows, Math.ceil(columns / 2)], 'int8');
  const integers = () => unpacked(kernel, -1, columns, true);
  if (block === null) {
    const scale = add('kernel_scale', [columns], 'float32');
    return { saved: [kernel, null, scale], kernel: () => reshape(div(integers(), scale), { shape }) };
  }
  const ofGroups = [Math.ceil(rows / block), columns];
  const scale = add('kernel_scale', ofGroups, 'float32');
  const zero = add('kernel_zero', ofGroups, 'int8');
  const groups = add('g_idx', [rows], 'float32');
  return {
    saved: [kernel, null, scale, zero, groups],
    kernel: () => reshape(byGroups(integers(), { scale, zero, groups, axis: 0 }), { shape }),
  };
}

function float8Weights({ history }: Quantization, { kernel: shape }: Sizes, add: Add): Weights {
  const kernel = add('kernel', shape, 'float32');
  const pair = (name: string) =>
    [add(`${name}_scale`, [], 'float32'), add(`${name}_amax_history`, [history], 'float32')] as const;
  const [inputs, kernels, gradients] = [pair('inputs'), pair('kernel'), pair('outputs_grad')];
  return {
    saved: [kernel, null, ...inputs, ...kernels, ...gradients],
    kernel: () => throughFloat8(kernel, kernels[0]),
    inputs: (x) => throughFloat8(x, inputs[0]),
  };
}

/** What the quantized layers have in common. */
interface Quantized {
  quantization: Quantization | null;
  /** The variables of the layer, in the order of files. */
  savedVariables: readonly Variable[];
  /** Element types in files, where they aren't the variables' own. */
  readonly elementTypes: Map<Variable, 'int8' | 'uint8'>;
}

/** Returns what creates the weights of `layer`, all of them frozen. */
function adder(
  layer: Quantized & { addFrozen(name: string, shape: Shape, dtype: 'int32' | 'float32'): Variable },
): Add {
  return (name, shape, type) => {
    const made = layer.addFrozen(name, shape, type === 'float32' ? type : 'int32');
    if (type !== 'float32') layer.elementTypes.set(made, type);
    return made;
  };
}

function rejectAdapter(layer: { name: string; loraRank: number | null }): void {
  if (layer.loraRank === null) return;
  throw new ValueError({
    op: layer.name,
    rule: 'a quantized layer has no adapter here.',
    received: `loraRank: ${layer.loraRank}`,
    hint: 'in Keras, save the model before it is quantized.',
  });
}

const frozen = { initializer: 'zeros', trainable: false } as const;

export class QuantizedDense extends Dense implements Quantized {
  static override readonly className: string = 'Dense';
  static readonly builtIn = Dense;
  quantization: Quantization | null = null;
  savedVariables: readonly Variable[] = [];
  readonly elementTypes = new Map<Variable, 'int8' | 'uint8'>();
  #weights: Weights | null = null;

  override build(inputShape: OpenShape): void {
    rejectAdapter(this);
    const { units } = this;
    const rows = inputShape.at(-1) as number;
    const sizes = { rows, columns: units, kernel: [rows, units], scale: [units], divide: div };
    this.#weights = weightsOf(this.quantization as Quantization, sizes, adder(this));
    if (this.useBias) this.bias = this.addWeight('bias', { shape: [units], initializer: 'zeros' });
    this.savedVariables = this.#weights.saved.flatMap((weight) => weight ?? this.bias ?? []);
    this.inputSpec = [{ minRank: 2, axes: { [-1]: rows } }];
  }

  protected override rounded(x: Tensor): Tensor {
    return (this.#weights as Weights).inputs(x, [x.rank - 1]);
  }

  protected override base(): Tensor {
    return (this.#weights as Weights).kernel();
  }

  addFrozen(name: string, shape: Shape, dtype: 'int32' | 'float32'): Variable {
    return this.addWeight(name, { shape, dtype, ...frozen });
  }
}

export class QuantizedEinsumDense extends EinsumDense implements Quantized {
  static override readonly className: string = 'EinsumDense';
  static readonly builtIn = EinsumDense;
  quantization: Quantization | null = null;
  savedVariables: readonly Variable[] = [];
  readonly elementTypes = new Map<Variable, 'int8' | 'uint8'>();
  #weights: Weights | null = null;
  #summed: readonly number[] = [];

  override build(inputShape: OpenShape): void {
    rejectAdapter(this);
    const { input, kernel, output, kernelShape, biasShape } = this.axesFor(inputShape);
    const sumOver = (axes: string) => [...axes].flatMap((letter, i) => (output.includes(letter) ? [] : [i]));
    this.#summed = sumOver(input);
    const isSummed = new Set(sumOver(kernel));
    const product = (wanted: boolean) =>
      kernelShape.reduce((size, n, i) => (isSummed.has(i) === wanted ? size * n : size), 1);
    const sizeOf = (letter: string) => kernelShape[kernel.indexOf(letter)] ?? 1;
    // A scale has the axes of the output; those of the kernel are among them, in another order perhaps.
    const kept = [...output].filter((letter) => kernel.includes(letter));
    const perm = [...kernel]
      .filter((letter) => output.includes(letter))
      .map((letter) => kept.indexOf(letter));
    const divide = (whole: Tensor, scale: Tensor) => {
      const inOrder = transpose(reshape(scale, { shape: kept.map(sizeOf) }), { perm });
      const shape = kernelShape.map((n, i) => (isSummed.has(i) ? 1 : n));
      return div(whole, reshape(inOrder, { shape }));
    };
    const sizes = {
      rows: product(true),
      columns: product(false),
      kernel: kernelShape,
      scale: [...output].map((letter) => (kernel.includes(letter) ? sizeOf(letter) : 1)),
      divide,
    };
    this.#weights = weightsOf(this.quantization as Quantization, sizes, adder(this));
    if (biasShape) this.bias = this.addWeight('bias', { shape: biasShape, initializer: 'zeros' });
    this.savedVariables = this.#weights.saved.flatMap((weight) => weight ?? this.bias ?? []);
    this.inputSpec = [{ rank: inputShape.length }];
  }

  protected override rounded(x: Tensor): Tensor {
    return (this.#weights as Weights).inputs(x, this.#summed);
  }

  protected override base(): Tensor {
    return (this.#weights as Weights).kernel();
  }

  addFrozen(name: string, shape: Shape, dtype: 'int32' | 'float32'): Variable {
    return this.addWeight(name, { shape, dtype, ...frozen });
  }
}

export class QuantizedEmbedding extends Embedding implements Quantized {
  static override readonly className: string = 'Embedding';
  static readonly builtIn = Embedding;
  quantization: Quantization | null = null;
  savedVariables: readonly Variable[] = [];
  readonly elementTypes = new Map<Variable, 'int8' | 'uint8'>();

  override build(): void {
    rejectAdapter(this);
    const { inputDim, outputDim } = this;
    const { mode, block } = this.quantization as Quantization;
    const add = adder(this);
    const isPacked = mode === 'int4';
    const rows = add('embeddings', [inputDim, isPacked ? Math.ceil(outputDim / 2) : outputDim], 'int8');
    const groups = isPacked && block !== null ? Math.ceil(outputDim / block) : null;
    const scale = add('embeddings_scale', groups === null ? [inputDim] : [inputDim, groups], 'float32');
    this.savedVariables = [rows, scale];
    if (groups === null) return;
    const zero = add('embeddings_zero', [inputDim, groups], 'int8');
    this.savedVariables = [rows, scale, zero, add('g_idx', [outputDim], 'float32')];
  }

  protected override rowsAt(indices: Tensor): Tensor {
    const [rows, scales, zeros, groups] = this.savedVariables as [Variable, Variable, Variable?, Variable?];
    const found = (table: Tensor) => gather(table, indices, { axis: 0 });
    const isPacked = this.quantization?.mode === 'int4';
    const integers = isPacked
      ? unpacked(found(rows), -1, this.outputDim, true)
      : cast(found(rows), 'float32');
    const scale = found(scales);
    return zeros && groups
      ? byGroups(integers, { scale, zero: found(zeros), groups, axis: indices.rank })
      : div(integers, expandDims(scale, { axis: -1 }));
  }

  addFrozen(name: string, shape: Shape, dtype: 'int32' | 'float32'): Variable {
    return this.addWeight(name, { shape, dtype, ...frozen });
  }
}
