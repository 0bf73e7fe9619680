/** @file Sets the state of an optimizer. */
import type { TypedData } from '../../core/dtype.ts';
import { ShapeError, ValueError } from '../../core/errors.ts';
import { describe } from '../../core/shape.ts';
import { formatSpec } from '../../core/spec.ts';
import { withDevice } from '../../webgpu/current.ts';
import { tensor } from '../../tensor/create.ts';
import { Tensor } from '../../tensor/tensor.ts';
import type { Variable } from '../../tensor/variable.ts';
import { HostVariable } from './hostVariable.ts';

/** A value for a variable of an optimizer: a tensor, its data, or a number for a scalar. */
export type WeightValue = Tensor | TypedData | number;

/** Assigns `values` to `variables`. */
export function setWeights(
  op: string,
  built: boolean,
  variables: readonly (Variable | HostVariable)[],
  values: readonly WeightValue[],
): void {
  if (!built) {
    throw new ValueError({
      op,
      rule: 'the state of an optimizer can be set only after it is built.',
      received: 'setWeights before `build`',
      hint: 'call optimizer.build(variables) first.',
    });
  }
  if (!Array.isArray(values) || values.length !== variables.length) {
    throw new ShapeError({
      op,
      rule: `it has ${variables.length} variables and takes a value for each.`,
      received: Array.isArray(values) ? `${values.length} values` : describe(values),
      hint: `pass them in the order of \`variables\`: ${variables.map(({ name }) => name).join(', ')}.`,
    });
  }
  // All values are checked before any is set.
  const assignments = variables.map((variable, i) =>
    variable instanceof HostVariable
      ? hostAssignment(op, variable, values[i])
      : assignment(op, variable, values[i]),
  );
  for (const assign of assignments) assign();
}

function hostAssignment(op: string, variable: HostVariable, value: unknown): () => void {
  const number = ArrayBuffer.isView(value) ? (value as TypedData)[0] : value;
  const isOne = !ArrayBuffer.isView(value) || (value as TypedData).length === 1;
  if (typeof number !== 'number' || !isOne) {
    throw new ValueError({
      op,
      rule: `${variable.name} is a number on the host.`,
      received: value instanceof Tensor ? formatSpec(value) : describe(value),
      hint: 'pass a number, or a typed array with one element; for a tensor, await t.item().',
    });
  }
  return () => {
    variable.value = number;
  };
}

function assignment(op: string, variable: Variable, value: unknown): () => void {
  if (value instanceof Tensor) {
    return () => {
      variable.assign(value);
    };
  }
  const length = ArrayBuffer.isView(value) ? (value as TypedData).length : -1;
  if (length !== variable.size) {
    throw new ShapeError({
      op,
      rule: `${variable.name} takes a tensor, or a typed array of its size.`,
      received: `${length < 0 ? describe(value) : `${length} values`} for ${formatSpec(variable)}`,
      hint: 'pass the result of getWeights().',
    });
  }
  return () =>
    withDevice(variable.device, () => {
      const { shape, dtype } = variable;
      const loaded = tensor(value as TypedData, { shape, dtype });
      variable.assign(loaded);
      loaded.dispose();
    });
}
