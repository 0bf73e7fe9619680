/** @file EinsumDense: a dense layer over any axes, named by letters. */
import { AdaptedLayer, type AdapterOptions, adapterTable, type LoraOptions } from '../base/adapter.ts';
import type { Adapter } from '../base/adapterValues.ts';
import type { BiasOptions, KernelOptions } from '../base/weightOptions.ts';
import { ShapeError, ValueError } from '../../../core/errors.ts';
import { describe, type OpenShape } from '../../../core/shape.ts';
import { add, mul } from '../../../ops/elementwise/arithmetic.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import type { Variable } from '../../../tensor/variable.ts';
import type { ActivationLike } from '../../activations.ts';
import { einsum } from '../../einsum.ts';
import { activation, factoryOf, layer, type LayerOptions, weights } from '../base/declare.ts';

export interface EinsumDenseOptions
  extends LayerOptions,
    KernelOptions,
    Omit<BiasOptions, 'useBias'>,
    AdapterOptions {
  /** Axes of the input, of the kernel and of the output, such as 'abc,cd->abd', or '...c,cd->...d'. */
  equation: string;
  /** Sizes of the output, without the batch and the axes of an ellipsis; null for sizes taken from the input. */
  outputShape: number | readonly (number | null)[];
  /** Applied to the result: a name or a function. Default: none. */
  activation?: ActivationLike | null;
  /** Letters of the output that a bias has. Default: no bias. */
  biasAxes?: string | null;
}

/** Letters for the axes of an ellipsis. Equations use other letters. */
const elided = '012345';

/** A parsed equation. `ellipsis` is the position of the ellipsis. */
interface Equation {
  input: string;
  kernel: string;
  output: string;
  ellipsis: 'first' | 'last' | null;
}

/** An equation with the sizes of its axes. */
interface Plan {
  input: string;
  output: string;
  kernelShape: number[];
  biasShape: number[] | null;
  outputShape: OpenShape;
}

export class EinsumDense extends /* @__PURE__ */ layer<EinsumDenseOptions, AdaptedLayer>(
  'EinsumDense',
  () => ({
    equation: { read: (given) => given as string },
    outputShape: { read: (given) => [given].flat() as (number | null)[] },
    activation: activation(),
    biasAxes: { read: (given = null) => given as string | null },
    ...weights({ kernel: 'glorotUniform', bias: 'zeros' }),
    ...adapterTable(),
  }),
  AdaptedLayer,
) {
  kernel: Variable | null = null;
  bias: Variable | null = null;
  readonly #axes: Equation;

  constructor(options: EinsumDenseOptions) {
    super(options);
    this.#axes = this.#parse(this.equation);
    this.#checkOutputShape(options.outputShape);
    this.#checkBiasAxes();
  }

  override build(inputShape: OpenShape): void {
    const { kernelShape, biasShape } = this.#plan(inputShape);
    this.kernel = this.addWeight('kernel', { shape: kernelShape, ...this.weightRules('kernel') });
    if (biasShape) this.bias = this.addWeight('bias', { shape: biasShape, ...this.weightRules('bias') });
    this.buildAdapter();
    this.inputSpec = [{ rank: inputShape.length }];
  }

  protected override get adaptable(): readonly ['kernel', Variable | null] {
    return ['kernel', this.kernel];
  }

  override call(x: Tensor): Tensor {
    const { input, output } = this.#plan(x.shape);
    const { adaptedBias: bias, activation } = this;
    const { kernel } = this.#axes;
    const product = einsum({ a: input, b: kernel, result: output }, this.rounded(x), this.base());
    const { added } = this;
    const y = added ? this.sumOf(product, lowRankSum(x, added, { input, kernel, output }), added) : product;
    return activation(bias ? add(y, bias) : y);
  }

  /** Errors: ValueError for `dora` and `loraBias` where an output, or a bias, has other axes than the columns of the kernel. */
  override enableLora(rank: number, options: LoraOptions = {}, ...extra: never[]): void {
    const { kernel, output } = this.#axes;
    const columns = kernel.slice(this.inputAxes);
    const isOfColumns = output.endsWith(columns);
    const isBiased = isOfColumns && (!this.bias || this.bias.rank === columns.length);
    if ((options?.dora && !isOfColumns) || (options?.loraBias && !isBiased)) throw this.#notColumns();
    super.enableLora(rank, options, ...extra);
  }

  protected override get inputAxes(): number {
    const { kernel, output } = this.#axes;
    const summed = [...kernel].filter((letter) => !output.includes(letter)).join('');
    return kernel.startsWith(summed) && summed !== '' && summed !== kernel ? summed.length : super.inputAxes;
  }

  #notColumns(): ValueError {
    return new ValueError({
      op: `${this.name}.enableLora`,
      rule: '`dora` and `loraBias` are for kernels whose outputs are the last axes of the result, and those of the bias.',
      received: `equation: '${this.equation}'`,
      hint: 'leave them out, or write the output with these axes last.',
    });
  }

  /** The axes of an input of that shape, of the kernel and of the output, and the shapes of the weights. */
  protected axesFor(inputShape: OpenShape): {
    readonly input: string;
    readonly kernel: string;
    readonly output: string;
    readonly kernelShape: readonly number[];
    readonly biasShape: readonly number[] | null;
  } {
    return { ...this.#plan(inputShape), kernel: this.#axes.kernel };
  }

  override computeOutputShape(inputShape: OpenShape): OpenShape {
    return this.#plan(inputShape).outputShape;
  }

  #plan(inputShape: OpenShape): Plan {
    const { input, kernel, output, ellipsis } = this.#axes;
    const count = inputShape.length - input.length;
    if (count < 0 || (count > 0 && !ellipsis)) {
      throw this.#unfit(
        inputShape,
        `the input of '${this.equation}' has ${ellipsis ? 'at least ' : ''}${input.length} axes.`,
      );
    }
    const rest = elided.slice(0, count);
    const around = (axes: string) => (ellipsis === 'first' ? rest + axes : axes + rest);
    const inputAxes = around(input);
    const sizes = new Map([...inputAxes].map((letter, i) => [letter, inputShape[i] ?? null]));
    const outputAxes = around(output);
    // The batch size comes from the input, the rest from `outputShape`.
    const named = ellipsis === 'first' ? output : output.slice(1);
    [...named].forEach((letter, i) => {
      const size = this.#sizes[i] ?? null;
      const known = sizes.get(letter) ?? null;
      if (size !== null && known !== null && size !== known) {
        throw this.#unfit(
          inputShape,
          `axis '${letter}' of '${this.equation}' has the size of outputShape, ${size}.`,
        );
      }
      sizes.set(letter, size ?? known);
    });
    const known = (letter: string) => {
      const size = sizes.get(letter) ?? null;
      if (size !== null) return size;
      throw this.#unfit(
        inputShape,
        `the size of axis '${letter}' of '${this.equation}' is known: a weight has it.`,
      );
    };
    const bias = this.biasAxes;
    const biased = bias
      ? outputAxes.slice(Math.min(...[...bias].map((letter) => outputAxes.indexOf(letter))))
      : '';
    return {
      input: inputAxes,
      output: outputAxes,
      kernelShape: [...kernel].map(known),
      biasShape: bias ? [...biased].map((letter) => (bias.includes(letter) ? known(letter) : 1)) : null,
      outputShape: [...outputAxes].map((letter) => sizes.get(letter) ?? null),
    };
  }

  get #sizes(): readonly (number | null)[] {
    return this.outputShape as readonly (number | null)[];
  }

  #parse(equation: unknown): Equation {
    const pattern = /^(\.\.\.)?([a-zA-Z]+)(\.\.\.)?,([a-zA-Z]+)->(\.\.\.)?([a-zA-Z]+)(\.\.\.)?$/;
    const parts = typeof equation === 'string' ? pattern.exec(equation.replaceAll(' ', '')) : null;
    const [, first, input, last, kernel, firstOut, output, lastOut] = parts ?? [];
    const ellipsis = first ? 'first' : last ? 'last' : null;
    const ellipsisOut = firstOut ? 'first' : lastOut ? 'last' : null;
    const twice = [input, kernel, output].some((axes) => new Set(axes).size !== axes?.length);
    if (parts && ellipsis === ellipsisOut && !(first && last) && !(firstOut && lastOut) && !twice)
      return { input: input as string, kernel: kernel as string, output: output as string, ellipsis };
    throw new ValueError({
      op: this.name,
      rule: "`equation` names the axes of input, kernel and output, each once: 'ab,bc->ac', '...b,bc->...c' or 'ab...,bc->ac...'.",
      received: `equation: ${describe(equation)}`,
      hint: "write a dense layer over the last axis as '...b,bc->...c'.",
    });
  }

  #checkOutputShape(given: unknown): void {
    const { output, ellipsis } = this.#axes;
    const count = output.length - (ellipsis === 'first' ? 0 : 1);
    const sizes = this.#sizes;
    if (sizes.length === count && sizes.every((n) => n === null || (Number.isInteger(n) && n > 0))) return;
    throw new ValueError({
      op: this.name,
      rule: `\`outputShape\` of '${this.equation}' has ${count} sizes, without the batch and the axes of an ellipsis; null for sizes taken from the input.`,
      received: `outputShape: ${describe(given)}`,
      hint: "pass [null, 8] for 'abc,cd->abd', or 8 for '...c,cd->...d'.",
    });
  }

  #checkBiasAxes(): void {
    const { biasAxes } = this;
    const { output } = this.#axes;
    if (biasAxes === null) return;
    if (
      typeof biasAxes === 'string' &&
      biasAxes !== '' &&
      [...biasAxes].every((letter) => output.includes(letter))
    )
      return;
    throw new ValueError({
      op: this.name,
      rule: `\`biasAxes\` are letters of the output, '${output}'.`,
      received: `biasAxes: ${describe(biasAxes)}`,
      hint: `pass '${output.at(-1)}', or leave it out for no bias.`,
    });
  }

  #unfit(inputShape: OpenShape, rule: string): ShapeError {
    return new ShapeError({
      op: this.name,
      rule,
      received: describe(inputShape),
      hint: 'reshape the input, or write another equation.',
    });
  }
}

/** Letter of the axis of an adapter's rank, which no equation has. */
const rankLetter = '6';

/** x, summed over the axes of both matrices of an adapter, one after the other. */
export function lowRankSum(
  x: Tensor,
  { a, b, scale }: Adapter,
  { input, kernel, output }: { input: string; kernel: string; output: string },
): Tensor {
  const first = kernel.slice(0, a.rank - 1);
  const isKept = (letter: string) => output.includes(letter);
  const between =
    [...input].filter((letter) => isKept(letter) || !first.includes(letter)).join('') +
    [...first].filter((letter) => isKept(letter) && !input.includes(letter)).join('') +
    rankLetter;
  const low = einsum({ a: input, b: first + rankLetter, result: between }, x, a);
  const second = rankLetter + kernel.slice(first.length);
  return einsum({ a: between, b: second, result: output }, mul(low, scale), b);
}

/**
 * A dense layer over any axes: the product of input and kernel by `equation`, plus a bias, activated. Weights: kernel, with the
 * sizes of its letters; bias, with those of `biasAxes`, and 1 for letters between and after them.
 * Errors: ValueError for invalid options; ShapeError where the input doesn't fit.
 */
export const einsumDense = /* @__PURE__ */ factoryOf(EinsumDense, [
  'equation',
  'outputShape',
  'activation',
  'biasAxes',
]);
