/** @file Sets the state of an optimizer. */
import type { TypedData } from '../../core/dtype.ts';
import { ShapeError, ValueError } from '../../core/errors.ts';
import { describe } from '../../core/shape.ts';
import { formatSpec } from '../../core/spec.ts';
import { withDevice } from '../../webgpu/current.ts';
import { type Assignment, assignAll } from '../../tensor/assignAll.ts';
import { tensor } from '../../tensor/create.ts';
import { tidy } from '../../tensor/scope.ts';
import { Tensor } from '../../tensor/tensor.ts';
import type { Variable } from '../../tensor/variable.ts';
import { HostVariable } from './hostVariable.ts';

/** A value for a variable of an optimizer: a tensor, its data, or a number for a scalar. */
export type WeightValue = Tensor | TypedData | number;

/** Assigns `values` to `variables`, or throws and changes none. */
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
  tidy(() => {
    const numbers: [HostVariable, number][] = [];
    const assignments: Assignment[] = [];
    variables.forEach((variable, i) => {
      if (variable instanceof HostVariable) numbers.push([variable, numberFor(op, variable, values[i])]);
      else assignments.push([variable, tensorFor(op, variable, values[i])]);
    });
    for (const [variable, number] of numbers) variable.check(number);
    assignAll(assignments);
    for (const [variable, number] of numbers) variable.value = number;
  });
}

function numberFor(op: string, variable: HostVariable, value: unknown): number {
  const number = ArrayBuffer.isView(value) ? (value as TypedData)[0] : value;
  const isOne = !ArrayBuffer.isView(value) || (value as TypedData).length === 1;
  // `getWeights` rounds numbers to float32.
  const isRounded = value instanceof Float32Array && Math.fround(variable.value) === number;
  if (typeof number === 'number' && isOne) return isRounded ? variable.value : number;
  throw new ValueError({
    op,
    rule: `${variable.name} is a number on the host.`,
    received: value instanceof Tensor ? formatSpec(value) : describe(value),
    hint: 'pass a number, or a typed array with one element; for a tensor, await t.item().',
  });
}

/** Returns the value as a tensor on the device of `variable`. The current scope frees tensors that are created here. */
function tensorFor(op: string, variable: Variable, value: unknown): Tensor {
  if (value instanceof Tensor) return value;
  const length = ArrayBuffer.isView(value) ? (value as TypedData).length : -1;
  if (length === variable.size) {
    const { shape, dtype } = variable;
    return withDevice(variable.device, () => tensor(value as TypedData, { shape, dtype }));
  }
  throw new ShapeError({
    op,
    rule: `${variable.name} takes a tensor, or a typed array of its size.`,
    received: `${length < 0 ? describe(value) : `${length} values`} for ${formatSpec(variable)}`,
    hint: 'pass the result of getWeights().',
  });
}
