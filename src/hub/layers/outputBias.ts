/** @file OutputBias: what is added to logits that are products with the vectors of tokens. */
import type { OpenShape } from '../../core/shape.ts';
import { type InputSpec, layer, type LayerOptions } from '../../keras/layers/base/declare.ts';
import { add } from '../../ops/elementwise/arithmetic.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import type { Variable } from '../../tensor/variable.ts';

/** A bias by itself, which adapters of PEFT may train. Shapes: [..., features] → the same. Weight: bias [features]. */
export class OutputBias extends /* @__PURE__ */ layer<LayerOptions>('OutputBias', () => ({})) {
  protected override inputSpec: readonly InputSpec[] = [{ minRank: 1 }];
  bias: Variable | null = null;

  override build(inputShape: OpenShape): void {
    this.bias = this.addWeight('bias', { shape: [inputShape.at(-1) as number], initializer: 'zeros' });
  }

  override call(x: Tensor): Tensor {
    return add(x, this.bias as Variable);
  }
}
