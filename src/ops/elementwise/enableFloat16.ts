/**
 * @file enableFloat16: ops whose kernels read float32 widen float16 operands for the call, and round their results. What a tape keeps is
 * float16, so that activations take half the memory between a forward pass and its gradient, which is float32.
 */
import { rejectExtraArguments } from '../../core/options.ts';
import type { TensorSpec } from '../../core/spec.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import type { OpDefinition } from '../define/define.ts';
import { registerAmbient } from '../define/ambient.ts';
import { outputsOf, type Plan, type Results } from '../define/definition.ts';
import { isFloat16, provideFloat16 } from '../define/float16.ts';
import { cast } from './cast.ts';

/**
 * Makes every op accept float16 tensors from now on. An op whose kernels read float32 widens them for the call. Its float results are
 * float16 if all floats among the operands of an elementwise op are, as in JAX, and otherwise if its first float is: others are
 * parameters. Numbers and arrays of the host don't count. Sums inside an op are float32, and so are gradients. Layers with the policy
 * 'mixedFloat16' call it.
 */
export function enableFloat16(): void;
export function enableFloat16(...extra: unknown[]): void {
  rejectExtraArguments('enableFloat16', extra, []);
  provideFloat16(forms);
}

const forms = { roundsSums: false, formOf, run };

registerAmbient(() => (forms.roundsSums ? ', in mixedFloat16' : ''));

/**
 * Runs `body` as a layer with the policy 'mixedFloat16' if `rounds` is true: ops that read float16 and sum in float32, such as
 * matmul, round their results, within the op, so that a tape keeps float16 of what the gradient of an activation reads; and
 * parameters in float32, such as a bias, don't widen the result of an elementwise op.
 */
export function roundingSums<R>(rounds: boolean, body: () => R): R {
  const { roundsSums } = forms;
  if (rounds === roundsSums) return body();
  forms.roundsSums = rounds;
  try {
    return body();
  } finally {
    forms.roundsSums = roundsSums;
  }
}

const isFloat = (x: unknown) => isFloat16(x) || (x as { dtype?: unknown } | null)?.dtype === 'float32';

/** Whether the first float among `operands` is float16. */
const isNarrow = (operands: readonly unknown[]) => isFloat16(operands.find(isFloat));

function run<R>(operands: readonly unknown[], formula: (wide: readonly unknown[]) => R): R {
  const result = formula(operands.map((x) => (isFloat16(x) ? cast(x as Tensor, 'float32') : x)));
  if (!isNarrow(operands)) return result;
  const rounded = (y: unknown) => ((y as Tensor).dtype === 'float32' ? cast(y as Tensor, 'float16') : y);
  return (Array.isArray(result) ? result.map(rounded) : rounded(result)) as R;
}

/** The forms of ops, with results of float32 and of float16. */
const known = [new WeakMap<OpDefinition, OpDefinition>(), new WeakMap<OpDefinition, OpDefinition>()] as const;

function formOf(op: OpDefinition, operands: readonly unknown[]): OpDefinition {
  const ofElements = () => operands.every((x) => !isFloat(x) || isFloat16(x));
  const byFirst = forms.roundsSums || !(op.elementwise || op.acceptsFloat16);
  const narrows = byFirst ? isNarrow(operands) : op.elementwise === true && ofElements();
  const made = known[narrows ? 1 : 0];
  const form = made.get(op) ?? newForm(op, narrows);
  made.set(op, form);
  return form;
}

/** The plan of a call, and that of the call in float32. */
type Float16Plan = Plan & { readonly wide: Plan };

const wideOf = (plan: Plan) => (plan as Float16Plan).wide;

/** The form of `op` whose float results are float16 if `narrows`. */
function newForm(op: OpDefinition, narrows: boolean): OpDefinition {
  const { backward, formula, readsInputs, readsOutputs, indexTarget, keepsFloat32 = [] } = op;
  const reads = op.acceptsFloat16 || [];
  const isWidened = (x: unknown, i: number) => isFloat16(x) && !(reads === true || reads.includes(i));
  const widened = <T extends Tensor | null | undefined>(x: T, i: number): T =>
    isWidened(x, i) ? (cast(x as Tensor, 'float32') as T) : x;
  // A tensor is the spec of an operand, too.
  const wideSpec = <S extends TensorSpec | null>(spec: S, i: number): S =>
    spec && isWidened(spec, i) ? ({ shape: spec.shape, dtype: 'float32' } as S) : spec;
  const isRounded = ({ dtype }: TensorSpec, i: number) =>
    narrows && dtype === 'float32' && !keepsFloat32.includes(i);
  const rounded = (plan: Plan, results: Results): Results => {
    const wide = outputsOf(wideOf(plan));
    const each = (y: Tensor, i: number) => (isRounded(wide[i] as TensorSpec, i) ? cast(y, 'float16') : y);
    return Array.isArray(results) ? results.map(each) : each(results as Tensor, 0);
  };
  const form: OpDefinition = {
    ...op,
    acceptsFloat16: true,
    infer(inputs, options) {
      const wide = op.infer(inputs.map(wideSpec), options);
      const specs = outputsOf(wide).map((spec, i) =>
        isRounded(spec, i) ? { ...spec, dtype: 'float16' as const } : { ...spec },
      );
      return Object.assign((Array.isArray(wide) ? specs : specs[0]) as Plan, { wide });
    },
    forward: (inputs, plan, call) => rounded(plan, op.forward(inputs.map(widened), wideOf(plan), call)),
    backward:
      backward &&
      ((cotangents, saved) =>
        backward(cotangents, {
          ...saved,
          inputs: saved.inputs.map(widened),
          outputs: saved.outputs.map((y) => (narrows && y && isFloat16(y) ? cast(y, 'float32') : y)),
          inputSpecs: saved.inputSpecs.map(wideSpec),
          outputSpecs: outputsOf(wideOf(saved.plan)),
          plan: wideOf(saved.plan),
        })),
  };
  if (formula)
    form.formula = (inputs, plan, options) =>
      rounded(plan, formula(inputs.map(widened), wideOf(plan), options));
  if (readsInputs) form.readsInputs = (needs, plan) => readsInputs(needs, wideOf(plan));
  if (readsOutputs) form.readsOutputs = (needs, plan) => readsOutputs(needs, wideOf(plan));
  if (indexTarget) form.indexTarget = (inputs, plan) => indexTarget(inputs.map(wideSpec), wideOf(plan));
  return form;
}
