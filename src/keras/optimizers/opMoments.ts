/** @file The base of variants of Adam whose steps are written with ops: two slots, two decays and an epsilon. */
import type { Pieces } from '../../core/pieces.ts';
import { square } from '../../ops/elementwise/unary.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import type { Variable } from '../../tensor/variable.ts';
import { type DynamicTensor, makeSlot, OpStepEngine } from './opStepEngine.ts';
import { Optimizer } from './optimizer.ts';
import type { EngineParts, StepEngine } from './stepEngine.ts';

export abstract class OpMoments extends Optimizer {
  override get readsSlices(): boolean {
    return true;
  }

  /** New values of the variable, its momentum and its velocity. `squared` is the gradient's square, of slices if it is their sum. */
  protected abstract update(
    value: Tensor,
    gradient: Tensor,
    slots: readonly [momentum: Tensor, velocity: Tensor],
    scalar: DynamicTensor,
    squared: Tensor,
  ): Tensor[];

  /** Returns the momentum of a variable before the first step. Default: zeros. */
  protected momentumOf(variable: Variable, name: string): Variable {
    return makeSlot(variable, name);
  }

  protected override makeEngine(parts: EngineParts): Pieces<StepEngine> {
    const rule = {
      makeSlots: (variable: Variable) => [
        this.momentumOf(variable, this.slotName(variable, 'momentum')),
        makeSlot(variable, this.slotName(variable, 'velocity')),
      ],
      update: (
        value: Tensor,
        gradient: Tensor,
        slots: readonly Tensor[],
        scalar: DynamicTensor,
        _variable: Variable,
        squares: Tensor | null,
      ) => this.update(value, gradient, slots as [Tensor, Tensor], scalar, squares ?? square(gradient)),
    };
    return OpStepEngine.create(parts, rule, (variable, state) => this.slotName(variable, state));
  }
}
