/** @file SimpleRNNCell: activation(x · kernel + h · recurrentKernel + bias). */
import { cleared, DenseCell, type DenseCellOptions, denseCellTable } from './denseCell.ts';
import { add } from '../../../ops/elementwise/arithmetic.ts';
import { fusedMatMul } from '../../../ops/products/fusedMatMul.ts';
import { matMul } from '../../../ops/products/matMul.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import type { Variable } from '../../../tensor/variable.ts';
import type { Steps } from './cell.ts';
import { factoryOf, layer } from '../base/declare.ts';

export type SimpleRNNCellOptions = DenseCellOptions;

export class SimpleRNNCell extends /* @__PURE__ */ layer<SimpleRNNCellOptions, DenseCell>(
  'SimpleRNNCell',
  denseCellTable,
  DenseCell,
) {
  protected readonly gates: number = 1;

  protected override projected(x: Tensor): Tensor {
    return fusedMatMul(x, this.kernel as Variable, this.bias);
  }

  protected override stepsWith({ state }: { state: Tensor | null }): Omit<Steps, 'project'> {
    return {
      take: (projected, [h]) => {
        const recurrent = matMul(cleared(h as Tensor, state), this.recurrentKernel as Variable);
        const output = this.activation(add(projected, recurrent));
        return [output, output];
      },
    };
  }
}

/**
 * The cell of a SimpleRNN, from [x, h] to [output, h], where the output is h: activation(x · kernel + h · recurrentKernel +
 * bias). Shapes: x [batch, features], h [batch, units]. Weights: kernel [features, units], recurrent_kernel [units, units],
 * bias [units]. Errors: ValueError for invalid options; ShapeError for other inputs.
 */
export const simpleRNNCell = /* @__PURE__ */ factoryOf(SimpleRNNCell, ['units', 'activation']);
