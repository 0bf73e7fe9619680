/** @file Parts of formulas: ops by their names, with the options that Keras records. */
import type { DType } from '../../core/dtype.ts';
import { ValueError } from '../../core/errors.ts';
import { describe, requireOneOf } from '../../core/shape.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import * as ops from '../ops/index.ts';
import type { Nest } from '../tensorNest.ts';

export type Options = Readonly<Record<string, unknown>>;

/** Computes an operation: its arguments by position, and those by name together with its options. */
export type Formula = (args: readonly unknown[], options: Options) => Nest<Tensor>;

export type Op = (...args: unknown[]) => Nest<Tensor>;
const opsByName = ops as unknown as Readonly<Record<string, Op>>;

/** Ops that take the same arguments and options: `op:Class`, if the class isn't the op's name with a capital letter. */
export function same(names: string): [string, Formula][] {
  return names.split(' ').map((name) => {
    const [op, className = `${name[0]?.toUpperCase()}${name.slice(1)}`] = name.split(':') as [
      string,
      string?,
    ];
    const call = opsByName[op] as Op;
    return [className, (args, options) => call(...args, ...(isEmpty(options) ? [] : [options]))];
  });
}

export function opOf(name: string): Op {
  return opsByName[name] as Op;
}

function isEmpty(options: Options): boolean {
  return Object.keys(options).length === 0;
}

/** Returns the options that are defined. */
export function said(options: Options): Options {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}

export function ofDType(x: Tensor, dtype: unknown): Tensor {
  return dtype === undefined ? x : ops.cast(x, { dtype: dtype as DType });
}

/** Errors: ValueError unless channels are the last axis. */
export function lastChannels({ dataFormat = 'channels_last', ...options }: Options): Options {
  requireOneOf('graph', 'data_format', dataFormat, ['channels_last']);
  return options;
}

export function imageOp(name: string, x: unknown, options: Options): Nest<Tensor> {
  const given = lastChannels(options);
  return isEmpty(given) ? opOf(name)(x) : opOf(name)(x, given);
}

export function unlike(op: string, rule: string, received: Options): ValueError {
  return new ValueError({
    op,
    rule,
    received: describe(received),
    hint: 'compute it in a custom layer.',
  });
}

/** Returns the suffix in the names of pooling and convolution ops for such a tensor. */
export function dimensions({ shape }: Tensor): '1d' | '' | '3d' {
  return (['1d', '', '3d'] as const)[shape.length - 3] ?? '';
}
