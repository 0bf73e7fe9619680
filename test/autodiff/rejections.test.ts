/** @file Errors of autodiff name the function that was called, the argument, and what it got. */
import { beforeAll, expect, test } from 'vitest';
import {
  add,
  checkpoint,
  compile,
  customGradient,
  customJvp,
  defineOp,
  GradientTape,
  grad,
  gradients,
  grads,
  hessian,
  hvp,
  init,
  jacfwd,
  jacobian,
  jvp,
  linearize,
  memory,
  type Op,
  RetrogradError,
  scan,
  square,
  sum,
  type Tensor,
  tensor,
  valueAndGrad,
  valueAndGrads,
  vjp,
  vmap,
  warmup,
} from '../../src/index.ts';
import { input } from '../../src/keras/index.ts';
import { installNodeGpu } from '../support/gpu.ts';

beforeAll(async () => {
  await installNodeGpu();
  await init();
});

const x = () => tensor([1, 2]);
const total = (given: Tensor) => sum(square(given));
/** A list that is longer than any list of tensors. */
const tooMany = new Array(2 ** 20 + 1);
/** Calls `fn` with anything. */
const called = (fn: unknown, ...args: unknown[]) => (fn as (...args: unknown[]) => unknown)(...args);
const taped = (body: (tape: GradientTape, x: Tensor, y: Tensor) => unknown) => {
  using tape = new GradientTape({ persistent: true });
  const given = x();
  tape.watch(given);
  return body(tape, given, square(given));
};

test.each<[name: string, call: () => unknown, message: RegExp]>([
  ['grad of no function', () => called(called(grad, 3), x()), /^grad: /],
  ['valueAndGrad of no function', () => called(called(valueAndGrad, 3), x()), /^valueAndGrad: /],
  ['grads of no function', () => called(called(grads, 3), [x()]), /^grads: /],
  ['valueAndGrads of no function', () => called(called(valueAndGrads, 3), [x()]), /^valueAndGrads: /],
  ['jacobian of no function', () => called(called(jacobian, 3), x()), /^jacobian: /],
  ['jacfwd of no function', () => called(called(jacfwd, 3), x()), /^jacfwd: /],
  ['hessian of no function', () => called(called(hessian, 3), x()), /^hessian: /],
  ['vjp of no function', () => called(vjp, 3, [x()]), /^vjp: /],
  ['jvp of no function', () => called(jvp, 3, [x()], [x()]), /^jvp: /],
  ['linearize of no function', () => called(linearize, 3, [x()]), /^linearize: /],
  ['hvp of no function', () => called(hvp, 3, [x()], [x()]), /^hvp: /],
  ['scan of no function', () => called(scan, 3, x(), x()), /^scan: /],
  ['vmap of no function', () => called(called(vmap, 3), x()), /^vmap: /],
  ['compile of no function', () => called(compile, 3), /^compile: /],
  ['checkpoint of no function', () => called(checkpoint, 3), /^checkpoint: .*\bf\b/s],
  ['customGradient of no function', () => called(customGradient, 3), /^customGradient: .*\bf\b/s],
  ['customJvp of no function', () => called(customJvp, 3), /^customJvp: `f` .*a function/s],
  ['customJvp without a rule', () => called(customJvp, square, 3), /^customJvp: `rule` .*a function/s],
  ['gradients of no function', () => called(gradients, 3, x()), /^gradients: .*\bf\b/s],
  ['jacobian, two functions', () => called(jacobian, total, total), /^jacobian: .*\(f\)/s],
  ['jacfwd, two functions', () => called(jacfwd, total, total), /^jacfwd: .*\(f\)/s],
  ['hessian, two functions', () => called(hessian, total, total), /^hessian: .*\(f\)/s],
  ['an input of vjp', () => called(vjp, total, [3]), /^vjp: .*inputs\[0\]: 3/s],
  ['an input of jvp', () => called(jvp, total, [3], [x()]), /^jvp: .*inputs\[0\]: 3/s],
  ['an input of hvp', () => called(hvp, total, [3], [x()]), /^hvp: .*inputs\[0\]: 3/s],
  ['vjp, no list', () => called(vjp, total, x()), /^vjp: .*as one list.*vjp\(f, \[x\]/s],
  ['jvp, no list', () => called(jvp, total, x(), [x()]), /^jvp: .*as one list.*jvp\(f, \[x\]/s],
  [
    'linearize, no list',
    () => called(linearize, total, x()),
    /^linearize: .*as one list.*linearize\(f, \[x\]/s,
  ],
  ['hvp, no list', () => called(hvp, total, x(), [x()]), /^hvp: .*as one list.*hvp\(f, \[x\]/s],
  ['jvp, tangents', () => called(jvp, total, [x()], 3), /^jvp: .*tangents/s],
  [
    'jvp, the shapes of tangents',
    () => jvp(total, [x()], [tensor(1)]),
    /^jvp: tangents .*shapes of the inputs/s,
  ],
  [
    'jvp, the structure of tangents',
    () => called(jvp, total, [x()], [[x()]]),
    /^jvp: tangents and the inputs/s,
  ],
  ['hvp, vectors', () => called(hvp, total, [x()], 3), /^hvp: .*vectors/s],
  [
    'hvp, the shapes of vectors',
    () => hvp(total, [x()], [tensor(1)]),
    /^hvp: vectors .*shapes of the inputs/s,
  ],
  ['a value of vjp', () => called(vjp, () => 3, [x()]), /^vjp: .*the value/s],
  ['a value of jvp', () => called(jvp, () => 3, [x()], [x()]), /^jvp: .*the value/s],
  ['a value of linearize', () => called(linearize, () => 3, [x()]), /^linearize: .*the value/s],
  ['a value of hvp', () => called(hvp, () => 3, [x()], [x()]), /^hvp: .*must return one tensor/s],
  ['vjp, an unknown option', () => called(vjp, total, [x()], { hasAuxx: true }), /^vjp: .*hasAux/s],
  [
    'vjp, no pair',
    () => called(vjp, total, [x()], { hasAux: true }),
    /^vjp: with hasAux .*a pair.*return \[value, aux\]/s,
  ],
  [
    'cotangents of pullback',
    () => called(vjp(total, [x()]).pullback, x()),
    /^pullback: cotangents .*shapes of the value/s,
  ],
  ['no cotangents of pullback', () => called(vjp(total, [x()]).pullback, 3), /^pullback: .*cotangents/s],
  [
    'tangents of pushforward',
    () => called(linearize(total, [x()]).pushforward, [tensor(1)]),
    /^pushforward: tangents .*shapes of the inputs/s,
  ],
  [
    'no tangents of pushforward',
    () => called(linearize(total, [x()]).pushforward, 3),
    /^pushforward: .*tangents/s,
  ],
  ['compile, three arguments', () => called(compile, total, {}, 1), /^compile: .*fn.*options/s],
  ['compile, an unknown option', () => called(compile, total, { names: 'a' }), /^compile: .*'?name'?/s],
  [
    'compile, signatures',
    () => called(compile, total, { maxSignatures: 0 }),
    /^compile: .*maxSignatures.*0/s,
  ],
  ['grad, an unknown option', () => called(grad, total, { hasAuxx: true }), /^grad: .*hasAux/s],
  [
    'a value of jacobian',
    () =>
      called(
        jacobian(() => 3 as never),
        x(),
      ),
    /^jacobian: .*the value/s,
  ],
  ['a value of hessian', () => called(hessian(square), x()), /^hessian: .*scalar.*\[2\]/s],
  [
    'no value of hessian',
    () =>
      called(
        called(hessian, () => 3),
        x(),
      ),
    /^hessian: .*must return one tensor.*3/s,
  ],
  [
    'no value of jacfwd',
    () =>
      called(
        called(jacfwd, () => 3),
        x(),
      ),
    /^jacfwd: .*the value: 3/s,
  ],
  [
    'no value of customJvp',
    () =>
      called(
        called(
          customJvp,
          () => 3,
          () => 3,
        ),
        x(),
      ),
    /^customJvp: .*must return one tensor.*3/s,
  ],
  ['grad, argnums', () => called(grad(total, { argnums: 0.5 }), x()), /^grad: `argnums`/],
  [
    'a target of tape.jacobian',
    () => taped((tape, x) => tape.jacobian(5 as never, x)),
    /^jacobian: target and source must be tensors.*5/s,
  ],
  [
    'a source of tape.jacobian',
    () => taped((tape, x, y) => tape.jacobian(y, [x] as never)),
    /^jacobian: target and source must be tensors/,
  ],
  [
    'a source of tape.batchJacobian',
    () => taped((tape, _, y) => tape.batchJacobian(y, null as never)),
    /^batchJacobian: target and source must be tensors.*null/s,
  ],
  ['an input of jacobian', () => called(jacobian(total), 3), /^jacobian: .*input 0/s],
  ['an input of jacfwd', () => called(jacfwd(total), 3), /^jacfwd: .*input 0/s],
  ['an input of hessian', () => called(hessian(total), 3), /^hessian: .*input 0/s],
  ['an input of grad', () => called(grad(total), 'x'), /^grad: .*input 0/s],
  ['scan, reverse', () => called(scan, (c: Tensor) => [c, c], x(), x(), { reverse: 1 }), /^scan: .*reverse/s],
  ['scan, length', () => called(scan, (c: Tensor) => [c, c], x(), null, { length: -1 }), /^scan: .*length/s],
  ['scan, no length', () => called(scan, (c: Tensor) => [c, c], x(), null), /^scan: .*length/s],
  ['scan, init', () => called(scan, (c: Tensor) => [c, c], 'no', x()), /^scan: .*init/s],
  ['scan, xs', () => called(scan, (c: Tensor) => [c, c], x(), 'no'), /^scan: .*xs/s],
  [
    'scan, a carry of no tensors',
    () => called(scan, (c: Tensor) => [3, c], x(), x()),
    /^scan: .*the carry: 3/s,
  ],
  [
    'scan, an init without tensors',
    () => called(scan, (c: object) => [c, null], {}, x()),
    /^scan: init must have at least one tensor/,
  ],
  [
    'vjp, a triple',
    () => called(vjp, (a: Tensor) => [a, a, a], [x()], { hasAux: true }),
    /^vjp: with hasAux .*a pair/s,
  ],
  [
    'scan, one of two carries',
    () =>
      called(
        scan,
        ({ a, b }: Record<string, Tensor>) => [{ a, b: sum(b as Tensor) }, a],
        { a: x(), b: x() },
        x(),
      ),
    /^scan: .*keeps its structure/s,
  ],
  ['scan, results of no tensors', () => called(scan, (c: Tensor) => [c, 3], x(), x()), /^scan: .*y: 3/s],
  [
    'scan, a carry with another key',
    () => called(scan, ({ a, b }: Record<string, Tensor>) => [{ a, c: b }, a], { a: x(), b: x() }, x()),
    /^scan: .*\{a: \*, c: \*\} of .*after \{a: \*, b: \*\} of/s,
  ],
  [
    'scan, no pair',
    () => called(scan, (c: Tensor) => c, x(), x()),
    /^scan: .*a pair.*return \[carry, y\]; y may be null/s,
  ],
  [
    'scan, the carry',
    () => called(scan, (c: Tensor) => [sum(c), c], x(), x()),
    /^scan: .*keeps its structure/s,
  ],
  [
    'customGradient, no gradient',
    () => customGradient(() => ({ value: x(), gradient: 3 }) as never)(x()),
    /^customGradient: .*value, gradient/s,
  ],
  [
    'customGradient, no value',
    () => customGradient(() => ({ value: 3, gradient: square }) as never)(x()),
    /^customGradient: .*value, gradient/s,
  ],
  [
    'no targets',
    () => taped((tape) => tape.gradient([], x())),
    /^gradient: targets must be tensors.*none.*not called yet may be empty/s,
  ],
  ['no sources', () => taped((tape, _, y) => tape.gradient(y, [])), /^gradient: sources must be.*none/s],
  [
    'too many targets',
    () => taped((tape) => tape.gradient(tooMany as never, x())),
    /^gradient: .*1048576.*1048577/s,
  ],
  [
    'too many sources',
    () => taped((tape, _, y) => tape.gradient(y, tooMany as never)),
    /^gradient: .*1048577/s,
  ],
  ['too many to watch', () => taped((tape) => tape.watch(tooMany as never)), /^watch: .*1048577/s],
  [
    'too many output gradients',
    () => taped((tape, x, y) => tape.gradient(y, x, { outputGradients: tooMany as never })),
    /^gradient: .*1048577/s,
  ],
  [
    'watching integers',
    () => taped((tape) => tape.watch(tensor([1], { dtype: 'int32' }))),
    /^watch: .*int32\[1\]/s,
  ],
  [
    'watching a number',
    () => taped((tape) => tape.watch(3 as never)),
    /^watch: a tape watches floating-point.*3/s,
  ],
  [
    'gradient, an unknown option',
    () => taped((tape, x, y) => tape.gradient(y, x, { outputGradient: y } as never)),
    /^gradient: .*outputGradients/s,
  ],
  [
    'a source that is none',
    () => taped((tape, _, y) => tape.gradient(y, 3 as never)),
    /^gradient: sources must be tensors.*3.*net\.trainableWeights/s,
  ],
  ['options of a tape', () => new GradientTape({ persist: true } as never), /^GradientTape: .*'persistent'/s],
  ['persistent', () => new GradientTape({ persistent: 1 as never }), /^GradientTape: `persistent`/],
  [
    'watchAccessedVariables',
    () => new GradientTape({ watchAccessedVariables: 1 as never }),
    /^GradientTape: `watchAccessedVariables`/,
  ],
  [
    'GradientTape.run, arguments',
    () => called(GradientTape.run, () => 1, {}, 1),
    /^GradientTape\.run: .*body.*options/s,
  ],
  [
    'a Jacobian of a tape, arguments',
    () => taped((tape, x, y) => called(tape.jacobian.bind(tape), y, x, {}, 1)),
    /^jacobian: .*target.*source.*options/s,
  ],
  ['an input of linearize', () => called(linearize, square, [3]), /^linearize: .*inputs\[0\]: 3/s],
  ['axes of no tree', () => called(vmap(square, { inAxes: [{}] }), x()), /^vmap: .*axes/s],
  [
    'a symbolic operand in a map',
    () => vmap((row: Tensor) => add(row, input({ shape: [] }) as never))(x()),
    /^add: .*symbolic/s,
  ],
  [
    'a mapped operand after a symbolic one',
    () => vmap((row: Tensor) => add(input({ shape: [] }) as never, row))(x()),
    /^add: .*symbolic/s,
  ],
  [
    'scan, a carry of an array after an object',
    () => called(scan, ([c]: Tensor[]) => [{ 0: c }, c], [x()], x()),
    /^scan: .*keeps its structure/s,
  ],
  [
    'watching a symbolic tensor',
    () => taped((tape) => tape.watch(input({ shape: [2] }) as never)),
    /^watch: what is watched must be tensors.*symbolic tensor has no values/s,
  ],
  [
    'gradient, arguments',
    () => taped((tape, x, y) => called(tape.gradient.bind(tape), y, x, {}, 1)),
    /^gradient: .*target, sources, options/s,
  ],
  [
    'output gradients, too few',
    () => taped((tape, x, y) => tape.gradient([y, y], x, { outputGradients: [y] } as never)),
    /^gradient: .*one entry for each target.*1 for 2 targets/s,
  ],
  [
    'output gradients, no tensor',
    () => taped((tape, x, y) => tape.gradient(y, x, { outputGradients: 2 as never })),
    /^gradient: .*an output gradient is a tensor.*2/s,
  ],
  [
    'output gradients, another shape',
    () => taped((tape, x, y) => tape.gradient(y, x, { outputGradients: sum(y) })),
    /^gradient: .*the shape of its target.*\[\].*\[2\]/s,
  ],
  [
    'unconnected gradients',
    () => taped((tape, x, y) => tape.gradient(y, x, { unconnectedGradients: 'zeros' as never })),
    /^gradient: .*'none' or 'zero'.*'zeros'/s,
  ],
  [
    'several sources, gradient',
    () => taped((tape, x, y) => called(tape.gradient.bind(tape), y, x, x)),
    /^gradient: .*one list/s,
  ],
  [
    'several sources, gradients',
    () => called(gradients, () => sum(x()), x(), x()),
    /^gradients: .*one list.*gradients\(f, \[a, b\]\)/s,
  ],
  [
    'a batch Jacobian, arguments',
    () => taped((tape, x, y) => called(tape.batchJacobian.bind(tape), y, x, {}, 1)),
    /^batchJacobian: .*target.*source.*options/s,
  ],
  [
    'a batch Jacobian, batches',
    () => taped((tape, x, y) => tape.batchJacobian(sum(y), x)),
    /^batchJacobian: .*share their first axis.*\[\].*\[2\]/s,
  ],
  [
    'watch, arguments',
    () => taped((tape, x) => called(tape.watch.bind(tape), x, x)),
    /^watch: .*\[tensor, …\]/s,
  ],
  [
    'a Jacobian of a tape, options',
    () => taped((tape, x, y) => called(tape.jacobian.bind(tape), y, x, { outputGradients: y })),
    /^jacobian: its options are unconnectedGradients/,
  ],
  [
    'a batch Jacobian, options',
    () => taped((tape, x, y) => called(tape.batchJacobian.bind(tape), y, x, { outputGradients: y })),
    /^batchJacobian: its options are unconnectedGradients/,
  ],
  [
    'explain, no tensor',
    () => taped((tape, x) => tape.explain(3 as never, x)),
    /^explain: target and source must be tensors.*3/s,
  ],
  [
    'gradients, an unknown option',
    () => called(gradients, () => sum(x()), x(), { zero: 1 }),
    /^gradients: .*unconnectedGradients/s,
  ],
  [
    'a batch Jacobian of scalars',
    () => taped((tape) => tape.batchJacobian(tensor(1), tensor(2))),
    /^batchJacobian: .*share their first axis/s,
  ],
  [
    'explain, arguments',
    () => taped((tape, x, y) => called(tape.explain.bind(tape), y, x, 1)),
    /^explain: .*target.*source/s,
  ],
  [
    'a tape that was used up',
    () => {
      using tape = new GradientTape();
      const given = x();
      tape.watch(given);
      const y = square(given);
      tape.gradient(y, given);
      tape.gradient(y, given);
    },
    /^gradient: .*one set of gradients.*used up/s,
  ],
])('%s', (_, call, message) => {
  expect(call).toThrow(RetrogradError);
  expect(call).toThrow(message);
});

test('warmup of no function', async () => {
  await expect(warmup(3 as never)).rejects.toThrow(/^warmup: .*a function, or a model/s);
});

test('warmup takes options of a model, and nothing after them', async () => {
  const given: object[] = [];
  const model = { dryRun: (options: object) => void given.push(options) };
  await warmup(model);
  await warmup(model, { batchSize: 2 });
  expect(given).toEqual([{}, { batchSize: 2 }]);
  await expect(called(warmup, model, {}, 1)).rejects.toThrow(/^warmup: .*model.*options/s);
});

test('a compiled function that throws holds nothing', () => {
  const given = x();
  const f = compile((x: Tensor): Tensor => {
    add(x, 1);
    throw new Error('no');
  });
  expect(() => f(given)).toThrow('no');
  const { tensors, bytes } = memory();
  for (let i = 0; i < 3; i++) expect(() => f(given)).toThrow('no');
  expect(memory()).toMatchObject({ tensors, bytes });
});

test.each<[gives: string, gradients: unknown, message: RegExp]>([
  ['nothing', undefined, /^wrong: `backward` returns a list.*undefined/s],
  ['no list', 3, /^wrong: `backward` returns a list.*each of the 2 inputs.*3/s],
  ['a list without tensors', [3, null], /^wrong: `backward` returns a list/s],
  ['another shape', [() => tensor(1), null], /^wrong: .*shapes of the inputs.*\[\] for input 0.*\[2\]/s],
])('a backward function that gives %s', (_, given, message) => {
  const gradients = Array.isArray(given) ? given.map((g) => (typeof g === 'function' ? g() : g)) : given;
  const wrong: Op<[x: Tensor, y: Tensor]> = defineOp({
    name: 'wrong',
    inputs: ['x', 'y'],
    infer: ([x]) => ({ shape: x.shape, dtype: x.dtype }),
    forward: ([x, y]) => add(x, y),
    backward: () => gradients as never,
  });
  const call = () => grad((x: Tensor) => sum(wrong(x, tensor([1, 1]))))(x());
  expect(call).toThrow(RetrogradError);
  expect(call).toThrow(message);
});
