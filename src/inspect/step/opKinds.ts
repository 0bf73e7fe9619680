/** @file Properties of ops that findings need, by name. */

/** Returns whether an op ends in a relu: for negative inputs, value and derivative are zero. */
export function isRelu(op: string, options: object): boolean {
  const { activation } = options as { activation?: unknown };
  return isReluName(op) || isReluName(activation);
}

function isReluName(name: unknown): boolean {
  return name === 'relu' || name === 'relu6';
}
