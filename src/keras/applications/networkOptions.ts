/** @file Options of several networks: whose convention they follow, and how wide they are. */
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

export function requireAlpha(op: string, alpha: unknown): void {
  if (typeof alpha === 'number' && Number.isFinite(alpha) && alpha > 0) return;
  throw new ValueError({
    op,
    rule: '`alpha` is a positive number.',
    received: `alpha: ${describe(alpha)}`,
    hint: 'pass 1, or less for a narrower network.',
  });
}
