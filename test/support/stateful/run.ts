/** @file Runs a stateful program eagerly and compiled, and compares both after every call. */
import * as rg from '../../../src/index.ts';
import type { Tensor } from '../../../src/index.ts';
import { argumentStructures } from './arguments.ts';
import { pick } from './numbers.ts';
import type { Program } from './program.ts';
import { functionOf, onDemand } from './statements.ts';
import { applyChange, inputFrom, World } from './world.ts';

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

/** Runs `program` both ways. Returns the first difference, or null. */
export async function runProgram(program: Program): Promise<string | null> {
  const { gpu } = await rg.init();
  const worlds = [new World(program, gpu, true), new World(program, gpu)] as const;
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
      const states = worlds.map(({ state }, which) => ({
        ...outcomes[which],
        variables: state.map((v) => rg.identity(v)),
      }));
      const bits = await bitsOf(states.flatMap(tensorsIn));
      const [expected, found] = states.map((state) => describe(state, bits));
      if (expected !== found)
        return `call ${index + 1} of\n${print(program)}\nexpected ${expected}\nfound    ${found}`;
      const [ofPlain, ofOther] = outcomes.map(tensorsIn) as [Tensor[], Tensor[]];
      ofPlain.forEach((tensor, i) => {
        // The eager function may return the shared tensor itself, whose values change; a compiled one returns a copy.
        if (tensor instanceof rg.Variable || tensor.storage.exposed) return;
        plain.results.push(tensor);
        other.results.push(ofOther[i] as Tensor);
      });
      // A result belongs to its caller: later calls don't change it.
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

/** Returns a program as text. */
function print(program: Program): string {
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
