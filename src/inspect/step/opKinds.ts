/** @file What findings need to know of ops by their names. */

/** Whether an op ends in a relu, which is zero with a derivative of zero for negative inputs. */
export function isRelu(op: string, options: object): boolean {
  const { activation } = options as { activation?: unknown };
  return isReluName(op) || isReluName(activation);
}

function isReluName(name: unknown): boolean {
  return name === 'relu' || name === 'relu6';
}
