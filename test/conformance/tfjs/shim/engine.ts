/** @file TF.js's engine, as its tests use it: scopes, memory, variables, and queries of the environment. */
import {
  getDevice,
  keep as keepTensor,
  memory as memoryOf,
  Tensor,
  tidy as tidyOf,
  type Variable,
  variable as makeVariable,
} from '../../../../src/index.ts';
import { activeRecorders } from '../../../../src/ops/define/recorders.ts';
import { type Loose, Rejection, rejectUnless } from './call.ts';
import { outside } from './notOffered.ts';
import { endTestScope, ownedByTest, startTestScope } from './testScope.ts';

const variables = new Map<string, Variable>();

/** The library's tensors when the engine was last reset, or a test began: TF.js counts from there. */
let baseline = { tensors: 0, buffers: 0 };

const buffersInUse = (): number => getDevice().pool.statistics.buffersInUse;

function countFromHere(): void {
  baseline = { tensors: memoryOf().tensors, buffers: buffersInUse() };
}

export function registeredVariables(): Variable[] {
  forgetDisposed();
  return [...variables.values()];
}

function forgetDisposed(): void {
  for (const [name, v] of variables) if (v.disposed) variables.delete(name);
}

export function memory(): Loose {
  const { tensors, bytes } = memoryOf();
  return {
    numTensors: tensors - baseline.tensors,
    numDataBuffers: buffersInUse() - baseline.buffers,
    numBytes: bytes,
    unreliable: false,
  };
}

export function tidy(nameOrBody: Loose, body?: Loose): Loose {
  if (body === undefined) {
    rejectUnless(typeof nameOrBody === 'function', 'Please provide a function to tidy()');
    return ownedByTest(tidyOf(nameOrBody));
  }
  rejectUnless(
    typeof nameOrBody === 'string' || nameOrBody instanceof String,
    'When calling with two arguments, the first argument to tidy() must be a string',
  );
  rejectUnless(
    typeof body === 'function',
    'When calling with two arguments, the 2nd argument to tidy() must be a function',
  );
  return ownedByTest(tidyOf(body));
}

export const keep = (x: Loose): Loose => keepTensor(x);

export function dispose(container: Loose): void {
  if (container instanceof Tensor) container.dispose();
  else if (typeof container === 'object' && container !== null)
    for (const item of Object.values(container)) dispose(item);
}

export function variable(initial: Loose, trainable = true, name?: string, dtype?: Loose): Variable {
  forgetDisposed();
  const value = dtype && dtype !== initial.dtype ? initial.cast(dtype) : initial;
  if (name !== undefined && variables.has(name))
    throw new Rejection(`Variable with name ${name} was already registered`);
  const made = makeVariable(value, { trainable, ...(name === undefined ? {} : { name }) });
  variables.set(made.name as string, made);
  return made;
}

export function disposeVariables(): void {
  for (const v of variables.values()) v.dispose();
  variables.clear();
}

const theBackend = {
  floatPrecision: () => 32,
  epsilon: () => 1e-7,
  numDataIds: () => buffersInUse() - baseline.buffers,
};

export const ENGINE = {
  startScope: (): void => {
    // Tensors that an earlier test left to the garbage collector don't count.
    if (startTestScope()) countFromHere();
  },
  endScope: endTestScope,
  reset: (): void => {
    disposeVariables();
    countFromHere();
  },
  isTapeOn: (): boolean => activeRecorders().length > 0,
  disposeVariables,
  backend: theBackend,
  backendName: 'retrograd',
  memory,
  tidy,
  keep,
  runKernel: outside('engine().runKernel'),
};

export const engine = () => ENGINE;
export const backend = () => theBackend;
export const getBackend = () => 'retrograd';
export const ready = async (): Promise<void> => {};
