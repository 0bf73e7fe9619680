/** @file SimpleRNN: a layer whose output is fed back to it, and its cell, activation(x · kernel + h · recurrentKernel + bias). */
import { cleared, DenseCell, type DenseCellOptions, denseCellTable } from './denseCell.ts';
import { add } from '../../../ops/elementwise/arithmetic.ts';
import { fusedMatMul } from '../../../ops/products/fusedMatMul.ts';
import { matMul } from '../../../ops/products/matMul.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import type { Variable } from '../../../tensor/variable.ts';
import type { Steps } from './cell.ts';
import { factoryOf, type InputSpec, layer } from '../base/declare.ts';
import { byState } from './byState.ts';
import { ownCellRNN } from './ownCellRNN.ts';
import type { RecurrentOptions, RecurrentOutput } from './rnn.ts';

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

export interface SimpleRNNOptions extends SimpleRNNCellOptions, RecurrentOptions {}

export class SimpleRNN<Out extends RecurrentOutput = RecurrentOutput> extends /* @__PURE__ */ ownCellRNN<
  SimpleRNNCellOptions,
  SimpleRNNCell
>('SimpleRNN', {
  type: SimpleRNNCell,
  name: 'simple_rnn_cell',
  table: denseCellTable,
})<Out> {
  protected override inputSpec: readonly InputSpec[] = [{ rank: 3 }];
}

/**
 * A fully connected layer whose output at one time is part of its input at the next (`simpleRNNCell`). Shapes: [batch, time,
 * features] → [batch, units], or [batch, time, units] with `returnSequences`; with `returnState` [output, h]. Weights, under
 * `simple_rnn_cell`: kernel [features, units], recurrent_kernel [units, units], bias [units].
 * Errors: ValueError for invalid options; ShapeError for other inputs, and for states and masks that don't fit.
 */
export const simpleRNN = /* @__PURE__ */ byState<
  SimpleRNNOptions,
  SimpleRNN<Tensor>,
  SimpleRNN<readonly Tensor[]>,
  SimpleRNN,
  ['units', 'activation']
>(SimpleRNN, ['units', 'activation']);
