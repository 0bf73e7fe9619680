/**
 * @file defineComposite: an op that is a formula of other ops. Tapes, graphs and histories see the other ops, so it needs
 * neither a gradient nor a kernel, and works wherever they do.
 */
import type { OptionNames } from '../../core/options.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { tidy } from '../../tensor/scope.ts';
import { inComposite } from './call.ts';
import { inputsOf, type OpCall, splitArguments } from './define.ts';
import type { InputNames, OpDefinition, Operands, Results } from './definition.ts';
import { inFloat32 } from './float16.ts';
import { type InputSlot, toTensors } from './operands.ts';
import { isAbstract, symbolicGraph } from './recorders.ts';

/** Typed as a method, so that one definition fits where any is taken. */
type Formula<I extends readonly unknown[], O, R> = {
  method(inputs: Operands<I, Tensor>, options: O): R;
}['method'];

export interface CompositeDefinition<
  I extends readonly unknown[] = readonly unknown[],
  O extends object = object,
  R extends Results = Results,
  P extends readonly string[] = readonly string[],
> {
  readonly name: string;
  /** As for an OpDefinition: `name`, `name:dtype`, `name?`, or one `...name` for a list. */
  readonly inputs: NoInfer<InputNames<I>>;
  readonly options?: OptionNames<NoInfer<O>, NoInfer<P>[number]>;
  /** False if the formula asks for float32: float16 operands are widened for it, and its results rounded. */
  readonly acceptsFloat16?: false;
  /** Null if the result has no gradient. */
  readonly backward?: null;
  /** The formula. Its inputs are tensors, symbolic ones included; host values have become tensors. */
  readonly compose: Formula<I, O, R>;
}

/** The public signature of a composite op: like any other op. */
export interface CompositeOp<
  I extends readonly unknown[],
  O extends object = object,
  R extends Results = Tensor,
  P extends readonly string[] = [],
> extends OpCall<I, O, R, P> {
  readonly definition: CompositeDefinition<I, O, R, P>;
}

/* @__NO_SIDE_EFFECTS__ */
export function defineComposite<
  I extends readonly unknown[],
  O extends object = object,
  R extends Results = Tensor,
  const P extends readonly string[] = [],
>(definition: CompositeDefinition<I, O, R, P>): CompositeOp<I, O, R, P> {
  const { name, options: names = {}, acceptsFloat16: accepts = true } = definition;
  const { slots, variadic } = inputsOf(definition as { inputs: readonly string[] });
  const op = (...args: unknown[]): R => {
    const { operands, options } = splitArguments({ name, options: names }, slots, variadic, args);
    const expand = (given: readonly unknown[]): R =>
      tidy(() => {
        const tensors = tensorsOf(name, slots, given);
        // Their types match `inputs`, position by position.
        const formula = (wide: readonly unknown[]) => definition.compose(wide as never, options as O);
        return inComposite(name, () => (accepts ? formula(tensors) : inFloat32(name, tensors, formula)));
      });
    const target = operands.find(isAbstract)?.[symbolicGraph];
    if (!target?.callComposite) return expand(operands);
    return target.callComposite(definition as unknown as OpDefinition, operands, options, expand) as R;
  };
  return Object.assign(op, { definition }) as unknown as CompositeOp<I, O, R, P>;
}

/** Operands as tensors. Symbolic ones are unchanged: the ops of the formula send them to their graph. */
function tensorsOf(
  op: string,
  slots: readonly InputSlot[],
  operands: readonly unknown[],
): readonly unknown[] {
  if (!operands.some(isAbstract)) return toTensors(op, slots, operands);
  return operands.map((operand, i) => {
    if (isAbstract(operand)) return operand;
    return toTensors(op, [(slots[i] ?? slots.at(-1)) as InputSlot], [operand])[0];
  });
}
