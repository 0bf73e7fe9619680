/** @file Initializers of one value. */
import { fill } from '../../ops/creation.ts';
import type { Initializer } from './initializer.ts';

export function zeros(): Initializer {
  return {
    className: 'Zeros',
    call: (shape, dtype) => fill(shape, 0, { dtype }),
    getConfig: () => ({}),
  };
}

export function ones(): Initializer {
  return {
    className: 'Ones',
    call: (shape, dtype) => fill(shape, 1, { dtype }),
    getConfig: () => ({}),
  };
}

/** `value` everywhere. */
export function constant({ value = 0 }: { value?: number } = {}): Initializer {
  return {
    className: 'Constant',
    call: (shape, dtype) => fill(shape, value, { dtype }),
    getConfig: () => ({ value }),
  };
}
