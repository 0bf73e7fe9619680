/** @file Programs of n ops: eagerly, under a tape, compiled, mapped. */
import {
  add,
  checkpoint,
  compile,
  gather,
  GradientTape,
  lineage,
  matMul,
  mul,
  relu,
  scan,
  sin,
  sum,
  type Tensor,
  tensor,
  tidy,
  variable,
  vmap,
} from '../../../src/index.ts';
import type { ScaleRow } from '../scaleRow.ts';

const unit = 'ops';
const times = <T>(n: number, body: (i: number) => T): T[] => Array.from({ length: n }, (_, i) => body(i));

/** n ops in a row. */
function chainOf(op: (x: Tensor) => Tensor, x: Tensor, n: number): Tensor {
  let y = x;
  for (let i = 0; i < n; i++) y = op(y);
  return y;
}

/** Ops that compiled functions don't fuse. */
function products(x: Tensor, n: number): Tensor {
  return chainOf((y) => matMul(y, y), x, n);
}

/** A network of n layers, whose activations all live until the backward pass. */
function lossOf(x: Tensor, weights: readonly Tensor[]): Tensor {
  return sum(weights.reduce((y, w) => relu(matMul(y, w)), x));
}

const square = () => tensor([1, 0, 0, 1], [2, 2]);

/** Work on a tape that has recorded n calls of `op` in a row, each of which may also read the first tensor. */
function onTape(
  name: string,
  op: (y: Tensor, x: Tensor) => Tensor,
  run: (tape: GradientTape, y: Tensor, x: Tensor) => unknown,
): ScaleRow {
  const prepare = (n: number) => {
    const x = variable(tensor([1, 2]));
    const tape = new GradientTape();
    const y = chainOf((y) => op(y, x), x, n);
    return () => run(tape, y, x);
  };
  return { name, unit, from: 4000, short: 500, prepare };
}

export const programRows: readonly ScaleRow[] = [
  {
    name: 'eager ops',
    unit,
    from: 4000,
    short: 500,
    prepare: (n) => {
      const x = square();
      return () => tidy(() => products(x, n));
    },
  },
  {
    name: 'eager gathers, which check their indices',
    unit,
    from: 4000,
    short: 500,
    prepare: (n) => {
      const [x, at] = [tensor([1, 2]), tensor([0, 1], { dtype: 'int32' })];
      return () => tidy(() => chainOf((y) => gather(y, at), x, n));
    },
  },
  {
    name: 'tape',
    unit,
    from: 4000,
    short: 500,
    prepare: (n) => {
      const x = variable(tensor([1, 2]));
      const tape = new GradientTape();
      return () => [tape, chainOf(sin, x, n)];
    },
  },
  onTape(
    'backward',
    (y) => sin(y),
    (tape, y, x) => tape.gradient(y, x),
  ),
  onTape('backward, one tensor read by all', mul, (tape, y, x) => tape.gradient(y, x)),
  {
    name: 'backward, many variables',
    unit: 'variables',
    from: 2000,
    short: 250,
    prepare: (n) => {
      const weights = times(n, () => variable(square()));
      const tape = new GradientTape();
      const y = lossOf(square(), weights);
      return () => tape.gradient(y, weights);
    },
  },
  onTape(
    'tape.explain',
    (y) => sin(y),
    (tape, y, x) => tape.explain(y, x),
  ),
  onTape('lineage', mul, (tape, y) => [tape, lineage(y).toMermaid()]),
  {
    name: 'recording, launches that are not fused',
    unit: 'launches',
    from: 2000,
    short: 250,
    prepare: (n) => {
      const [x, step] = [square(), compile((x: Tensor) => products(x, n))];
      return () => step(x);
    },
  },
  {
    name: 'recording, elementwise ops',
    unit,
    from: 2000,
    short: 250,
    prepare: (n) => {
      const [x, y] = [tensor([1, 2]), tensor([3, 4])];
      const step = compile((x: Tensor, y: Tensor) => chainOf((z) => add(sin(z), y), x, n));
      return () => step(x, y);
    },
  },
  {
    name: 'recording, a training step',
    unit: 'layers',
    from: 500,
    short: 100,
    prepare: (n) => {
      const [x, step] = [square(), compiledStep(n)];
      return () => step(x);
    },
  },
  {
    name: 'replay, launches that are not fused',
    unit: 'launches',
    from: 2000,
    short: 250,
    prepare: (n) => {
      const [x, step] = [square(), compile((x: Tensor) => products(x, n))];
      return replays(() => step(x));
    },
  },
  {
    name: 'replay, gathers, which check their indices',
    unit: 'launches',
    from: 1000,
    short: 250,
    prepare: (n) => {
      const [x, at] = [tensor([1, 2]), tensor([0, 1], { dtype: 'int32' })];
      const step = compile((x: Tensor, at: Tensor) => chainOf((y) => gather(y, at), x, n));
      return replays(() => step(x, at));
    },
  },
  {
    name: 'replay, a training step',
    unit: 'layers',
    from: 250,
    short: 100,
    prepare: (n) => {
      const [x, step] = [square(), compiledStep(n)];
      return replays(() => step(x));
    },
  },
  {
    name: 'arguments and results of a compiled function',
    unit: 'tensors',
    from: 1000,
    short: 100,
    prepare: (n) => {
      const xs = times(n, square);
      const step = compile((xs: readonly Tensor[]) => xs.map((x) => matMul(x, x)));
      return () => [step(xs), step(xs)];
    },
  },
  {
    name: 'scan',
    unit: 'steps',
    from: 2000,
    short: 250,
    prepare: (n) => {
      const xs = tensor(new Float32Array(2 * n), [n, 2]);
      return () => scan((carry: Tensor, x: Tensor) => [add(carry, x), carry] as const, tensor([0, 0]), xs);
    },
  },
  {
    name: 'checkpoint, one after the other',
    unit: 'calls',
    from: 1000,
    short: 100,
    prepare: (n) => {
      const x = variable(tensor([1, 2]));
      return () => {
        const tape = new GradientTape();
        return tape.gradient(
          chainOf((y) => checkpoint((z: Tensor) => sin(sin(z)))(y), x, n),
          x,
        );
      };
    },
  },
  {
    name: 'nested vmap',
    unit: 'levels',
    from: 25,
    to: 200,
    short: 12,
    prepare: (n) => {
      const x = tensor([1, 2]);
      const nest = (level: number): Tensor =>
        sum(vmap((y: Tensor) => (level === 0 ? sin(y) : add(sin(y), nest(level - 1))))(x));
      // Many nests: one takes so few launches that most of those of a small one are submitted only after it was measured.
      return () => {
        for (let k = 0; k < 20; k++) tidy(() => nest(n));
      };
    },
  },
  {
    name: 'vmap of many ops',
    unit,
    from: 2000,
    short: 250,
    prepare: (n) => {
      const x = tensor([1, 2, 3, 4], [2, 2]);
      const f = vmap((x: Tensor) => chainOf(sin, x, n));
      return () => f(x);
    },
  },
];

/** Ten replays, which take long enough to be measured. The first ones also check what the recording froze, and don't count. */
function replays(step: () => unknown): () => unknown {
  for (let call = 0; call < 4; call++) step();
  return () => {
    for (let call = 0; call < 10; call++) step();
  };
}

/** A step of gradient descent for n layers. */
function compiledStep(n: number) {
  const weights = times(n, () => variable(square()));
  return compile((x: Tensor) => {
    using tape = new GradientTape();
    const loss = lossOf(x, weights);
    const gradients = tape.gradient(loss, weights);
    gradients.forEach((gradient, i) => {
      const w = weights[i] as (typeof weights)[number];
      w.assign(add(w, mul(gradient as Tensor, -0.1)));
    });
    return loss;
  });
}
