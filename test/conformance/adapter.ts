/**
 * @file Maps a case to a call of the library. Most are direct, `op(...inputs, attrs)`; the exceptions are listed
 * here, each with its reason. Nothing is computed here that the library should compute.
 */
import * as library from '../../src/index.ts';
import type { Tensor } from '../../src/index.ts';
import { losses } from '../../src/keras/index.ts';

type Attributes = Readonly<Record<string, unknown>>;
type AnyOp = (...args: unknown[]) => Tensor | Tensor[];
type Call = (inputs: readonly Tensor[], attributes: Attributes) => Tensor | Tensor[];

/** Thrown for an op that the format knows, but that comes with a later part of the library. */
export class NotYetOffered extends Error {}

/** Thrown for an op that is missing from the library: a failure, reported in one line. */
export class MissingOp extends Error {}

const exported = library as unknown as Readonly<Record<string, AnyOp | undefined>>;

type LossMaker = (options: Attributes) => losses.Loss;

/** An op whose first argument is a list of tensors. */
function ofList(name: string): Call {
  return (inputs, attributes) => op(name)(inputs, attributes);
}

/** Losses belong to `retrograd/keras`: an object made of the attributes, called with targets, predictions and weights. */
const lossCalls: Readonly<Record<string, Call>> = Object.fromEntries(
  Object.entries(losses as unknown as Readonly<Record<string, LossMaker>>)
    .filter(([, made]) => 'names' in made)
    .map(([name, make]) => [
      name,
      ([yTrue, yPred, sampleWeight], attributes) =>
        make(attributes).call(yTrue as Tensor, yPred as Tensor, sampleWeight),
    ]),
);

const special: Readonly<Record<string, Call>> = {
  concat: ofList('concat'),
  stack: ofList('stack'),
  ...lossCalls,
};

function op(name: string): AnyOp {
  const found = exported[name];
  if (found) return found;
  throw new MissingOp(`the library has no op '${name}'`);
}

/** Runs a case's op. Always returns a list, usually of one output. */
export function callOp(name: string, inputs: readonly Tensor[], attributes: Attributes): Tensor[] {
  const call = special[name] ?? ((tensors, options) => op(name)(...tensors, options));
  return [call(inputs, attributes)].flat();
}
