/**
 * @file Random programs with state: a function that reads and assigns variables, called several times while the world
 * around it changes. Each program runs twice, eagerly and compiled, and both must agree bit by bit after every call.
 *
 * A program is plain data made from a seed. Its numbers are taken modulo what there is to choose from, so that any part
 * of it can be left out: that is how failures are reduced.
 */
import * as rg from '../../src/index.ts';
import type { Tensor, Variable } from '../../src/index.ts';

/** One statement of the function. */
interface Statement {
  readonly kind: string;
  readonly a: number;
  readonly b: number;
  readonly c: number;
}

/** What happens to the world between two calls. */
interface Change {
  readonly kind: ChangeKind;
  readonly a: number;
  readonly b: number;
}

/** One call: the structure of its arguments, where each tensor comes from, and what happened before. */
interface CallPlan {
  readonly structure: number;
  readonly sources: readonly number[];
  readonly throws: boolean;
  readonly changes: readonly Change[];
}

export interface Program {
  readonly seed: number;
  readonly rows: number;
  readonly columns: number;
  readonly variables: number;
  readonly statements: readonly Statement[];
  /** Which values are returned, and in which structure. */
  readonly results: readonly number[];
  readonly resultStructure: number;
  readonly calls: readonly CallPlan[];
}

/** Numbers in [0, 1) from a seed (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

const changeKinds = [
  'none',
  'assign',
  'hold a view',
  'let a view go',
  'write to the lent buffer',
  'dispose of the function',
  'compile the function again',
  'compute something else',
] as const;
type ChangeKind = (typeof changeKinds)[number];

export function makeProgram(seed: number): Program {
  const random = randomFrom(seed * 2654435761 + 1);
  const whole = (n: number) => Math.floor(random() * n);
  const many = <T>(n: number, make: () => T): T[] => Array.from({ length: n }, make);
  const structures = many(1 + whole(3), () => whole(argumentStructures.length));
  return {
    seed,
    rows: 1 + whole(5),
    columns: 1 + whole(5),
    variables: 1 + whole(3),
    statements: many(1 + whole(10), () => ({
      kind: statementKinds[whole(statementKinds.length)] as string,
      a: whole(1000),
      b: whole(1000),
      c: whole(1000),
    })),
    results: many(1 + whole(4), () => whole(1000)),
    resultStructure: whole(4),
    calls: many(4 + whole(4), () => ({
      structure: structures[whole(structures.length)] as number,
      sources: many(3, () => whole(1000)),
      throws: random() < 0.08,
      changes: many(whole(3), () => ({
        kind: changeKinds[whole(changeKinds.length)] as ChangeKind,
        a: whole(1000),
        b: whole(1000),
      })),
    })),
  };
}

/** How arguments are nested. Several have the same tensors under other names, in another order, or nested otherwise. */
const argumentStructures: ((x: Tensor, y: Tensor, z: Tensor) => unknown[])[] = [
  (x) => [x],
  (x) => [{ a: x }],
  (x) => [{ b: x }],
  (x) => [[x]],
  (x, y) => [x, y],
  (x, y) => [[x], y],
  (x, y) => [x, [y]],
  (x, y) => [[x, y]],
  (x, y) => [{ x, y }],
  (x, y) => [{ y, x }],
  (x, y, z) => [x, { y, z }],
  (x, y, z) => [{ x, nested: { y } }, z],
  (x) => [x, x],
  (x, y) => [x, y, x],
  (x) => [x, 0],
  (x) => [x, -0],
  (x) => [x, 1],
  (x) => [x, '1'],
  (x) => [x, true],
  (x) => [x, { train: true }],
  (x) => [x, { test: true }],
  (x) => [x, []],
  (x) => [x, {}],
  (x) => [x, null],
  (x) => [x, undefined],
  (x) => [x, 'a', 'b'],
  (x) => [x, 'a,b'],
  (x) => [x, 'a", "b'],
  (x) => [x, Number.NaN],
  () => [],
  () => [{ train: true }],
];

/** The tensors in arguments, and a number that depends on everything else in them. */
function readArguments(args: readonly unknown[]): { tensors: Tensor[]; code: number } {
  const tensors: Tensor[] = [];
  const text = (value: unknown): string => {
    if (value instanceof rg.Tensor) return `t${tensors.push(value)}`;
    if (Array.isArray(value)) return `[${value.map(text).join()}]`;
    if (typeof value === 'object' && value !== null)
      return Object.entries(value)
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([key, item]) => `${key}:${text(item)}`)
        .join();
    return Object.is(value, -0) ? '-0' : `${typeof value}${String(value)}`;
  };
  let code = 0;
  for (const letter of args.map(text).join('|')) code = (code * 31 + letter.charCodeAt(0)) % 97;
  return { tensors, code };
}

/** The state of one run of a program. Both runs have their own, with equal values. */
class World {
  readonly variables: Variable[];
  readonly constants: Tensor[];
  readonly lent: Tensor;
  readonly #lentBuffer: GPUBuffer;
  views: Tensor[] = [];
  /** What calls gave so far, but for what may change. */
  readonly results: Tensor[] = [];
  inputs: Tensor[] = [];

  constructor(
    readonly program: Program,
    gpu: GPUDevice,
  ) {
    const { rows, columns } = program;
    this.variables = Array.from({ length: program.variables }, (_, i) =>
      rg.variable(values([rows, columns], 11 + i)),
    );
    this.constants = [values([rows, columns], 21), values([columns], 22), rg.tensor(0.5)];
    this.#lentBuffer = gpu.createBuffer({
      size: Math.max(16, rows * columns * 4),
      usage: 0x80 | 0x8 | 0x4, // STORAGE, COPY_DST, COPY_SRC
    });
    this.lent = rg.fromBuffer(this.#lentBuffer, { shape: [rows, columns] });
    this.write(0, gpu);
  }

  write(seed: number, gpu: GPUDevice): void {
    gpu.queue.writeBuffer(this.#lentBuffer, 0, numbers(this.program.rows * this.program.columns, seed));
  }

  dispose(): void {
    this.#lentBuffer.destroy();
  }
}

/** Numbers of some variety, whose products round. */
function numbers(count: number, seed: number): Float32Array<ArrayBuffer> {
  const random = randomFrom(seed + 77);
  return Float32Array.from({ length: count }, () => random() * 4 - 2);
}

function values(shape: number[], seed: number): Tensor {
  return rg.tensor(
    numbers(
      shape.reduce((a, b) => a * b, 1),
      seed,
    ),
    { shape },
  );
}

/** What a statement works on: the values so far, and the world around the function. */
interface Frame {
  readonly world: World;
  readonly values: Tensor[];
  readonly throws: boolean;
}

type Run = (frame: Frame, statement: Statement) => void;

const pick = <T>(list: readonly T[], n: number): T => list[n % list.length] as T;
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
  'read the lent buffer': ({ values, world }) => void values.push(world.lent),
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
  'throw on demand': ({ throws }) => {
    if (throws) throw new Error('on demand');
  },
};

const statementKinds = Object.keys(statements);

/** Assigns what has the variable's shape; of another, its mean, everywhere. */
function assign(variable: Variable, value: Tensor): void {
  const fits = value.shape.join() === variable.shape.join();
  variable.assign(fits ? value : rg.add(rg.mul(variable, 0), rg.mean(value)));
}

/** The last argument of a call that is to throw. */
const onDemand = 'throw';

/** The function of a program, in a world. */
function functionOf(world: World): (...args: unknown[]) => unknown {
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

/** Where a tensor in the arguments comes from. */
function inputFrom(world: World, source: number, call: number): Tensor {
  const { rows, columns } = world.program;
  const kind = source % 8;
  if (kind === 0 && world.inputs.length > 0) return pick(world.inputs, source >> 3);
  if (kind === 1) return world.lent;
  if (kind === 2) return rg.identity(pick(world.variables, source >> 3));
  if (kind === 3) return rg.reshape(world.lent, { shape: [rows, columns] });
  if (kind === 4 && world.results.length > 0) return pick(world.results, source >> 3);
  const shape = pick([[rows, columns], [rows, columns], [columns], [rows, 1]], source >> 3);
  const made = values(shape, source * 7 + call);
  world.inputs.push(made);
  return made;
}

function tensorsIn(value: unknown): Tensor[] {
  if (value instanceof rg.Tensor) return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(tensorsIn);
}

/** The bits of tensors. Each is read once. */
type Bits = Map<Tensor, string>;

async function bitsOf(tensors: readonly Tensor[]): Promise<Bits> {
  const read = [...new Set(tensors)].map(async (tensor): Promise<[Tensor, string]> => {
    const data = await tensor.data();
    const numbers = Array.from(data, (n) => (Object.is(n, -0) ? '-0' : String(n)));
    return [tensor, `${tensor.dtype}[${tensor.shape}](${numbers.join()})`];
  });
  return new Map(await Promise.all(read));
}

/** `value` as text: the bits of its tensors, and the structure around them. */
function describe(value: unknown, bits: Bits): string {
  if (value instanceof rg.Tensor) return bits.get(value) as string;
  if (typeof value !== 'object' || value === null) return String(value);
  const parts = Object.entries(value).map(([key, item]) => `${key}: ${describe(item, bits)}`);
  return `{${parts.join('; ')}}`;
}

type Outcome = { result: unknown } | { error: string };

function outcomeOf(run: () => unknown): Outcome {
  try {
    return { result: run() };
  } catch (error) {
    return { error: String(error) };
  }
}

/** Runs `program` both ways. Returns what differed first, or null. */
export async function runProgram(program: Program): Promise<string | null> {
  const { gpu } = await rg.init();
  const worlds = [new World(program, gpu), new World(program, gpu)] as const;
  const [plain, other] = worlds;
  const eager = functionOf(plain);
  const body = functionOf(other);
  let compiled = rg.compile(body, { maxSignatures: 3 });
  const before: (() => Promise<string | null>)[] = [];
  try {
    for (const [index, call] of program.calls.entries()) {
      for (const change of call.changes) {
        if (change.kind === 'dispose of the function') compiled.dispose();
        if (change.kind === 'compile the function again') compiled = rg.compile(body);
        for (const world of worlds) applyChange(world, change, gpu);
      }
      const outcomes = worlds.map((world, which) => {
        const [x, y, z] = call.sources.map((source) => inputFrom(world, source, index)) as [
          Tensor,
          Tensor,
          Tensor,
        ];
        const args = pick(argumentStructures, call.structure)(x, y, z);
        if (call.throws) args.push(onDemand);
        rg.setRandomSeed(program.seed + index);
        return outcomeOf(() => (which === 0 ? eager : compiled)(...args));
      }) as [Outcome, Outcome];
      const states = worlds.map(({ variables }, which) => ({
        ...outcomes[which],
        variables: variables.map((v) => rg.identity(v)),
      }));
      const bits = await bitsOf(states.flatMap(tensorsIn));
      const [expected, found] = states.map((state) => describe(state, bits));
      if (expected !== found)
        return `call ${index + 1} of\n${print(program)}\nexpected ${expected}\nfound    ${found}`;
      const [ofPlain, ofOther] = outcomes.map(tensorsIn) as [Tensor[], Tensor[]];
      ofPlain.forEach((tensor, i) => {
        // The eager function may give the lent tensor itself back, whose values change; a compiled one gives a copy.
        if (tensor instanceof rg.Variable || tensor.storage.exposed) return;
        plain.results.push(tensor);
        other.results.push(ofOther[i] as Tensor);
      });
      // A result belongs to its caller: later calls leave it alone.
      const kept = ofOther.filter((t) => !(t instanceof rg.Variable) && !t.storage.exposed);
      before.push(async () => {
        const now = await bitsOf(kept);
        const changed = kept.some((tensor) => now.get(tensor) !== bits.get(tensor));
        return changed ? `the result of call ${index + 1} changed` : null;
      });
    }
    for (const check of before) {
      const changed = await check();
      if (changed) return `${changed}:\n${print(program)}`;
    }
    return null;
  } finally {
    compiled.dispose();
    for (const world of worlds) world.dispose();
  }
}

function applyChange(world: World, { kind, a, b }: Change, gpu: GPUDevice): void {
  const { rows, columns } = world.program;
  const variable = pick(world.variables, a);
  if (kind === 'assign') variable.assign(values([rows, columns], b));
  if (kind === 'hold a view') world.views.push(rg.identity(variable));
  if (kind === 'let a view go') world.views.pop()?.dispose();
  if (kind === 'write to the lent buffer') world.write(b, gpu);
  if (kind === 'compute something else') rg.tidy(() => void rg.square(rg.add(variable, b)));
}

/** A program as text. */
export function print(program: Program): string {
  const { seed, rows, columns, variables, statements, results, resultStructure, calls } = program;
  const lines = [
    `program ${seed}: ${variables} variables of [${rows}, ${columns}]`,
    ...statements.map(({ kind, a, b, c }) => `  ${kind} ${a} ${b} ${c}`),
    `  return ${results.join(' ')} as structure ${resultStructure}`,
    ...calls.map(({ structure, sources, throws, changes }) => {
      const around = changes.map(({ kind, a, b }) => `${kind} ${a} ${b}; `).join('');
      return `  ${around}call with ${argumentStructures[structure % argumentStructures.length]} of ${sources.join(' ')}${throws ? ', throwing' : ''}`;
    }),
  ];
  return lines.join('\n');
}

/** Leaves parts of a failing program out, as long as it fails. Returns the smallest found, with what differs in it. */
export async function reduceProgram(program: Program): Promise<{ program: Program; failure: string }> {
  let smallest = program;
  let failure = (await runProgram(program)) ?? '';
  for (let shrunk = true; shrunk; ) {
    shrunk = false;
    for (const candidate of smallerThan(smallest)) {
      const found = await runProgram(candidate).catch((error) => String(error));
      if (found === null) continue;
      [smallest, failure, shrunk] = [candidate, found, true];
      break;
    }
  }
  return { program: smallest, failure };
}

function* smallerThan(program: Program): Generator<Program> {
  const { statements, calls, results, variables } = program;
  const without = <T>(list: readonly T[], i: number) => list.filter((_, j) => j !== i);
  for (let i = calls.length - 1; i >= 0; i--)
    if (calls.length > 1) yield { ...program, calls: without(calls, i) };
  for (let i = statements.length - 1; i >= 0; i--) yield { ...program, statements: without(statements, i) };
  for (let i = 0; i < results.length; i++)
    if (results.length > 1) yield { ...program, results: without(results, i) };
  for (const [i, call] of calls.entries())
    for (let j = 0; j < call.changes.length; j++)
      yield { ...program, calls: calls.with(i, { ...call, changes: without(call.changes, j) }) };
  if (variables > 1) yield { ...program, variables: 1 };
}

/** Runs the programs of the seeds in [from, to). Returns what the first failure reduces to, or null. */
export async function checkPrograms(from: number, to: number): Promise<string | null> {
  for (let seed = from; seed < to; seed++) {
    const program = makeProgram(seed);
    if ((await runProgram(program)) !== null) return (await reduceProgram(program)).failure;
  }
  return null;
}
