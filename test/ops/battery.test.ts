/// <reference types="vite/client" />
/**
 * @file One battery that every op passes, on the samples of test/ops/samples. Gradients and second derivatives are
 * checked by central differences (one Richardson step) of values read back and summed in float64.
 */
import { beforeAll, describe, expect, test } from 'vitest';
import { isFloating } from '../../src/core/dtype.ts';
import { openDevice } from '../../src/webgpu/adapter.ts';
import { Device } from '../../src/webgpu/device.ts';
import {
  DeviceError,
  DisposedError,
  GradientTape,
  getDevice,
  init,
  memory,
  RetrogradError,
  setDevice,
  type Tensor,
  tensor,
  tidy,
} from '../../src/index.ts';
import * as ops from '../../src/ops/index.ts';
import type { OpDefinition } from '../../src/ops/define/define.ts';
import { drawValues, generator, upload } from './samples/draw.ts';
import type { InputSample, OpCase, OpSamples } from './samples/types.ts';

const modules = import.meta.glob<{ samples?: OpSamples[] }>('./samples/*.ts', { eager: true });
const samples = Object.values(modules).flatMap((module) => module.samples ?? []);

/** A composite op has the names of its inputs and options only: what it gives follows from its formula. */
type AnyDefinition = Pick<OpDefinition, 'name' | 'inputs'> & Partial<OpDefinition>;
type AnyOp = ((...args: unknown[]) => Tensor | Tensor[]) & { definition: AnyDefinition };
const opOf = (name: string) => (ops as unknown as Record<string, AnyOp>)[name] as AnyOp;

/** Relative to the gradient's length; what a central difference of float32 values can tell. */
const tolerance = 5e-3;
const step = 0.01;

beforeAll(async () => {
  await init();
});

function call(op: AnyOp, inputs: readonly (Tensor | null)[], options: object = {}): Tensor[] {
  const [first] = op.definition.inputs as readonly string[];
  const variadic = first?.startsWith('...');
  const result = variadic ? op(inputs, options) : op(...inputs, options);
  return Array.isArray(result) ? result : [result];
}

/** The inputs of a case on the host, and what the checks need in addition to them. */
class Experiment {
  readonly random: () => number;
  readonly values: number[][];
  readonly floating: boolean[];

  constructor(
    readonly op: AnyOp,
    readonly sample: OpCase,
    seed: number,
  ) {
    this.random = generator(seed);
    this.values = sample.inputs.map((input) => (input ? drawValues(input, this.random) : []));
    this.floating = sample.inputs.map((input) => input !== null && isFloating(input.dtype ?? 'float32'));
  }

  upload(values: readonly (readonly number[])[] = this.values): (Tensor | null)[] {
    return this.sample.inputs.map((input, i) => (input ? upload(input, values[i] as number[]) : null));
  }

  run(inputs: readonly (Tensor | null)[]): Tensor[] {
    return call(this.op, inputs, this.sample.options);
  }

  /** Returns a random direction over the float inputs; zeros elsewhere. */
  direction(): number[][] {
    return this.values.map((v, i) => v.map(() => (this.floating[i] ? 2 * this.random() - 1 : 0)));
  }

  moved(direction: readonly (readonly number[])[], by: number): number[][] {
    return this.values.map((v, i) => v.map((x, j) => x + by * (direction[i]?.[j] as number)));
  }

  /** Returns the derivative of `read` along `direction`, elementwise. */
  async derivative(
    direction: readonly (readonly number[])[],
    read: (inputs: (Tensor | null)[]) => Promise<number[]>,
  ): Promise<number[]> {
    const central = async (h: number) => {
      const [ahead, behind] = await Promise.all(
        [h, -h].map((by) => read(this.upload(this.moved(direction, by)))),
      );
      // Float32 inputs don't land exactly where they are sent; steps this long make that negligible.
      return (ahead as number[]).map((value, i) => (value - (behind?.[i] as number)) / (2 * h));
    };
    // All are read together: waiting for the device takes longer than its work.
    const [coarse, fine] = await Promise.all([central(step), central(step / 2)]);
    return fine.map((value, i) => (4 * value - (coarse[i] as number)) / 3);
  }
}

async function flat(tensors: readonly (Tensor | null)[]): Promise<number[]> {
  const parts = await Promise.all(tensors.map(async (t) => (t ? Array.from(await t.data(), Number) : [])));
  return parts.flat();
}

const dot = (a: readonly number[], b: readonly number[]) =>
  a.reduce((total, x, i) => total + x * (b[i] as number), 0);
const length = (a: readonly number[]) => Math.sqrt(dot(a, a));

function expectClose(actual: number, expected: number, scale: number, noise: number): void {
  const allowed = tolerance * scale + noise;
  expect(
    Math.abs(actual - expected),
    `${actual} against ${expected}, allowed ${allowed}`,
  ).toBeLessThanOrEqual(allowed);
}

/** What the rounding of float32 values of this size does to a central difference. */
const differenceNoise = (values: readonly number[], weights: readonly number[]) =>
  1e-5 + (4e-7 / step) * values.reduce((total, y, i) => total + Math.abs(y * (weights[i] as number)), 0);

function cotangentsFor(
  outputs: readonly Tensor[],
  random: () => number,
): { tensors: (Tensor | null)[]; values: number[] } {
  const values: number[] = [];
  const tensors = outputs.map((output) => {
    const own = Array.from({ length: output.size }, () => (isFloating(output.dtype) ? 2 * random() - 1 : 0));
    values.push(...own);
    return isFloating(output.dtype)
      ? (tensor(Float32Array.from(own), { shape: output.shape }) as Tensor)
      : null;
  });
  return { tensors, values };
}

function differentiate(
  experiment: Experiment,
  inputs: readonly (Tensor | null)[],
  cotangents: readonly (Tensor | null)[],
): (Tensor | null)[] {
  const tape = new GradientTape();
  const watched = inputs.filter(
    (input, i): input is Tensor => experiment.floating[i] === true && input !== null,
  );
  tape.watch(watched);
  const outputs = experiment.run(inputs);
  const kept = outputs.map((_, i) => i).filter((i) => cotangents[i]);
  return tape.gradient(
    kept.map((i) => outputs[i] as Tensor),
    watched,
    { outputGradients: kept.map((i) => cotangents[i] as Tensor), unconnectedGradients: 'zero' },
  );
}

/** Returns whether a case has float inputs with values in them. */
const floating = (sample: OpCase) =>
  sample.inputs.some((input) => input && isFloating(input.dtype ?? 'float32') && !input.shape.includes(0));

const differentiable = (op: AnyOp | undefined, sample: OpCase) =>
  op?.definition.backward !== null && sample.gradient !== false && floating(sample);

describe.each(samples.map((entry) => [entry.op, entry] as const))('%s', (name, entry) => {
  const op = opOf(name);

  test('is exported', () => {
    expect(op?.definition?.name).toBe(name);
  });

  describe.each(entry.cases.map((sample, i) => [label(sample), sample, i] as const))('%s', (_, sample, i) => {
    const experiment = () => new Experiment(op, sample, 1000 + i);

    test('gives what infer promises, and leaves nothing behind', async () => {
      const run = experiment();
      const inputs = run.upload();
      const before = memory().tensors;
      const outputs = run.run(inputs);
      if (op.definition.infer) {
        const specs = [op.definition.infer(inputs as Tensor[], sample.options ?? {})].flat();
        expect(outputs.map(({ shape, dtype }) => ({ shape, dtype }))).toEqual(
          specs.map(({ shape, dtype }) => ({ shape, dtype })),
        );
      }
      expect(memory().tensors).toBe(before + outputs.length);
      const [again, first] = await Promise.all([flat(run.run(inputs)), flat(outputs)]);
      expect(again).toEqual(first);
    });

    if (differentiable(op, sample))
      test('has the gradient that finite differences give', async () => {
        const run = experiment();
        const inputs = run.upload();
        const outputs = run.run(inputs);
        const { tensors, values: weights } = cotangentsFor(outputs, run.random);
        const direction = run.direction();
        const [gradient, differences, values] = await Promise.all([
          flat(differentiate(run, inputs, tensors)),
          run.derivative(direction, (moved) => flat(run.run(moved))),
          flat(outputs),
        ]);
        const along = direction.filter((_, k) => run.floating[k]).flat();
        expectClose(
          dot(gradient, along),
          dot(differences, weights),
          length(gradient),
          differenceNoise(values, weights),
        );
      });

    if (differentiable(op, sample))
      test('has the second derivative that finite differences give', async () => {
        const run = experiment();
        const inputs = run.upload();
        const { tensors: cotangents, values: weights } = cotangentsFor(run.run(inputs), run.random);
        const watched = inputs.filter(
          (input, k): input is Tensor => run.floating[k] === true && input !== null,
        );
        const given = cotangents.filter((c): c is Tensor => c !== null);
        const outer = new GradientTape();
        outer.watch([...watched, ...given]);
        const first = differentiate(run, inputs, cotangents) as Tensor[];
        const u = first.map((g) => Array.from({ length: g.size }, () => 2 * run.random() - 1));
        const seconds = outer.gradient(first, [...watched, ...given], {
          outputGradients: first.map(
            (g, k) => tensor(Float32Array.from(u[k] as number[]), { shape: g.shape }) as Tensor,
          ),
          unconnectedGradients: 'zero',
        });
        // With respect to the inputs: how the gradient moves along a direction.
        const direction = run.direction();
        const [hessian, forwards, curve, gradients] = await Promise.all([
          flat(seconds.slice(0, watched.length)),
          flat(seconds.slice(watched.length)),
          run.derivative(direction, (moved) => flat(differentiate(run, moved, cotangents))),
          flat(first),
        ]);
        const along = direction.filter((_, k) => run.floating[k]).flat();
        const scale = Math.max(length(hessian), tolerance * length(u.flat()));
        expectClose(dot(hessian, along), dot(curve, u.flat()), scale, differenceNoise(gradients, u.flat()));

        // With respect to the cotangents: the gradient is linear in them, so this is a Jacobian-vector product.
        let next = 0;
        const full = run.values.map((v, k) => (run.floating[k] ? (u[next++] as number[]) : v.map(() => 0)));
        const outputs = run.run(inputs);
        const differences = await run.derivative(full, (moved) => flat(run.run(moved)));
        const mask = outputs.flatMap((output) =>
          new Array<boolean>(output.size).fill(isFloating(output.dtype)),
        );
        const w = differences.map(() => 2 * run.random() - 1).filter((_, k) => mask[k]);
        expectClose(
          dot(forwards, w),
          dot(
            differences.filter((_, k) => mask[k]),
            w,
          ),
          length(forwards),
          differenceNoise(weights, weights) * 10,
        );
      });

    if (sample.carriesNaN !== false && floating(sample))
      test('carries NaN', async () => {
        const run = experiment();
        const target = run.values.findIndex((values, k) => run.floating[k] && values.length > 0);
        const poisoned = run.values.map((values, k) =>
          k === target ? values.map(() => Number.NaN) : values,
        );
        expect((await flat(run.run(run.upload(poisoned)))).some(Number.isNaN)).toBe(true);
      });

    test('rejects disposed tensors and tensors of another device', async () => {
      const run = experiment();
      for (let k = 0; k < sample.inputs.length; k++) {
        if (!sample.inputs[k]) continue;
        const inputs = run.upload();
        inputs[k]?.dispose();
        expectRejection(() => run.run(inputs), DisposedError);
      }
      const present = sample.inputs.filter((input) => input !== null).length;
      if (present < 2) return;
      const foreign = await onOtherDevice(sample.inputs.at(-1) ?? sample.inputs[0] ?? null, run);
      const inputs = run.upload();
      const last = inputs.findLastIndex((input) => input !== null);
      inputs[last] = foreign;
      expectRejection(() => run.run(inputs), DeviceError);
    });
  });

  test.each(entry.bad.map((bad) => [bad.why, bad] as const))('rejects %s', (_, bad) => {
    const run = new Experiment(op, bad, 7);
    expectRejection(() => run.run(run.upload()), bad.error, bad.message);
  });
});

/** A call must throw `type`, with all three parts of a message, and make no tensors. */
function expectRejection(
  body: () => unknown,
  type: new (...args: never[]) => RetrogradError,
  message?: RegExp,
): void {
  const before = memory().tensors;
  let thrown: unknown;
  try {
    tidy(body);
  } catch (error) {
    thrown = error;
  }
  expect(thrown, 'must throw').toBeInstanceOf(type);
  const error = thrown as RetrogradError;
  expect(error).toBeInstanceOf(RetrogradError);
  expect(error.rule).toBeTruthy();
  expect(error.received).toBeTruthy();
  expect(error.hint).toBeTruthy();
  if (message) expect(error.message).toMatch(message);
  expect(memory().tensors).toBe(before);
}

let otherDevice: Device | null = null;

async function onOtherDevice(input: InputSample | null, run: Experiment): Promise<Tensor> {
  const own = getDevice();
  otherDevice ??= new Device(await openDevice(undefined, {}), true, 2 ** 20);
  setDevice(otherDevice);
  try {
    const sample = input ?? (run.sample.inputs.find((candidate) => candidate !== null) as InputSample);
    return upload(sample, drawValues(sample, generator(3)));
  } finally {
    setDevice(own);
  }
}

function label(sample: OpCase): string {
  const inputs = sample.inputs.map((input) =>
    input ? `${input.dtype ?? 'float32'}[${input.shape.join(', ')}]` : 'null',
  );
  return `${inputs.join(' ')}${sample.options ? ` ${JSON.stringify(sample.options)}` : ''}`;
}
