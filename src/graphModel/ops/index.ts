/** @file The operations of TensorFlow that graphs may use. */
import type { GraphOp, GraphOps } from '../call.ts';
import { arrangement } from './arrangement.ts';
import { complex } from './complex.ts';
import { convolutions } from './convolutions.ts';
import { creation } from './creation.ts';
import { elementwise } from './elementwise.ts';
import { images } from './images.ts';
import { indexing } from './indexing.ts';
import { lists } from './lists.ts';
import { reductions } from './reductions.ts';

const ops: GraphOps = {
  ...arrangement,
  ...complex,
  ...convolutions,
  ...creation,
  ...elementwise,
  ...images,
  ...indexing,
  ...lists,
  ...reductions,
};

/** Null for an operation that isn't supported. */
export const opNamed = (name: string): GraphOp | null =>
  Object.hasOwn(ops, name) ? (ops[name] as GraphOp) : null;

/** The names of all operations. */
export const opNames = (): string[] => Object.keys(ops);
