/** @file The initializers, and their names. */
import { ValueError } from '../../core/errors.ts';
import { describe } from '../../core/shape.ts';
import { snakeCase } from '../names.ts';
import { constant, ones, zeros } from './constant.ts';
import type { Initializer } from './initializer.ts';
import { glorotNormal, glorotUniform, heNormal, heUniform, varianceScaling } from './varianceScaling.ts';

export type { Initializer } from './initializer.ts';
export { constant, glorotNormal, glorotUniform, heNormal, heUniform, ones, varianceScaling, zeros };

const byName = { constant, glorotNormal, glorotUniform, heNormal, heUniform, ones, varianceScaling, zeros };

export type InitializerName = keyof typeof byName;
export type InitializerLike = InitializerName | Initializer;

/** An initializer by its name (`heNormal`, or `he_normal` as Keras writes it), or itself. Errors: ValueError. */
export function initializerOf(identifier: InitializerLike): Initializer {
  if (typeof identifier === 'object' && typeof identifier?.call === 'function') return identifier;
  const wanted = typeof identifier === 'string' ? snakeCase(identifier) : null;
  const found = Object.entries(byName).find(([name]) => snakeCase(name) === wanted);
  if (found) return found[1]();
  throw new ValueError({
    op: 'initializer',
    rule: `an initializer is one of ${Object.keys(byName).join(', ')}, or made by initializers.<name>().`,
    received: describe(identifier),
    mend: "pass a name such as 'glorotUniform'.",
  });
}
