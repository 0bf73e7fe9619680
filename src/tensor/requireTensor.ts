/** @file requireTensor */
import { describe, hintFor } from '../core/describe.ts';
import { ValueError } from '../core/errors.ts';
import { Tensor } from './tensor.ts';

/** For functions that read values back. Errors: ValueError unless `x` is a tensor. */
export function requireTensor(op: string, name: string, x: unknown): asserts x is Tensor {
  if (x instanceof Tensor) return;
  throw new ValueError({
    op,
    rule: `\`${name}\` is a tensor.`,
    received: `${name}: ${describe(x)}`,
    hint: hintFor(x, `make one of values on the host: tensor(${name}). Symbolic tensors have no values yet.`),
  });
}
