/** @file A dense layer whose kernel is quantized. It isn't trained; an adapter over it is. */
import type { OpenShape, Shape } from '../../../core/shape.ts';
import { add, div } from '../../../ops/elementwise/arithmetic.ts';
import { quantizedMatMul } from '../../../ops/products/quantized.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import type { Variable } from '../../../tensor/variable.ts';
import { lowRank } from '../base/adapterValues.ts';
import { asOperand } from '../base/dtypePolicy.ts';
import { Dense } from '../core/dense.ts';
import type { Quantization } from './quantization.ts';
import { adder, quantized, stateOf, states } from './quantizedLayer.ts';
import { weightsOf } from './quantizedWeights.ts';
import { type FileValues, requantized } from './quantizer.ts';
import { upTo } from './upTo.ts';

export class QuantizedDense extends /* @__PURE__ */ quantized(Dense) {
  static override readonly className: string = 'Dense';

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
    const { added, adaptedBias: bias } = this;
    const product = quantizedMatMul(this.rounded(operand(x)), packed);
    const y = added ? this.sumOf(product, lowRank(x, added, operand), added) : product;
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

  /** Values of a kernel as those of the weights. */
  requantized(kernel: Float32Array): FileValues {
    const { weights, sizes } = stateOf(this);
    return requantized(this.quantization as Quantization, sizes, weights.saved, kernel);
  }
}
