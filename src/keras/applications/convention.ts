/** @file The convention of networks that Keras and torchvision build in different ways. */
import { ValueError } from '../../core/errors.ts';
import { describe } from '../../core/shape.ts';

export type Convention = 'keras' | 'torchvision';

/** Errors: ValueError for an unknown convention. */
export function isTorchvision(op: string, { convention = 'keras' }: { convention?: Convention }): boolean {
  if (convention === 'keras' || convention === 'torchvision') return convention === 'torchvision';
  throw new ValueError({
    op,
    rule: "`convention` is 'keras' or 'torchvision'.",
    received: `convention: ${describe(convention)}`,
    hint: "pass 'torchvision' for weights of torchvision.",
  });
}
