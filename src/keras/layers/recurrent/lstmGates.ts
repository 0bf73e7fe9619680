/** @file The gates of an LSTM, computed by matmuls or convolutions: their step, and the initial values of their bias. */
import { mul } from '../../../ops/elementwise/arithmetic.ts';
import { concat } from '../../../ops/arrangement/concat.ts';
import { ones } from '../../../ops/creation/creation.ts';
import { mulAdd } from '../../../ops/elementwise/mulAdd.ts';
import { split } from '../../../ops/arrangement/split.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import type { Activation } from '../../activations.ts';
import type { Initializer } from '../../initializers/index.ts';

interface GateActivations {
  /** Activation of the candidate and of the output. */
  readonly activation: Activation;
  /** Activation of the gates. */
  readonly recurrentActivation: Activation;
}

/** [output, h, c] after a step, from the sums [..., 4 units] of input, forget, candidate and output gate, and c before it. */
export function lstmStep(sums: Tensor, c: Tensor, gates: GateActivations): readonly Tensor[] {
  const { activation, recurrentActivation } = gates;
  const parts = split(sums, { numOrSizeSplits: 4, axis: -1 });
  const [input, forget, candidate, output] = parts as [Tensor, Tensor, Tensor, Tensor];
  const kept = mul(recurrentActivation(forget), c);
  const carry = mulAdd(recurrentActivation(input), activation(candidate), kept);
  const next = mul(recurrentActivation(output), activation(carry));
  return [next, next, carry];
}

/** `initializer` for all gates but the second, which starts at 1. */
export function forgetting(initializer: Initializer, units: number): Initializer {
  return {
    ...initializer,
    call: (_, dtype) =>
      concat([
        initializer.call([units], dtype),
        ones([units], { dtype }),
        initializer.call([2 * units], dtype),
      ]),
  };
}
