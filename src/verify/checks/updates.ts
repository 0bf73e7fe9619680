/** @file Checks of kernels that write in place or from a seed: optimizer steps, which all go through one engine, and random values. */
import { adam8bitKernel, adam8bitShapes } from '../../kernels/optimizers/adam8bit.ts';
import { adamStep } from '../../kernels/optimizers/optimizerRules.ts';
import { type StepBuffers, type StepVariable, stepKernel } from '../../kernels/optimizers/optimizerStep.ts';
import { square } from '../../ops/elementwise/unary.ts';
import { mul, sub } from '../../ops/elementwise/arithmetic.ts';
import { abs, floor } from '../../ops/elementwise/rounding.ts';
import { zeros } from '../../ops/creation/creation.ts';
import { concat } from '../../ops/arrangement/concat.ts';
import { randomNormal, randomUniform } from '../../ops/random/random.ts';
import { mean } from '../../ops/reductions/mean.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { type Check, spec, type Values } from '../check.ts';

/** Parameters of Adam. The large epsilon keeps the step as smooth as its inputs. */
const rule = { rate: 0.3, momentum_share: 0.1, velocity_share: 0.25, epsilon: 0.5 } as const;

/** Adam's new value and moments for each element, from the old ones and the gradient. */
function adam(value: Values, momentum: Values, root: Values, gradient: Values) {
  const m = momentum.map((of, i) => of + ((gradient[i] as number) - of) * rule.momentum_share);
  const v = root.map((of, i) => of ** 2 + ((gradient[i] as number) ** 2 - of ** 2) * rule.velocity_share);
  const moved = value.map(
    (of, i) => of - (rule.rate * (m[i] as number)) / (Math.sqrt(v[i] as number) + rule.epsilon),
  );
  return [moved, m, v] as const;
}

function launchAdam(
  buffers: StepBuffers,
  variables: readonly Pick<StepVariable, 'start' | 'gradient'>[],
): void {
  const [first] = variables.map(({ gradient }) => gradient as Tensor) as [Tensor];
  stepKernel(first.device, {
    kernel: adamStep,
    options: {
      variant: '',
      states: ['momentum', 'velocity'],
      clipping: 'none',
      scaled: false,
      accumulated: false,
      decayed: false,
      averaged: false,
    },
    buffers,
    variables: variables.map((variable) => ({
      ...variable,
      size: (variable.gradient as Tensor).size,
      sliceSums: null,
      decayed: false,
      skipped: false,
    })),
    filler: first,
    scales: null,
    shared: {
      update: 1,
      overwrite: 0,
      loss_scale: 1,
      accumulation_steps: 1,
      clip: 0,
      decay: 0,
      average_momentum: 0,
    },
    own: rule,
  });
}

/** One variable with separate buffers: value, momentum, root of velocity, gradient. */
function separateStep(size: number): Check {
  return {
    name: `Adam, a variable of ${size}`,
    inputs: [spec([size]), spec([size]), spec([size]), spec([size])],
    tolerance: 2e-6,
    run: ([value, momentum, root, gradient]) => {
      const states = [mul(value as never, 1), mul(momentum as never, 1), square(root as never)] as Tensor[];
      const storages = states.map(({ storage }) => storage);
      launchAdam({ kind: 'separate', storages }, [{ start: 0, gradient: gradient as Tensor }]);
      return states;
    },
    expected: ([value, momentum, root, gradient]) =>
      adam(value as Values, momentum as Values, root as Values, gradient as Values),
  };
}

/** Several variables in one buffer: all values, all momenta, all velocities. Sizes are whole vectors. */
function packedStep(sizes: readonly number[]): Check {
  const all = sizes.reduce((sum, size) => sum + size, 0);
  const starts = sizes.map((_, i) => sizes.slice(0, i).reduce((sum, size) => sum + size, 0) / 4);
  return {
    name: `Adam, variables of ${sizes.join(', ')} in one buffer`,
    inputs: [spec([all]), spec([all]), spec([all]), ...sizes.map((size) => spec([size]))],
    tolerance: 2e-6,
    run: ([value, momentum, root, ...gradients]) => {
      const block = concat([value, momentum, square(root as never)] as never, { axis: 0 }) as Tensor;
      launchAdam(
        { kind: 'packed', block: block.storage, stride: all / 4, capacity: sizes.length },
        gradients.map((gradient, i) => ({ start: starts[i] as number, gradient })),
      );
      return [block];
    },
    expected: ([value, momentum, root, ...gradients]) => {
      const gradient = Float64Array.from(gradients.flatMap((values) => [...values]));
      const parts = adam(value as Values, momentum as Values, root as Values, gradient);
      return [parts.flatMap((part) => [...part])];
    },
  };
}

/** Multiples of 1/8, which the codes of 8 bits have exactly. */
const eighths = (x: number) => Math.floor(8 * x) / 8;

/**
 * Two steps with moments in 8 bits: the first, of which nothing of the old moments is left, stores numbers that need no rounding, and the
 * second reads them.
 */
function step8bit(size: number): Check {
  const shape = [size];
  return {
    name: `Adam, moments of ${size} in 8 bits`,
    inputs: [spec(shape), spec(shape), spec(shape), spec(shape)],
    tolerance: 2e-6,
    run: ([value, first, squares, gradient]) => {
      const start = mul(value as never, 1) as Tensor;
      const [codes, scales] = adam8bitShapes(size).map((of) => zeros(of)) as [Tensor, Tensor];
      const exact = (x: unknown) => mul(floor(mul(x as never, 8)), 1 / 8) as Tensor;
      const stepped = (by: object, given: Tensor, sums: Tensor | null) =>
        adam8bitKernel({
          value: start.storage,
          moments: codes.storage,
          scales: scales.storage,
          size,
          gradient: given,
          squares: sums,
          decay: null,
          step: 1,
          stream: 0,
          rule: { ...rule, ...by },
        });
      stepped({ rate: 0, momentum_share: 1, velocity_share: 1 }, exact(first), abs(exact(squares)));
      stepped({}, gradient as Tensor, null);
      return [start];
    },
    expected: ([value, first, squares, gradient]) => {
      const velocity = (squares as Values).map((x) => Math.sqrt(Math.abs(eighths(x))));
      return [adam(value as Values, (first as Values).map(eighths), velocity, gradient as Values)[0]];
    },
  };
}

export const optimizerSteps = (): Check[] => [separateStep(4100), packedStep([8, 44, 4]), step8bit(1030)];

/** The same seed gives the same bits, with the moments of its distribution. */
function draws(name: string, draw: (shape: number[]) => Tensor, moments: readonly [number, number]): Check {
  const shape = [64, 129];
  return {
    name: `${name} of ${shape.join(' × ')}`,
    inputs: [],
    // Roughly five standard deviations of these means.
    tolerance: 0.08,
    run: () => {
      const values = draw(shape) as never;
      return [sub(values, draw(shape) as never), mean(values), mean(square(values))] as Tensor[];
    },
    expected: () => [
      new Float64Array((shape[0] as number) * (shape[1] as number)),
      [moments[0]],
      [moments[1]],
    ],
  };
}

export const randomDraws = (): Check[] => [
  draws('randomUniform', (shape) => randomUniform(shape, { seed: 7 }), [1 / 2, 1 / 3]),
  // Shifted away from zero, since errors are relative.
  draws('randomNormal', (shape) => randomNormal(shape, { seed: 7, mean: 1 }), [1, 2]),
];
