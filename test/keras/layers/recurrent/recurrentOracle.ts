/** @file Recurrent layers by TF.js's ops, step by step as Keras describes them: an oracle for the samples. */
import type * as tf from '@tensorflow/tfjs-core';
import type { Oracle } from '../samples/types.ts';

type T = tf.Tensor;
/** [output, ...states] of one step. */
type Step = (x: T, states: T[]) => T[];

export interface Unrolled {
  mask?: T | undefined;
  goBackwards?: boolean;
  returnSequences?: boolean;
  returnState?: boolean;
  zeroOutputForMask?: boolean;
}

/** One step after the other over x [batch, time, …]. */
export function unrolled(t: Oracle, step: Step, x: T, initial: T[], options: Unrolled = {}): T[] {
  const { mask, goBackwards, returnSequences, returnState, zeroOutputForMask } = options;
  const inputs = t.unstack(x, 1);
  const masks = mask ? t.unstack(t.cast(mask, 'bool'), 1) : null;
  const times = inputs.map((_, i) => (goBackwards ? inputs.length - 1 - i : i));
  const outputs: T[] = [];
  let states = initial;
  for (const time of times) {
    const [output, ...next] = step(inputs[time] as T, states) as [T, ...T[]];
    if (!masks) {
      outputs.push(output);
      states = next;
      continue;
    }
    const counts = t.reshape(masks[time] as T, [x.shape[0] as number, ...new Array(output.rank - 1).fill(1)]);
    const before = zeroOutputForMask ? undefined : outputs.at(-1);
    const choose = (yes: T, no: T) => t.where(t.broadcastTo(counts, yes.shape as [number, number]), yes, no);
    outputs.push(choose(output, before ?? t.zerosLike(output)));
    states = next.map((state, i) => choose(state, states[i] as T));
  }
  const output = returnSequences ? t.stack(outputs, 1) : (outputs.at(-1) as T);
  return returnState ? [output, ...states] : [output];
}

export function zeroStates(t: Oracle, x: T, units: number, count = 1): T[] {
  return Array.from({ length: count }, () => t.zeros([x.shape[0] as number, units]));
}

export function lstmStep(t: Oracle, [kernel, recurrent, bias]: T[]): Step {
  return (x, [h, c]) => {
    const z = t.add(t.matMul(x, kernel as T), t.matMul(h as T, recurrent as T));
    return lstmGates(t, bias ? t.add(z, bias) : z, c as T);
  };
}

/** [output, h, c] from the sums of the gates, concatenated along the last axis. */
export function lstmGates(t: Oracle, sums: T, c: T): T[] {
  const [i, f, g, o] = t.split(sums, 4, -1) as [T, T, T, T];
  const carry = t.add(t.mul(t.sigmoid(f), c), t.mul(t.sigmoid(i), t.tanh(g)));
  const output = t.mul(t.sigmoid(o), t.tanh(carry));
  return [output, output, carry];
}

export function gruStep(t: Oracle, [kernel, recurrent, bias]: T[], resetAfter: boolean): Step {
  const units = (recurrent as T).shape[0] as number;
  const [ofInput, ofState] = (bias ? (resetAfter ? t.unstack(bias) : [bias]) : []) as (T | undefined)[];
  const plus = (a: T, b: T | undefined) => (b ? t.add(a, b) : a);
  const columns = (x: T, from: number, count: number) =>
    t.slice(x, [0, from * units], [x.shape[0] as number, count * units]);
  return (x, [h]) => {
    const inputs = plus(t.matMul(x, kernel as T), ofInput);
    const gates = (state: T) => t.matMul(state, columns(recurrent as T, 0, 2));
    const ofGates = resetAfter
      ? columns(plus(t.matMul(h as T, recurrent as T), ofState), 0, 2)
      : gates(h as T);
    const [z, r] = t.split(t.sigmoid(t.add(columns(inputs, 0, 2), ofGates)), 2, 1) as [T, T];
    const inner = resetAfter
      ? t.mul(r, columns(plus(t.matMul(h as T, recurrent as T), ofState), 2, 1))
      : t.matMul(t.mul(r, h as T), columns(recurrent as T, 2, 1));
    const candidate = t.tanh(t.add(columns(inputs, 2, 1), inner));
    const output = t.add(t.mul(z, h as T), t.mul(t.sub(1, z), candidate));
    return [output, output];
  };
}

export function simpleStep(t: Oracle, [kernel, recurrent, bias]: T[]): Step {
  return (x, [h]) => {
    const z = t.add(t.matMul(x, kernel as T), t.matMul(h as T, recurrent as T));
    const output = t.tanh(bias ? t.add(z, bias) : z);
    return [output, output];
  };
}
