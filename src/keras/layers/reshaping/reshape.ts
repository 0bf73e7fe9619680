/** @file Reshape: the values of each sample in another shape. */
import { isListOf } from '../../../core/lists.ts';
import type { DType } from '../../../core/dtype.ts';
import { ShapeError, ValueError } from '../../../core/errors.ts';
import { describe, maxRank, type OpenShape, type Shape, sizeOf } from '../../../core/shape.ts';
import type { OpenSpec } from '../../../core/spec.ts';
import { reshape as reshaped } from '../../../ops/arrangement/reshape.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import { checked, factoryOf, type InputSpec, layer, type LayerOptions } from '../base/declare.ts';

export interface ReshapeOptions extends LayerOptions {
  /** Sizes without the batch; one of them may be -1, to be inferred. */
  targetShape: readonly number[];
}

export class Reshape extends /* @__PURE__ */ layer<ReshapeOptions>('Reshape', () => ({
  targetShape: checked(targetOf),
})) {
  protected override inputSpec: readonly InputSpec[] = [{ minRank: 1 }];

  override computeOutputShape([batch, ...sizes]: OpenShape): OpenShape {
    if (sizes.includes(null)) return [batch ?? null, ...this.targetShape.map((n) => (n === -1 ? null : n))];
    return [batch ?? null, ...this.#shapeOfSample(sizes as number[])];
  }

  protected override outputDType([input]: readonly OpenSpec[]): DType {
    return (input as OpenSpec).dtype;
  }

  override call(x: Tensor): Tensor {
    const [batch, ...sizes] = x.shape as [number, ...number[]];
    return reshaped(x, { shape: [batch, ...this.#shapeOfSample(sizes)] });
  }

  /** Returns the target for samples of `sizes`, with a size instead of -1. */
  #shapeOfSample(sizes: Shape): number[] {
    const { targetShape } = this;
    const [total, known] = [sizeOf(sizes), sizeOf(targetShape.filter((n) => n !== -1))];
    const open = targetShape.includes(-1);
    if (open ? known > 0 && total % known === 0 : total === known) {
      return targetShape.map((n) => (n === -1 ? total / known : n));
    }
    throw new ShapeError({
      op: this.name,
      rule: '`targetShape` has as many values as a sample of the input.',
      received: `samples of shape ${describe(sizes)} for targetShape: ${describe(targetShape)}`,
      hint: 'choose sizes with the same product, or -1 for one of them.',
    });
  }
}

function targetOf(op: string, what: string, sizes: unknown): readonly number[] {
  const isSize = (n: unknown) => Number.isInteger(n) && (n as number) >= -1;
  if (isListOf<number>(sizes, isSize as never, maxRank) && sizes.filter((n) => n === -1).length <= 1)
    return [...sizes];
  throw new ValueError({
    op,
    rule: `\`${what}\` is a list of sizes without the batch, of which one may be -1.`,
    received: `${what}: ${describe(sizes)}`,
    hint: 'pass sizes such as [4, -1].',
  });
}

/**
 * The values of each sample in another shape, of any dtype. Shapes: [batch, …] → [batch, ...targetShape].
 * Errors: ValueError for an invalid shape; ShapeError where the sizes don't fit.
 */
export const reshape = /* @__PURE__ */ factoryOf(Reshape, ['targetShape']);
