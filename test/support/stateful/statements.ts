/** @file The statements of stateful programs, and the function that they make up. */
import * as rg from '../../../src/index.ts';
import type { Tensor, Variable } from '../../../src/index.ts';
import { readArguments } from './arguments.ts';
import { pick } from './numbers.ts';
import type { Statement } from './program.ts';
import { layerKinds } from './statementKinds.ts';
import type { World } from './world.ts';

/** The context of a statement: the values so far, and the world around the function. */
interface Frame {
  readonly world: World;
  readonly values: Tensor[];
  readonly throws: boolean;
}

type Run = (frame: Frame, statement: Statement) => void;

const unary =
  (op: (x: Tensor) => Tensor): Run =>
  ({ values }, { a }) =>
    void values.push(op(pick(values, a)));
const binary =
  (op: (x: Tensor, y: Tensor) => Tensor): Run =>
  ({ values }, { a, b }) =>
    void values.push(op(pick(values, a), pick(values, b)));
const scalars = [0.1, -0.3, 0.5, 1.7, 2];

const statements: Record<string, Run> = {
  add: binary((x, y) => rg.add(x, y)),
  sub: binary((x, y) => rg.sub(x, y)),
  mul: binary((x, y) => rg.mul(x, y)),
  div: binary((x, y) => rg.div(x, y)),
  maximum: binary((x, y) => rg.maximum(x, y)),
  where: ({ values }, { a, b, c }) =>
    void values.push(
      rg.where(rg.greater(pick(values, a), pick(values, b)), pick(values, c), pick(values, a)),
    ),
  'sum of products': ({ values }, { a, b, c }) => {
    const [x, y, z] = [pick(values, a), pick(values, b), pick(values, c)];
    values.push(rg.add(rg.mul(x, z), rg.mul(y, z)));
  },
  'scalar ops': ({ values }, { a, b, c }) =>
    void values.push(rg.add(rg.mul(pick(values, a), pick(scalars, b)), pick(scalars, c))),
  neg: unary((x) => rg.neg(x)),
  relu: unary((x) => rg.relu(x)),
  leakyRelu: unary((x) => rg.leakyRelu(x, { negativeSlope: 0.3 })),
  sigmoid: unary((x) => rg.sigmoid(x)),
  tanh: unary((x) => rg.tanh(x)),
  square: unary((x) => rg.square(x)),
  integers: unary((x) => rg.cast(rg.cast(rg.tanh(x), { dtype: 'int32' }), { dtype: 'float32' })),
  identity: unary((x) => rg.identity(x)),
  reshape: unary((x) => rg.reshape(rg.reshape(x, { shape: [x.size] }), { shape: [...x.shape] })),
  expandDims: unary((x) => rg.squeeze(rg.expandDims(x, { axis: 0 }), { axis: 0 })),
  stopGradient: unary((x) => rg.stopGradient(x)),
  cast: unary((x) => rg.cast(x, { dtype: 'float32' })),
  sum: unary((x) => rg.sum(x, { axis: x.rank === 0 ? [] : [x.rank - 1], keepDims: true })),
  mean: unary((x) => rg.mean(x)),
  softmax: unary((x) => (x.rank === 0 ? x : rg.softmax(x))),
  matMul: unary((x) => (x.rank === 2 ? rg.matMul(rg.matMul(x, x, { transposeB: true }), x) : x)),
  flip: unary((x) => (x.rank === 0 ? x : rg.flip(x, { axis: 0 }))),
  fill: ({ values, world }, { a, b }) => {
    const { rows, columns } = world.program;
    values.push(rg.fill(pick([[rows, columns], [columns], []], a), pick(scalars, b)));
  },
  'fill, broadcast': ({ values, world }, { a, b }) => {
    const { rows, columns } = world.program;
    const zeros = rg.zeros([rows, columns]);
    values.push(rg.batchNorm(zeros, pick(values, a), rg.square(pick(values, b)), null, null));
  },
  'random numbers': ({ values, world }) => void values.push(rg.randomUniform([world.program.columns])),
  dropout: unary((x) => rg.dropout(x, { rate: 0.3 })),
  'read a variable': ({ values, world }, { a }) => void values.push(pick(world.variables, a)),
  'a view of a variable': ({ values, world }, { a, b }) => {
    const variable = pick(world.variables, a);
    const view = pick(
      [rg.identity, rg.stopGradient, (x: Tensor) => rg.reshape(x, { shape: [...x.shape] })],
      b,
    );
    values.push(view(variable));
  },
  'read a constant': ({ values, world }, { a }) => void values.push(pick(world.constants, a)),
  'read the shared buffer': ({ values, world }) => void values.push(world.shared),
  assign: ({ values, world }, { a, b }) => void assign(pick(world.variables, a), pick(values, b)),
  accumulate: ({ values, world }, { a, b }) => {
    const variable = pick(world.variables, a);
    assign(variable, rg.add(rg.mul(variable, 0.9), pick(values, b)));
  },
  exchange: ({ world }, { a, b }) => {
    const [one, other] = [pick(world.variables, a), pick(world.variables, b)];
    const before = rg.identity(one);
    one.assign(other);
    other.assign(before);
  },
  'step of descent': ({ values, world }, { a, b }) => {
    const variable = pick(world.variables, a);
    using tape = new rg.GradientTape();
    const loss = rg.mean(rg.square(rg.sub(rg.tanh(rg.mul(variable, pick(values, b))), 0.1)));
    const gradient = tape.gradient(loss, variable);
    if (gradient) {
      variable.assign(rg.sub(variable, rg.mul(gradient, 0.1)));
      values.push(gradient);
    }
    values.push(loss);
  },
  // The eager function calls the body itself: gradients, assignments and random numbers must be the same.
  checkpoint: ({ values, world }, { a, b, c }) => {
    const [x, h] = [rg.identity(pick(values, a)), rg.identity(pick(values, b))];
    const variable = pick(world.variables, c);
    const body = (input: Tensor): Tensor => {
      const before = rg.mul(rg.tanh(rg.dropout(input, { rate: 0.2 })), h);
      const result = rg.mul(before, variable);
      assign(variable, rg.tanh(result));
      return result;
    };
    using tape = new rg.GradientTape();
    tape.watch([x, h]);
    const result = (world.isPlain ? body : rg.checkpoint(body))(x);
    assign(variable, rg.add(variable, 1));
    values.push(...tape.gradient(result, [x, h, variable], { unconnectedGradients: 'zero' }));
  },
  scan: ({ values, world }, { a, b, c }) => {
    const [h, start] = [rg.identity(pick(values, a)), rg.identity(pick(world.variables, b))];
    const variable = pick(world.variables, c);
    using tape = new rg.GradientTape();
    tape.watch([h, start]);
    const [last] = rg.scan(
      (carry: Tensor) => {
        const next = rg.tanh(rg.add(rg.mul(carry, variable), rg.mean(h)));
        if (c % 2 === 0) variable.assign(rg.mul(variable, 0.5));
        return [next, null] as const;
      },
      start,
      null,
      { length: 1 + (c % 5) },
    );
    values.push(...tape.gradient(last, [h, start, variable], { unconnectedGradients: 'zero' }));
  },
  'map of gradients': ({ values, world }, { a, b, c }) => {
    const [x, by] = [pick(world.variables, a), rg.identity(pick(values, b))];
    const steep = rg.customGradient((y) => ({ value: rg.tanh(y), gradient: (dy) => rg.mul(dy, 0.5) }));
    const one = (row: Tensor) => rg.mul(steep(row), rg.mean(by));
    values.push(rg.vmap(rg.grad(c % 2 === 0 || world.isPlain ? one : (row) => rg.checkpoint(one)(row)))(x));
  },
  'a layer': ({ values, world }, { a, b }) => void values.push(world.layers.single(pick(values, a), b)),
  'nested models': ({ values, world }, { a, b }) => void values.push(world.layers.nested(pick(values, a), b)),
  'recurrent layer with a mask': ({ values, world }, { a, b }) =>
    void values.push(world.layers.recurrent(pick(values, a), b)),
  'training step': ({ values, world }, { a }) => void values.push(world.layers.train(pick(values, a))),
  'throw on demand': ({ throws }) => {
    if (throws) throw new Error('on demand');
  },
};

const transforms = new Set(['checkpoint', 'scan', 'map of gradients']);

/** All kinds. */
export const allStatementKinds = Object.keys(statements);
/** Those without layers and transforms of functions, of which programs are quick. */
export const statementKinds = allStatementKinds.filter(
  (kind) => !transforms.has(kind) && !layerKinds.has(kind),
);

/** Assigns a value if it has the variable's shape, otherwise fills the variable with its mean. */
function assign(variable: Variable, value: Tensor): void {
  const fits = value.shape.join() === variable.shape.join();
  variable.assign(fits ? value : rg.add(rg.mul(variable, 0), rg.mean(value)));
}

/** The last argument of a call that should throw. */
export const onDemand = 'throw';

/** Returns the function of a program, in a world. */
export function functionOf(world: World): (...args: unknown[]) => unknown {
  const { program } = world;
  return (...args) => {
    const { tensors, code } = readArguments(args);
    const throws = args.at(-1) === onDemand;
    const values: Tensor[] = [...tensors, ...world.variables, rg.tensor(code / 10)];
    for (const statement of program.statements)
      (statements[statement.kind] as Run)({ world, values, throws }, statement);
    const given = program.results.map((n) => pick(values, n));
    const [first, ...rest] = given;
    return [given, first, { first, rest }, [{ rest }, first, 'done']][program.resultStructure];
  };
}
