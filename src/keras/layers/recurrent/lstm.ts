/** @file LSTM: a state that gates write to, forget and read; its cell, and the layer over a sequence. */
import { cleared, DenseCell, type GatedCellOptions, gatedCellTable, oneStep, onlyStep } from './denseCell.ts';
import { add } from '../../../ops/elementwise/arithmetic.ts';
import { fusedMatMul } from '../../../ops/products/fusedMatMul.ts';
import { lstmSteps } from '../../../ops/recurrent/lstmSteps.ts';
import { matMul } from '../../../ops/products/matMul.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import type { Variable } from '../../../tensor/variable.ts';
import { activationOf } from '../../activations.ts';
import type { Steps } from './cell.ts';
import { forgetting, lstmStep } from './lstmGates.ts';
import type { BiasSpec } from './recurrentCell.ts';
import { factoryOf, flag, type InputSpec, layer } from '../base/declare.ts';
import { byState } from './byState.ts';
import { ownCellRNN } from './ownCellRNN.ts';
import type { RecurrentOptions, RecurrentOutput } from './rnn.ts';

export interface LSTMCellOptions extends GatedCellOptions {
  /** Whether the bias of the forget gate starts at 1, so that much is remembered at first. Default true. */
  unitForgetBias?: boolean;
}

/** The table of these options. */
const lstmCellTable = () => ({ ...gatedCellTable(), unitForgetBias: flag(true) });

export class LSTMCell extends /* @__PURE__ */ layer<LSTMCellOptions, DenseCell>(
  'LSTMCell',
  lstmCellTable,
  DenseCell,
) {
  /** Input, forget, candidate, output. */
  protected readonly gates: number = 4;

  override get stateSize(): readonly number[] {
    return [this.units, this.units];
  }

  protected override biasOf(): BiasSpec {
    const { shape, initializer } = super.biasOf();
    return { shape, initializer: this.unitForgetBias ? forgetting(initializer, this.units) : initializer };
  }

  protected override projected(x: Tensor): Tensor {
    return fusedMatMul(x, this.kernel as Variable, this.bias);
  }

  protected override stepsWith({ state }: { state: Tensor | null }): Omit<Steps, 'project'> {
    const { activation, recurrentActivation } = this;
    const isUsual = activation === activationOf('tanh') && recurrentActivation === activationOf('sigmoid');
    if (isUsual) return this.#fused(state);
    return {
      take: (projected, [h, c]) => {
        const recurrent = matMul(cleared(h as Tensor, state), this.recurrentKernel as Variable);
        return lstmStep(add(projected, recurrent), c as Tensor, this);
      },
    };
  }

  /** One op for a whole step, and one for all steps if no dropout clears the state between them. */
  #fused(state: Tensor | null): Omit<Steps, 'project'> {
    const recurrentKernel = this.recurrentKernel as Variable;
    const take: Steps['take'] = (projected, [h, c]) => {
      const before = cleared(h as Tensor, state);
      const [hs, cs] = lstmSteps(oneStep(projected), recurrentKernel, before, c as Tensor, null);
      const [next, carry] = [onlyStep(hs as Tensor), onlyStep(cs as Tensor)];
      return [next, next, carry];
    };
    if (state) return { take };
    return {
      take,
      takeAll: (projected, states, mask) => {
        const [h = null, c = null] = states ?? [];
        const [hs, cs] = lstmSteps(projected, recurrentKernel, h, c, mask);
        return [hs, hs, cs];
      },
    };
  }
}

/**
 * The cell of an LSTM, from [x, h, c] to [output, h, c], where the output is h. With the gates i, f, o (recurrentActivation) and
 * the candidate g (activation) of x · kernel + h · recurrentKernel + bias, in the order i, f, g, o: c' = f c + i g, h' = o
 * activation(c'). Shapes: x [batch, features], h and c [batch, units]. Weights: kernel [features, 4 units],
 * recurrent_kernel [units, 4 units], bias [4 units].
 * Source: Hochreiter and Schmidhuber, Long short-term memory, 1997; with the forget gate of Gers et al., 2000.
 * Errors: ValueError for invalid options; ShapeError for other inputs.
 */
export const lstmCell = /* @__PURE__ */ factoryOf(LSTMCell, ['units', 'activation']);

export interface LSTMOptions extends LSTMCellOptions, RecurrentOptions {}

export class LSTM<Out extends RecurrentOutput = RecurrentOutput> extends /* @__PURE__ */ ownCellRNN<
  LSTMCellOptions,
  LSTMCell
>('LSTM', {
  type: LSTMCell,
  name: 'lstm_cell',
  table: lstmCellTable,
})<Out> {
  protected override inputSpec: readonly InputSpec[] = [{ rank: 3 }];
}

/**
 * An LSTM (`lstmCell`) over a sequence. Shapes: [batch, time, features] → [batch, units], or [batch, time, units] with
 * `returnSequences`; with `returnState` [output, h, c]. Weights, under `lstm_cell`: kernel [features, 4 units], recurrent_kernel
 * [units, 4 units], bias [4 units], for the gates i, f, candidate and o.
 *
 * With tanh, sigmoid and no recurrent dropout, all steps run as one op, and so does the gradient.
 * Errors: ValueError for invalid options; ShapeError for other inputs, and for states and masks that don't fit.
 */
export const lstm = /* @__PURE__ */ byState<
  LSTMOptions,
  LSTM<Tensor>,
  LSTM<readonly Tensor[]>,
  LSTM,
  ['units', 'activation']
>(LSTM, ['units', 'activation']);
