/** @file Helpers for tests of optimizers. */
import { getDevice } from '../../../src/webgpu/current.ts';
import { tensor, type Tensor, type Variable, variable } from '../../../src/index.ts';
import type { Optimizer } from '../../../src/keras/optimizers/index.ts';

export function wave(size: number, phase: number, height = 1): Float32Array<ArrayBuffer> {
  return Float32Array.from({ length: size }, (_, i) => height * Math.sin(phase + i * 0.7));
}

export function waves(shapes: readonly (readonly number[])[], phase: number, height = 1): Tensor[] {
  return shapes.map((shape, k) =>
    tensor(
      wave(
        shape.reduce((product, n) => product * n, 1),
        phase + k,
        height,
      ),
      { shape },
    ),
  );
}

export function makeVariables(shapes: readonly (readonly number[])[], phase = 0): Variable[] {
  return waves(shapes, phase).map((start, k) => {
    const made = variable(start, { name: `layer_${k}/w` });
    start.dispose();
    return made;
  });
}

/** Number of launches of `run`. */
export function launchesOf(run: () => void): number {
  const { statistics } = getDevice().stream;
  const before = statistics.launches;
  run();
  return statistics.launches - before;
}

/** Values of all variables after steps by gradients of `phases`. */
export async function train(
  optimizer: Optimizer,
  variables: readonly Variable[],
  phases: readonly number[],
): Promise<number[][]> {
  for (const phase of phases) {
    const gradients = waves(
      variables.map(({ shape }) => shape),
      phase,
    );
    optimizer.apply(gradients, variables);
    for (const gradient of gradients) gradient.dispose();
  }
  return valuesOf(variables);
}

export async function valuesOf(variables: readonly Tensor[]): Promise<number[][]> {
  const values: number[][] = [];
  for (const variable of variables) values.push(Array.from(await variable.data()));
  return values;
}
