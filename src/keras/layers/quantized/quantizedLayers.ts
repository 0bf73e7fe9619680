/**
 * @file Layers whose weights are integers of 4 or 8 bits, or rounded to float8, as Keras's files have them: a product with the
 * numbers that they stand for. Integers stay in their bits on the device, and kernels widen them as they read them; those whose groups
 * or axes no kernel reads take an int32 for an integer or a pair of 4 bits, and are widened for each call. They aren't trained;
 * adapters over them are.
 */
import { FormatError } from '../../../core/errors.ts';
import { type OpenShape, type Shape, stridesOf } from '../../../core/shape.ts';
import { add, div } from '../../../ops/arithmetic.ts';
import { cast } from '../../../ops/cast.ts';
import { range } from '../../../ops/range.ts';
import { unrecorded } from '../../../ops/recorders.ts';
import { gather } from '../../../ops/gather.ts';
import { dequantize, quantizedGather, quantizedMatMul } from '../../../ops/quantized.ts';
import { reshape } from '../../../ops/reshape.ts';
import { transpose } from '../../../ops/transpose.ts';
import { tidy } from '../../../tensor/scope.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import { QuantizedTensor } from '../../../tensor/quantizedTensor.ts';
import type { Variable } from '../../../tensor/variable.ts';
import { groupsPerLine, wordsPerLine, zeroWordsPerLine } from '../../../core/packedWeights.ts';
import { lowRank } from '../base/adapter.ts';
import { asOperand } from '../base/dtypePolicy.ts';
import { besidesFile } from '../base/layerWeights.ts';
import { type FileForm, groupsForm, kernelForm, type Places, scalesForm, zerosForm } from './fileForm.ts';
import { Dense } from '../core/dense.ts';
import { EinsumDense, lowRankSum } from '../core/einsumDense.ts';
import { Embedding } from '../core/embedding.ts';
import { type Lines, packRows, quantizeGroups, quantizeLines } from './quantizer.ts';
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

/** Creates frozen weights of a layer. */
interface Add {
  readonly layer: string;
  plain(name: string, shape: Shape, type: FileType): Variable;
  /** A weight in another layout than in files. */
  formed(name: string, shape: Shape, dtype: 'uint32' | 'float32', form: FileForm): Variable;
}

/** A matrix that is quantized: [rows, columns], where rows are summed. */
interface Sizes {
  readonly rows: number;
  readonly columns: number;
  /** Shape of the kernel. */
  readonly kernel: Shape;
  /** Shape of one scale for each column, and how the kernel is divided by it. */
  readonly scale: Shape;
  readonly divide: (kernel: Tensor, scale: Tensor) => Tensor;
  /** Where the kernel's weights are in files; null if its axes aren't those of a matrix. */
  readonly places: Places | null;
}

/** The weights of a quantized kernel. */
interface Weights {
  /** In the order of files, the bias among them as null. */
  readonly saved: readonly (Variable | null)[];
  /** What the kernel stands for. */
  kernel(): Tensor;
  /** A line of weights for each column, in their bits; null if there is none. */
  readonly packed: QuantizedTensor | null;
  /** The inputs as they are multiplied. */
  inputs(x: Tensor, axes: readonly number[]): Tensor;
}

/** Values of the weights of a layer, in the order of elements in files. */
export type FileValues = ReadonlyMap<Variable, Int32Array | Float32Array>;

/** Quantizes a kernel as the weights `saved` are. Errors: FormatError for axes in an order that isn't that of a matrix. */
function requantized(
  { mode, block }: Quantization,
  { rows, columns, places }: Sizes,
  saved: readonly (Variable | null)[],
  values: Float32Array,
): FileValues {
  const [kernel, scale, zero, groups] = saved.filter((weight) => weight !== null) as [
    Variable,
    Variable,
    Variable?,
    Variable?,
  ];
  // The kernel of float8 is kept in float32.
  if (mode === 'float8') return new Map([[kernel, values]]);
  if (!places?.columns.every((place, c) => place === c)) {
    throw new FormatError({
      op: 'save',
      rule: 'a kernel is quantized if the axes that are summed come first.',
      received: 'an einsum layer with another order of axes',
      hint: 'save the adapter on its own by saveAdapter, or leave the layer out of `filters`.',
    });
  }
  const lines = { values, lines: columns, length: rows, isAlongRows: false };
  return quantizedValues(lines, mode === 'int4', block, columns, [kernel, scale, zero, groups]);
}

/** Values of a matrix with a scale for each line, or a scale and a zero for each group of a line. */
function quantizedValues(
  lines: Lines,
  isPairs: boolean,
  block: number | null,
  columns: number,
  [kernel, scale, zero, groups]: readonly [Variable, Variable, Variable?, Variable?],
): FileValues {
  const isGrouped = isPairs && block !== null;
  const made = isGrouped
    ? quantizeGroups(lines, block)
    : quantizeLines(lines, isPairs ? [-8, 7] : [-127, 127]);
  const integers = isPairs ? packRows(made.integers, columns) : made.integers;
  const found = new Map<Variable, Int32Array | Float32Array>([
    [kernel, integers],
    [scale, made.scale],
  ]);
  if (!isGrouped || !zero || !groups) return found;
  const numbers = Float32Array.from({ length: lines.length }, (_, i) => Math.floor(i / block));
  return found.set(zero, made.zero).set(groups, numbers);
}

/** What a built layer has. Not in its fields: a layer that is quantized becomes one of these classes. */
interface State {
  readonly weights: Weights;
  readonly sizes: Sizes;
  /** The axes of the inputs that are summed over. */
  readonly summed: readonly number[];
  readonly matrix: Matrix | null;
}

const states = new WeakMap<object, State>();
const packedTables = new WeakMap<object, QuantizedTensor>();

function stateOf(layer: object): State {
  return states.get(layer) as State;
}

/** Reads what `compute` computes. */
async function valuesOf(compute: () => Tensor): Promise<Float32Array> {
  const [made] = unrecorded(() => tidy(() => [compute()])) as [Tensor];
  try {
    return (await made.data()) as Float32Array;
  } finally {
    made.dispose();
  }
}

function weightsOf(quantization: Quantization, sizes: Sizes, add: Add): Weights {
  const { mode, inputs } = quantization;
  const rounded = (x: Tensor, axes: readonly number[]) => (inputs ? throughIntegers(x, inputs, axes) : x);
  if (mode === 'float8') return float8Weights(quantization, sizes, add);
  const { places, rows, columns, kernel: shape } = sizes;
  const isPairs = mode === 'int4';
  const block = isPairs ? quantization.block : null;
  if (places && readsGroups(rows, block)) {
    const file = isPairs ? [rows, Math.ceil(columns / 2)] : shape;
    const { packed, saved } = packedMatrix(
      {
        name: 'kernel',
        format: isPairs ? 'int4' : 'int8',
        file,
        places,
        perLine: isPairs ? columns : 1,
        block,
      },
      { shape: block === null && !isPairs ? sizes.scale : null, transposed: true },
      add,
    );
    const [kernel, ...others] = saved as [Variable, ...Variable[]];
    return {
      saved: [kernel, null, ...others],
      packed,
      kernel: () => unfolded(dequantize(packed), sizes),
      inputs: rounded,
    };
  }
  if (isPairs) return { ...packedWeights(quantization, sizes, add), inputs: rounded, packed: null };
  const kernel = add.plain('kernel', sizes.kernel, 'int8');
  const scale = add.plain('kernel_scale', sizes.scale, 'float32');
  return {
    saved: [kernel, null, scale],
    kernel: () => sizes.divide(cast(kernel, 'float32'), scale),
    inputs: rounded,
    packed: null,
  };
}

/** Returns whether kernels read groups of `block` weights of 4 bits: whole words. */
const readsGroups = (length: number, block: number | null) =>
  block === null || block >= length || block % 8 === 0;

/** Lines of weights as the shape of the kernel, where rows come first. */
function unfolded(lines: Tensor, { kernel: shape, places, rows, columns }: Sizes): Tensor {
  const inOrder = transpose(lines, { perm: [1, 0] });
  const { columns: at } = places as Places;
  const isFirst = at.every((place, c) => place === c);
  if (isFirst) return reshape(inOrder, { shape });
  // The position of each weight of the kernel among the lines.
  const from = new Int32Array(rows * columns);
  (places as Places).rows.forEach((row, i) => {
    at.forEach((column, c) => {
      from[row + column] = i * columns + c;
    });
  });
  const flat = reshape(inOrder, { shape: [rows * columns] });
  return reshape(gather(flat, from, { axis: 0 }), { shape });
}

/** A matrix in files. */
interface MatrixInFile {
  readonly name: 'kernel' | 'embeddings';
  readonly format: 'int8' | 'int4';
  readonly file: Shape;
  readonly places: Places;
  /** Integers of a line of pairs. */
  readonly perLine: number;
  readonly block: number | null;
}

/** Makes the variables of a matrix in few bits, in the order of files. */
function packedMatrix(
  { name, format, file, places, perLine, block }: MatrixInFile,
  scales: { readonly shape: Shape | null; readonly transposed: boolean },
  add: Add,
): { readonly packed: QuantizedTensor; readonly saved: readonly Variable[] } {
  const [channels, length] = [places.columns.length, places.rows.length];
  const groupSize = block === null ? length : Math.min(block, length);
  const groups = groupsPerLine(length, groupSize);
  const form = kernelForm(format, file, places, perLine);
  const words = add.formed(name, [channels, wordsPerLine(format, length)], 'uint32', form);
  const ofGroups = scales.transposed ? [groups, channels] : [channels, groups];
  const { shape = null } = scales;
  const scale =
    block === null
      ? add.plain(`${name}_scale`, shape ?? [channels], 'float32')
      : add.formed(
          `${name}_scale`,
          [channels, groups],
          'float32',
          scalesForm(ofGroups, channels, groups, scales.transposed),
        );
  const layout = { format, channels, length, groupSize };
  if (block === null) {
    const packed = new QuantizedTensor(
      { ...layout, scaling: 'divide' },
      words as never,
      scale as never,
      null,
    );
    return { packed, saved: [words, scale] };
  }
  const zero = add.formed(
    `${name}_zero`,
    [channels, zeroWordsPerLine(groups)],
    'uint32',
    zerosForm(ofGroups, channels, groups, scales.transposed),
  );
  const rows = add.formed('g_idx', [length], 'float32', groupsForm(add.layer, length, block));
  const packed = new QuantizedTensor(
    { ...layout, scaling: 'multiply' },
    words as never,
    scale as never,
    zero as never,
  );
  return { packed, saved: [words, scale, zero, rows] };
}

/** Pairs of 4 bits along the columns; a scale for each column, or a scale and a zero for each group of rows. */
function packedWeights({ block }: Quantization, sizes: Sizes, add: Add): Omit<Weights, 'inputs' | 'packed'> {
  const { rows, columns, kernel: shape } = sizes;
  const kernel = add.plain('kernel', [rows, Math.ceil(columns / 2)], 'int8');
  const integers = () => unpacked(kernel, -1, columns, true);
  if (block === null) {
    const scale = add.plain('kernel_scale', [columns], 'float32');
    return { saved: [kernel, null, scale], kernel: () => reshape(div(integers(), scale), { shape }) };
  }
  const ofGroups = [Math.ceil(rows / block), columns];
  const scale = add.plain('kernel_scale', ofGroups, 'float32');
  const zero = add.plain('kernel_zero', ofGroups, 'int8');
  const groups = add.plain('g_idx', [rows], 'float32');
  return {
    saved: [kernel, null, scale, zero, groups],
    kernel: () => reshape(byGroups(integers(), { scale, zero, groups, axis: 0 }), { shape }),
  };
}

function float8Weights({ history }: Quantization, { kernel: shape }: Sizes, add: Add): Weights {
  const kernel = add.plain('kernel', shape, 'float32');
  const pair = (name: string) =>
    [
      add.plain(`${name}_scale`, [], 'float32'),
      add.plain(`${name}_amax_history`, [history], 'float32'),
    ] as const;
  const [inputs, kernels, gradients] = [pair('inputs'), pair('kernel'), pair('outputs_grad')];
  return {
    saved: [kernel, null, ...inputs, ...kernels, ...gradients],
    kernel: () => throughFloat8(kernel, kernels[0]),
    inputs: (x) => throughFloat8(x, inputs[0]),
    packed: null,
  };
}

/** What the quantized layers have in common. */
interface Quantized {
  quantization: Quantization | null;
  /** The variables of the layer, in the order of files. */
  savedVariables: readonly Variable[];
  /** Element types in files, where they aren't the variables' own. */
  readonly elementTypes: Map<Variable, 'int8' | 'uint8'>;
  /** Weights in another layout than in files. */
  readonly fileForms: Map<Variable, FileForm>;
}

/** Returns what creates the weights of `layer`, all of them frozen. */
function adder(
  layer: Quantized & {
    name: string;
    addFrozen(name: string, shape: Shape, dtype: 'int32' | 'uint32' | 'float32'): Variable;
  },
): Add {
  return {
    layer: layer.name,
    plain: (name, shape, type) => {
      const made = layer.addFrozen(name, shape, type === 'float32' ? type : 'int32');
      if (type !== 'float32') layer.elementTypes.set(made, type);
      return made;
    },
    formed: (name, shape, dtype, form) => {
      // Lines are padded, so that it may have more elements than the file.
      const made = besidesFile(() => layer.addFrozen(name, shape, dtype));
      layer.fileForms.set(made, form);
      return made;
    },
  };
}

/** 0, step, 2 step, …: `count` numbers. */
const upTo = (count: number, step = 1) => Array.from({ length: count }, (_, i) => i * step);

const frozen = { initializer: 'zeros', trainable: false } as const;

export class QuantizedDense extends Dense implements Quantized {
  static override readonly className: string = 'Dense';
  static readonly builtIn = Dense;
  quantization: Quantization | null = null;
  savedVariables: readonly Variable[] = [];
  readonly elementTypes = new Map<Variable, 'int8' | 'uint8'>();
  readonly fileForms = new Map<Variable, FileForm>();

  override build(inputShape: OpenShape): void {
    const { units } = this;
    const rows = inputShape.at(-1) as number;
    const places = { rows: upTo(rows, units), columns: upTo(units) };
    const sizes = { rows, columns: units, kernel: [rows, units], scale: [units], divide: div, places };
    const weights = weightsOf(this.quantization as Quantization, sizes, adder(this));
    states.set(this, { weights, sizes, summed: [], matrix: null });
    if (this.useBias) this.bias = this.addWeight('bias', { shape: [units], initializer: 'zeros' });
    this.savedVariables = weights.saved.flatMap((weight) => weight ?? this.bias ?? []);
    this.buildAdapter();
    this.inputSpec = [{ minRank: 2, axes: { [-1]: rows } }];
  }

  override call(x: Tensor): Tensor {
    const packed = states.get(this)?.weights.packed;
    if (!packed || this.dtypePolicy === 'mixedFloat16') return super.call(x);
    const operand = (part: Tensor) => asOperand(part, this.dtypePolicy);
    const { added, bias } = this;
    const product = quantizedMatMul(this.rounded(operand(x)), packed);
    const y = added ? add(product, lowRank(x, added, operand)) : product;
    return this.activation(bias ? add(y, bias) : y);
  }

  protected override rounded(x: Tensor): Tensor {
    return stateOf(this).weights.inputs(x, [x.rank - 1]);
  }

  protected override base(): Tensor {
    return stateOf(this).weights.kernel();
  }

  protected override get adaptable(): readonly ['kernel', Variable | null] {
    return ['kernel', states.get(this)?.weights.saved[0] ?? null];
  }

  override get adaptableShape(): Shape | null {
    return states.get(this)?.sizes.kernel ?? null;
  }

  override get isMergeable(): boolean {
    return false;
  }

  /** The values of a file: those of the sum of kernel and adapter. */
  async mergedValues(): Promise<FileValues> {
    return this.requantized(await valuesOf(() => this.adapted()));
  }

  /** Values of a kernel as those of the weights. */
  requantized(kernel: Float32Array): FileValues {
    const { weights, sizes } = stateOf(this);
    return requantized(this.quantization as Quantization, sizes, weights.saved, kernel);
  }

  addFrozen(name: string, shape: Shape, dtype: 'int32' | 'uint32' | 'float32'): Variable {
    return this.addWeight(name, { shape, dtype, ...frozen });
  }
}

/** The axes of a kernel as those of a matrix: letters that are summed over, and those of the result. */
interface Matrix {
  readonly summed: string;
  readonly kept: string;
}

/**
 * Null if an axis of the kernel is one of input and output, or if pairs of 4 bits aren't along the axes of the result. A scale for each
 * column has the order of the output, one for pairs that of the kernel.
 */
function matrixOf(
  { input, kernel, output }: { input: string; kernel: string; output: string },
  isPairs: boolean,
): Matrix | null {
  const summed = [...kernel].filter((letter) => !output.includes(letter)).join('');
  const ofKernel = [...kernel].filter((letter) => output.includes(letter)).join('');
  if ([...ofKernel].some((letter) => input.includes(letter))) return null;
  if (isPairs) return kernel === summed + ofKernel ? { summed, kept: ofKernel } : null;
  return { summed, kept: [...output].filter((letter) => kernel.includes(letter)).join('') };
}

/** Where the elements of a kernel are, by their row and their column. */
function placesIn(kernel: string, shape: Shape, { summed, kept }: Matrix): Places {
  const strides = stridesOf(shape);
  const along = (letters: string) =>
    [...letters].reduce<number[]>(
      (found, letter) => {
        const axis = kernel.indexOf(letter);
        const steps = upTo(shape[axis] as number, strides[axis] as number);
        return found.flatMap((at) => steps.map((step) => at + step));
      },
      [0],
    );
  return { rows: along(summed), columns: along(kept) };
}

function arranged(x: Tensor, from: string, to: string): Tensor {
  return from === to ? x : transpose(x, { perm: [...to].map((letter) => from.indexOf(letter)) });
}

export class QuantizedEinsumDense extends EinsumDense implements Quantized {
  static override readonly className: string = 'EinsumDense';
  static readonly builtIn = EinsumDense;
  quantization: Quantization | null = null;
  savedVariables: readonly Variable[] = [];
  readonly elementTypes = new Map<Variable, 'int8' | 'uint8'>();
  readonly fileForms = new Map<Variable, FileForm>();

  override build(inputShape: OpenShape): void {
    const { input, kernel, output, kernelShape, biasShape } = this.axesFor(inputShape);
    const sumOver = (axes: string) => [...axes].flatMap((letter, i) => (output.includes(letter) ? [] : [i]));
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
    const isPairs = this.quantization?.mode === 'int4';
    const matrix = matrixOf({ input, kernel, output }, isPairs);
    const sizes = {
      rows: product(true),
      columns: product(false),
      kernel: kernelShape,
      scale: [...output].map((letter) => (kernel.includes(letter) ? sizeOf(letter) : 1)),
      divide,
      places: matrix && placesIn(kernel, kernelShape, matrix),
    };
    const weights = weightsOf(this.quantization as Quantization, sizes, adder(this));
    states.set(this, { weights, sizes, summed: sumOver(input), matrix });
    if (biasShape) this.bias = this.addWeight('bias', { shape: biasShape, initializer: 'zeros' });
    this.savedVariables = weights.saved.flatMap((weight) => weight ?? this.bias ?? []);
    this.buildAdapter();
    this.inputSpec = [{ rank: inputShape.length }];
  }

  override call(x: Tensor): Tensor {
    const { weights, matrix } = stateOf(this);
    const { packed } = weights;
    if (!packed || !matrix) return super.call(x);
    const { input, output, kernel, kernelShape } = this.axesFor(x.shape);
    const { summed, kept } = matrix;
    const others = [...input].filter((letter) => !summed.includes(letter)).join('');
    const sizes = new Map([...kernel].map((letter, i) => [letter, kernelShape[i] as number]));
    [...input].forEach((letter, i) => {
      sizes.set(letter, x.shape[i] as number);
    });
    const shapeOf = (letters: string) => [...letters].map((letter) => sizes.get(letter) as number);
    const given = arranged(this.rounded(x), input, others + summed);
    const rows = reshape(given, { shape: [...shapeOf(others), packed.length] });
    const product = reshape(quantizedMatMul(rows, packed), { shape: shapeOf(others + kept) });
    const whole = arranged(product, others + kept, output);
    const { added, bias } = this;
    const y = added ? add(whole, lowRankSum(x, added, { input, kernel, output })) : whole;
    return this.activation(bias ? add(y, bias) : y);
  }

  protected override rounded(x: Tensor): Tensor {
    const { weights, summed } = stateOf(this);
    return weights.inputs(x, summed);
  }

  protected override base(): Tensor {
    return stateOf(this).weights.kernel();
  }

  protected override get adaptable(): readonly ['kernel', Variable | null] {
    return ['kernel', states.get(this)?.weights.saved[0] ?? null];
  }

  override get adaptableShape(): Shape | null {
    return states.get(this)?.sizes.kernel ?? null;
  }

  override get isMergeable(): boolean {
    return false;
  }

  /** The values of a file: those of the sum of kernel and adapter. */
  async mergedValues(): Promise<FileValues> {
    return this.requantized(await valuesOf(() => this.adapted()));
  }

  /** Values of a kernel as those of the weights. */
  requantized(kernel: Float32Array): FileValues {
    const { weights, sizes } = stateOf(this);
    return requantized(this.quantization as Quantization, sizes, weights.saved, kernel);
  }

  addFrozen(name: string, shape: Shape, dtype: 'int32' | 'uint32' | 'float32'): Variable {
    return this.addWeight(name, { shape, dtype, ...frozen });
  }
}

export class QuantizedEmbedding extends Embedding implements Quantized {
  static override readonly className: string = 'Embedding';
  static readonly builtIn = Embedding;
  quantization: Quantization | null = null;
  savedVariables: readonly Variable[] = [];
  readonly elementTypes = new Map<Variable, 'int8' | 'uint8'>();
  readonly fileForms = new Map<Variable, FileForm>();

  override build(): void {
    const { inputDim, outputDim } = this;
    const { mode, block } = this.quantization as Quantization;
    const adding = adder(this);
    const isPacked = mode === 'int4';
    const file = [inputDim, isPacked ? Math.ceil(outputDim / 2) : outputDim];
    const blockOfRow = isPacked ? block : null;
    if (readsGroups(outputDim, blockOfRow)) {
      const places = { rows: upTo(outputDim), columns: upTo(inputDim, outputDim) };
      const format = isPacked ? 'int4' : 'int8';
      const { packed, saved } = packedMatrix(
        { name: 'embeddings', format, file, places, perLine: outputDim, block: blockOfRow },
        { shape: null, transposed: false },
        adding,
      );
      packedTables.set(this, packed);
      this.savedVariables = saved;
      this.buildAdapter();
      return;
    }
    const rows = adding.plain('embeddings', file, 'int8');
    const groups = Math.ceil(outputDim / (block as number));
    this.savedVariables = [
      rows,
      adding.plain('embeddings_scale', [inputDim, groups], 'float32'),
      adding.plain('embeddings_zero', [inputDim, groups], 'int8'),
      adding.plain('g_idx', [outputDim], 'float32'),
    ];
    this.buildAdapter();
  }

  protected override get adaptable(): readonly ['embeddings', Variable | null] {
    return ['embeddings', this.savedVariables[0] ?? null];
  }

  override get adaptableShape(): Shape | null {
    return this.savedVariables.length > 0 ? [this.inputDim, this.outputDim] : null;
  }

  override get isMergeable(): boolean {
    return false;
  }

  /** The values of a file: those of the sum of rows and adapter. */
  async mergedValues(): Promise<FileValues> {
    return this.requantized(await valuesOf(() => this.adapted()));
  }

  /** Values of the rows as those of the weights. */
  requantized(values: Float32Array): FileValues {
    const { inputDim, outputDim } = this;
    const { mode, block } = this.quantization as Quantization;
    const lines = { values, lines: inputDim, length: outputDim, isAlongRows: true };
    const saved = this.savedVariables as readonly [Variable, Variable, Variable?, Variable?];
    return quantizedValues(lines, mode === 'int4', block, outputDim, saved);
  }

  protected override base(): Tensor {
    return this.rowsAt(range(0, this.inputDim, { dtype: 'int32' }));
  }

  protected override rowsAt(indices: Tensor): Tensor {
    const table = packedTables.get(this);
    if (table) return quantizedGather(table, indices);
    const [rows, scales, zeros, groups] = this.savedVariables as [Variable, Variable, Variable, Variable];
    const found = (of: Tensor) => gather(of, indices, { axis: 0 });
    const integers = unpacked(found(rows), -1, this.outputDim, true);
    return byGroups(integers, { scale: found(scales), zero: found(zeros), groups, axis: indices.rank });
  }

  addFrozen(name: string, shape: Shape, dtype: 'int32' | 'uint32' | 'float32'): Variable {
    return this.addWeight(name, { shape, dtype, ...frozen });
  }
}

/** The classes that dense, einsum and embedding layers become. */
export const quantizedClasses = /* @__PURE__ */ new Map<unknown, unknown>([
  [Dense, QuantizedDense],
  [EinsumDense, QuantizedEinsumDense],
  [Embedding, QuantizedEmbedding],
]);
