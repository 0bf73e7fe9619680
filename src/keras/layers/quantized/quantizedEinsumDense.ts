/** @file An einsum layer whose kernel is quantized. It isn't trained; an adapter over it is. */
import { type OpenShape, type Shape, stridesOf } from '../../../core/shape.ts';
import { add, div } from '../../../ops/elementwise/arithmetic.ts';
import { quantizedMatMul } from '../../../ops/products/quantized.ts';
import { reshape } from '../../../ops/arrangement/reshape.ts';
import { transpose } from '../../../ops/arrangement/transpose.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import type { Variable } from '../../../tensor/variable.ts';
import { EinsumDense, lowRankSum } from '../core/einsumDense.ts';
import type { Places } from './fileForm.ts';
import type { Quantization } from './quantization.ts';
import { adder, type Matrix, quantized, stateOf, states } from './quantizedLayer.ts';
import { weightsOf } from './quantizedWeights.ts';
import { type FileValues, requantized } from './quantizer.ts';
import { upTo } from './upTo.ts';

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

export class QuantizedEinsumDense extends /* @__PURE__ */ quantized(EinsumDense) {
  static override readonly className: string = 'EinsumDense';

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
    const { added, adaptedBias: bias } = this;
    const y = added ? this.sumOf(whole, lowRankSum(x, added, { input, kernel, output }), added) : whole;
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

  /** Values of a kernel as those of the weights. */
  requantized(kernel: Float32Array): FileValues {
    const { weights, sizes } = stateOf(this);
    return requantized(this.quantization as Quantization, sizes, weights.saved, kernel);
  }
}
