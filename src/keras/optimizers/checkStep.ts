/** @file Checks of the variables and gradients of an optimizer step. */
import { DeviceError, DTypeError, ShapeError, ValueError } from '../../core/errors.ts';
import { isFloating } from '../../core/dtype.ts';
import { describe, sameShape } from '../../core/shape.ts';
import { formatSpec } from '../../core/spec.ts';
import { warnOnce } from '../../core/warn.ts';
import { cast } from '../../ops/elementwise/cast.ts';
import { Tensor } from '../../tensor/tensor.ts';
import { Variable } from '../../tensor/variable.ts';

/** `gradients` as steps read them: as in Keras, those of float16 are widened. */
export function widened(gradients: ReadonlyMap<Variable, Tensor>): ReadonlyMap<Variable, Tensor> {
  const all = [...gradients];
  if (!all.some(([, { dtype }]) => dtype === 'float16')) return gradients;
  return new Map(all.map(([variable, gradient]) => [variable, cast(gradient, 'float32')]));
}

/** The gradients that are not null, by variable. */
export function checkStep(
  op: string,
  gradients: readonly (Tensor | null)[],
  variables: readonly Variable[],
): Map<Variable, Tensor> {
  if (Array.isArray(gradients) && Array.isArray(gradients[0])) {
    throw new ValueError({
      op,
      rule: 'gradients and variables come in two lists, not in pairs.',
      received: describe(gradients),
      hint: 'call optimizer.apply(gradients, variables).',
    });
  }
  const lists = Array.isArray(gradients) && Array.isArray(variables);
  const missing = lists ? gradients.filter((gradient) => gradient === null).length : 0;
  if (!lists || gradients.length !== variables.length || missing === gradients.length) {
    throw new ValueError({
      op,
      rule: 'there is a gradient for each variable, and at least one that is not null.',
      received: lists
        ? `${gradients.length} gradients, ${missing} of them null, for ${variables.length} variables`
        : `gradients: ${describe(gradients)}, variables: ${describe(variables)}`,
      hint: 'tape.explain(loss, variable) says why a gradient is null.',
    });
  }
  checkVariables(op, variables);
  const known = new Map<Variable, Tensor>();
  variables.forEach((variable, i) => {
    const gradient = gradients[i] as Tensor | null;
    if (gradient === null) return;
    checkGradient(op, gradient, variable);
    known.set(variable, gradient);
  });
  if (missing > 0) warnOfUntrained(op, variables, known);
  return known;
}

/** Variables that were named in a warning. */
const named = new WeakSet<Variable>();

/** Warns as Keras does: a variable whose gradient is null keeps its value, which metrics don't reveal. */
function warnOfUntrained(
  op: string,
  variables: readonly Variable[],
  known: ReadonlyMap<Variable, Tensor>,
): void {
  const untrained = variables.filter((variable) => !known.has(variable) && !named.has(variable));
  if (untrained.length === 0) return;
  for (const variable of untrained) named.add(variable);
  const names = untrained.slice(0, 4).map(({ name }) => `'${name}'`);
  const more = untrained.length > 4 ? ` and ${untrained.length - 4} more` : '';
  warnOnce(
    `${op}: the gradients of ${names.join(', ')}${more} are null, so a step leaves them as they are: the loss doesn't depend on them. ` +
      'tape.explain(loss, variable) says where that ends. Leave them out, or freeze them, where it is meant.',
  );
}

function checkGradient(op: string, gradient: unknown, variable: Variable): void {
  if (!(gradient instanceof Tensor)) {
    throw new ValueError({
      op,
      rule: 'a gradient is a tensor, or null.',
      received: `${describe(gradient)} for variable '${variable.name}'`,
      hint: 'pass the result of tape.gradient(loss, variables).',
    });
  }
  const parts = {
    op,
    rule: 'a gradient has the shape of its variable, and is float32 or float16.',
    received: `${formatSpec(gradient)} for variable '${variable.name}' ${formatSpec(variable)}`,
    hint: 'pass gradients in the order of the variables.',
  };
  if (!sameShape(gradient.shape, variable.shape)) throw new ShapeError(parts);
  if (!isFloating(gradient.dtype)) throw new DTypeError(parts);
  if (gradient.device !== variable.device) {
    throw new DeviceError({
      ...parts,
      rule: 'a gradient must be on the device of its variable.',
      hint: 'compute the loss on the device of the variables.',
    });
  }
  // Reading it throws if the gradient was disposed.
  void gradient.storage;
}

/** Throws unless all variables can be updated and each is listed once. */
export function checkVariables(op: string, variables: readonly Variable[]): void {
  if (!Array.isArray(variables)) {
    throw new ValueError({
      op,
      rule: 'variables come in a list.',
      received: describe(variables),
      hint: 'pass model.trainableWeights, or [w] for one.',
    });
  }
  const seen = new Set<Variable>();
  for (const variable of variables) {
    checkVariable(op, variable, variables[0] as Variable);
    if (seen.has(variable)) {
      throw new ValueError({
        op,
        rule: 'each variable must be listed once.',
        received: `variable '${variable.name}' twice`,
        hint: 'add up its gradients first.',
      });
    }
    seen.add(variable);
  }
}

function checkVariable(op: string, variable: unknown, first: Variable): void {
  if (!(variable instanceof Variable)) {
    throw new ValueError({
      op,
      rule: 'an optimizer updates variables.',
      received: describe(variable),
      hint: 'create one from a tensor: variable(t).',
    });
  }
  const received = `variable '${variable.name}' ${formatSpec(variable)}`;
  if (variable.dtype !== 'float32') {
    throw new DTypeError({
      op,
      rule: 'an optimizer updates variables of dtype float32.',
      received,
      hint: 'omit it, or make it float32.',
    });
  }
  if (variable.device !== first.device) {
    throw new DeviceError({
      op,
      rule: 'all variables of an optimizer must be on the same device.',
      received: `${received} of another device`,
      hint: 'create an optimizer for each device.',
    });
  }
  void variable.current;
}

/** Throws for a variable that the optimizer was not built with. */
export function requireKnownVariables(
  op: string,
  known: ReadonlySet<Variable>,
  variables: readonly Variable[],
): void {
  const unknown = variables.find((variable) => !known.has(variable));
  if (!unknown) return;
  throw new ValueError({
    op,
    rule: 'an optimizer updates only the variables that it was built with, by its first step or by build(variables).',
    received: `variable '${unknown.name}' ${formatSpec(unknown)}, which it does not know`,
    hint: 'call build with all variables before the first step, or create a new optimizer.',
  });
}
