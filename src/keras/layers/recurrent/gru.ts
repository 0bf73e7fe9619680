/** @file GRU: a state that gates mix with a candidate; its cell, and the layer over a sequence. */
import { cleared, DenseCell, type GatedCellOptions, gatedCellTable, oneStep, onlyStep } from './denseCell.ts';
import { add, mul, sub } from '../../../ops/elementwise/arithmetic.ts';
import { fusedMatMul } from '../../../ops/products/fusedMatMul.ts';
import { gruSteps } from '../../../ops/recurrent/gruSteps.ts';
import { matMul } from '../../../ops/products/matMul.ts';
import { mulAdd } from '../../../ops/elementwise/mulAdd.ts';
import { split } from '../../../ops/arrangement/split.ts';
import { unstack } from '../../../ops/arrangement/unstack.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import type { Variable } from '../../../tensor/variable.ts';
import { activationOf } from '../../activations.ts';
import type { Steps } from './cell.ts';
import type { BiasSpec } from './recurrentCell.ts';
import { factoryOf, flag, type InputSpec, layer } from '../base/declare.ts';
import { byState } from './byState.ts';
import { ownCellRNN } from './ownCellRNN.ts';
import type { RecurrentOptions, RecurrentOutput } from './rnn.ts';

export interface GRUCellOptions extends GatedCellOptions {
  /**
   * Whether the reset gate acts on the product of state and recurrent kernel (with its own bias), or on the state before it.
   * Default true.
   */
  resetAfter?: boolean;
}

/** The table of these options. */
const gruCellTable = () => ({ ...gatedCellTable(), resetAfter: flag(true) });

export class GRUCell extends /* @__PURE__ */ layer<GRUCellOptions, DenseCell>(
  'GRUCell',
  gruCellTable,
  DenseCell,
) {
  /** Update, reset, candidate. */
  protected readonly gates: number = 3;

  protected override biasOf(): BiasSpec {
    const { shape, initializer } = super.biasOf();
    return { shape: this.resetAfter ? [2, ...shape] : shape, initializer };
  }

  /** Returns the bias of the inputs, and that of the state. */
  #biases(): readonly [Tensor | null, Tensor | null] {
    if (!this.bias || !this.resetAfter) return [this.bias, null];
    return unstack(this.bias) as [Tensor, Tensor];
  }

  protected override projected(x: Tensor): Tensor {
    return fusedMatMul(x, this.kernel as Variable, this.#biases()[0]);
  }

  protected override stepsWith({ state }: { state: Tensor | null }): Omit<Steps, 'project'> {
    return this.resetAfter ? this.#resettingAfter(state) : this.#resettingBefore(state);
  }

  #resettingAfter(state: Tensor | null): Omit<Steps, 'project'> {
    const { activation, recurrentActivation } = this;
    const [, bias] = this.#biases();
    const isUsual = activation === activationOf('tanh') && recurrentActivation === activationOf('sigmoid');
    if (isUsual && !state) return this.#fused(bias);
    return {
      take: (projected, [h]) => {
        const recurrent = fusedMatMul(cleared(h as Tensor, state), this.recurrentKernel as Variable, bias);
        const [ofInput, candidateOfInput] = this.#parts(projected);
        const [ofState, candidateOfState] = this.#parts(recurrent);
        const [update, reset] = this.#gates(add(ofInput, ofState));
        return mixed(h as Tensor, activation(mulAdd(reset, candidateOfState, candidateOfInput)), update);
      },
    };
  }

  /** One op for a whole step, and one for all steps. */
  #fused(bias: Tensor | null): Omit<Steps, 'project'> {
    const recurrentKernel = this.recurrentKernel as Variable;
    return {
      take: (projected, [h]) => {
        const [hs] = gruSteps(oneStep(projected), recurrentKernel, bias, h as Tensor, null);
        const next = onlyStep(hs as Tensor);
        return [next, next];
      },
      takeAll: (projected, states, mask) => {
        const [hs] = gruSteps(projected, recurrentKernel, bias, states?.[0] ?? null, mask);
        return [hs, hs];
      },
    };
  }

  #resettingBefore(state: Tensor | null): Omit<Steps, 'project'> {
    const { activation } = this;
    const [gateKernel, candidateKernel] = this.#parts(this.recurrentKernel as Variable);
    return {
      take: (projected, [h]) => {
        const before = cleared(h as Tensor, state);
        const [gates, candidate] = this.#parts(projected);
        const [update, reset] = this.#gates(add(gates, matMul(before, gateKernel)));
        const recurrent = matMul(mul(reset, before), candidateKernel);
        return mixed(h as Tensor, activation(add(candidate, recurrent)), update);
      },
    };
  }

  /** Returns the columns of both gates, and those of the candidate. */
  #parts(x: Tensor): readonly [Tensor, Tensor] {
    const { units } = this;
    return split(x, { numOrSizeSplits: [2 * units, units], axis: -1 }) as [Tensor, Tensor];
  }

  /** Returns both gates. Each has its own activation, which may be a softmax over its units. */
  #gates(sums: Tensor): readonly [Tensor, Tensor] {
    const [update, reset] = split(sums, { numOrSizeSplits: 2, axis: -1 }) as [Tensor, Tensor];
    return [this.recurrentActivation(update), this.recurrentActivation(reset)];
  }
}

/** update · h + (1 - update) · candidate, as output and as state. */
function mixed(h: Tensor, candidate: Tensor, update: Tensor): readonly Tensor[] {
  const next = mulAdd(update, sub(h, candidate), candidate);
  return [next, next];
}

/**
 * The cell of a GRU, from [x, h] to [output, h], where the output is h. With the gates z, r (recurrentActivation) and the
 * candidate g (activation), in the order z, r, g: h' = z h + (1 - z) g. `resetAfter` lets r act on h · recurrentKernel + its
 * bias in g, as cuDNN does; otherwise on h before the product.
 * Shapes: x [batch, features], h [batch, units]. Weights: kernel [features, 3 units], recurrent_kernel [units, 3 units], bias
 * [2, 3 units] (of the inputs, of the state), or [3 units] without `resetAfter`.
 * Source: Cho et al., Learning phrase representations using RNN encoder-decoder, EMNLP 2014.
 * Errors: ValueError for invalid options; ShapeError for other inputs.
 */
export const gruCell = /* @__PURE__ */ factoryOf(GRUCell, ['units', 'activation']);

export interface GRUOptions extends GRUCellOptions, RecurrentOptions {}

export class GRU<Out extends RecurrentOutput = RecurrentOutput> extends /* @__PURE__ */ ownCellRNN<
  GRUCellOptions,
  GRUCell
>('GRU', {
  type: GRUCell,
  name: 'gru_cell',
  table: gruCellTable,
})<Out> {
  protected override inputSpec: readonly InputSpec[] = [{ rank: 3 }];
}

/**
 * A GRU (`gruCell`) over a sequence. Shapes: [batch, time, features] → [batch, units], or [batch, time, units] with
 * `returnSequences`; with `returnState` [output, h]. Weights, under `gru_cell`: kernel [features, 3 units], recurrent_kernel
 * [units, 3 units], bias [2, 3 units], or [3 units] without `resetAfter`, for the gates z, r and the candidate.
 *
 * With tanh, sigmoid, `resetAfter` and no recurrent dropout, all steps run as one op, and so does the gradient.
 * Errors: ValueError for invalid options; ShapeError for other inputs, and for states and masks that don't fit.
 */
export const gru = /* @__PURE__ */ byState<
  GRUOptions,
  GRU<Tensor>,
  GRU<readonly Tensor[]>,
  GRU,
  ['units', 'activation']
>(GRU, ['units', 'activation']);
