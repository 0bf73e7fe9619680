/**
 * @file Common code of the forms of the engine that use tiles in workgroup memory: a workgroup of groupM × groupN invocations
 * computes a tile of C, of groupM · blockM rows and groupN · blockN columns. For each k tile of `depth` steps it loads its
 * rows of A and columns of B into workgroup memory, and multiplies them from there. The next k tile is being loaded into
 * registers while this one is multiplied.
 */
import { each, range, repeat } from '../lib/text.ts';
import { wgsl } from '../lib/wgsl.ts';
import { blockInC, declarations } from './block.ts';
import { Loader } from './loader.ts';
import { Operand } from './operand.ts';
import { type GemmOptions, invocationsOf, type Problem } from './problem.ts';

/** The WGSL of a specific form. It can use `first_row` and `first_column`, the tile's position in C, and `local`. */
export interface TiledForm {
  /** Declarations at module scope, including the tiles. */
  memory: string;
  /** Further parameters of the entry point. */
  builtins?: string;
  /** Before the loop. */
  prologue: string;
  /** Stores the values of an operand fetched in a round in its tile. */
  store(operand: Loader, round: number): string;
  /** Multiplies the tiles. */
  multiply: string;
  /** Writes the sums. */
  epilogue: string;
}

export function tiled(
  options: GemmOptions,
  problem: Problem,
  formOf: (a: Loader, b: Loader) => TiledForm,
): string {
  const { flat, remainderFirst } = options;
  const { groupM, groupN, groupK = 1, blockM, blockN, depth } = options.tile;
  const threads = invocationsOf(options.tile);
  const [tileM, tileN] = [groupM * blockM, groupN * blockN];
  const { a, b } = loaders(options, problem);
  const rounds = roundsOf(a, b);
  const form = formOf(a, b);
  const bySegment = problem.segments !== 'one' && !flat;
  const load = `${flat ? '' : `let segment = segment_of(slice, ${bySegment ? 'index' : '0u'});`}
  ${each(rounds, loadRound)}`;
  const store = each(rounds, (round) => eachPart(round, (loader) => form.store(loader, round.number)));
  const has = (index: string, step: string) =>
    bySegment ? `${index} < last_segment && first_step < last_step` : `${step} < last_step`;
  const skip = (index: string) =>
    problem.segments === 'some' && !flat
      ? `while (${index} < last_segment && skip_segment(slice, ${index})) {
        ${index}++;
      }`
      : '';
  return wgsl`
// C[slice] = A[slice] · B[slice], of m × k and k × n: a workgroup computes a tile of ${tileM} × ${tileN} elements of C, from k
// tiles of ${depth} steps; an invocation computes ${blockM} × ${blockN} of them${groupK > 1 ? `, from ${depth / groupK} steps of each` : ''}.
${declarations(options, problem)}
${form.memory}
@compute @workgroup_size(${threads})
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
  ${form.builtins ?? ''}
) {
  let block = flat_group(group, groups);
  ${blockInC(tileM, tileN, bySegment)}
  let first_row = row_block * ${tileM}u;
  let first_column = column_block * ${tileN}u;

#if ${remainderFirst}
  // Where steps don't fill k tiles, the first one has the remainder: all that follow are whole.
  let first_end = first_step + (last_step - first_step - 1u) % ${depth}u + 1u;
#else
  // Step s of four exists where the first lies before end_<s>.
  ${repeat(4, (s) => `let end_${s} = last_step - min(last_step, ${s}u);`)}
#endif
  ${a.prologue}
  ${b.prologue}
  ${variables(options, rounds)}
  ${form.prologue}

#if ${bySegment}
  var index = first_segment;
#endif
  var step = first_step;
  ${skip('index')}
  var is_stored = ${has('index', 'step')};
  ${load}
#if ${remainderFirst}
  ${each(rounds, dropRound)}
  step = first_end - ${depth}u;
#endif
  ${store}
  workgroupBarrier();
  // A k tile is read while the one before is multiplied; after the last, the same one again, which nothing waits for. What is read
  // lives in one iteration, in one block: a variable that outlives it is copied, and loads move to a block that uses them.
  while (is_stored) {
    var next_step = step + ${depth}u;
#if ${bySegment}
    var next_index = index;
    if (next_step >= last_step) {
      next_step = first_step;
      next_index++;
    }
#endif
    ${skip('next_index')}
    is_stored = ${has('next_index', 'next_step')};
    step = select(step, next_step, is_stored);
#if ${bySegment}
    index = select(index, next_index, is_stored);
#endif
    ${load}
    ${form.multiply}
    workgroupBarrier();
    ${store}
    workgroupBarrier();
  }

  ${form.epilogue}
}
`;
}

/** The loaders of a round: of one operand, or of both. */
interface Round {
  number: number;
  parts: readonly { loader: Loader; to: number }[];
}

function roundsOf(a: Loader, b: Loader): Round[] {
  const count = 1 + Math.max(...b.rounds.map(({ number }) => number));
  return range(count).map((number) => ({
    number,
    parts: [a, b].flatMap((loader) =>
      loader.rounds.filter((round) => round.number === number).map(({ to }) => ({ loader, to })),
    ),
  }));
}

/** Vectors of the units of a round. */
const vectorsOf = ({ parts: [first] }: Round) => first?.loader.tile.perUnit ?? 4;

const isConditional = ({ parts }: Round) => parts.some(({ loader }) => loader.isConditional);

const variables = ({ type }: GemmOptions, rounds: readonly Round[]) =>
  each(rounds, (round) => {
    const { number } = round;
    const declare = (name: string, of: string) =>
      repeat(vectorsOf(round), (i) => `var ${name}_${number}_${i} = ${of}();`);
    return `${declare('loaded', `vec4<${type}>`)}
    ${isConditional(round) ? declare('exists', 'vec4<bool>') : ''}`;
  });

/**
 * A block for each operand of a round, with the invocations it is for. Those without a unit do the same as the last one: with
 * a condition, compilers could move loads behind it.
 */
function eachPart({ parts: [first, second] }: Round, fragment: (loader: Loader) => string): string {
  const block = (part: Round['parts'][number] | undefined) => `{
    ${part && fragment(part.loader)}
  }`;
  return second ? `if (local < ${first?.to}u) ${block(first)} else ${block(second)}` : block(first);
}

const loadRound = (round: Round) => eachPart(round, (loader) => loader.load(round.number));
const dropRound = (round: Round) => eachPart(round, (loader) => loader.dropRest(round.number));

/** Vectors of a unit, chosen to leave the fewest invocations without one in the last round. */
function unitOf(vectors: number, threads: number): number {
  const read = (perUnit: number) => Math.ceil(vectors / (perUnit * threads)) * perUnit;
  return [4, 2, 1].reduce((best, perUnit) => (read(perUnit) < read(best) ? perUnit : best));
}

/** The loaders of A and B. */
function loaders(
  { tile, a, b, type, flat, remainderFirst }: GemmOptions,
  problem: Problem,
): { a: Loader; b: Loader } {
  const { groupM, groupN, blockM, blockN, depth, memory } = tile;
  const threads = invocationsOf(tile);
  const [rows, columns] = [groupM * blockM, groupN * blockN];
  const operandA = new Operand('a', a, problem.a.guarded, type);
  const operandB = new Operand('b', b, problem.b.guarded, type);
  // A block of 8 × 8 has no registers left for four steps of its lines.
  const keepsLines = memory === 'shared' && blockM * blockN < 64;
  const shared = { depth, threads, flat, remainderFirst, keepsLines };
  const transposes = ({ inVectors, layout }: Operand) => inVectors && layout.major === 'k' && !keepsLines;
  // If units are transposed, an operand may have fewer of them than there are invocations.
  const isShared = transposes(operandA) || transposes(operandB);
  const perUnit = (lines: number) => (isShared ? 4 : unitOf((lines * depth) / 4, threads));
  const loaderA = new Loader(operandA, {
    ...shared,
    perUnit: perUnit(rows),
    lines: rows,
    firstUnit: 0,
    firstLine: 'first_row',
    lineCount: 'params.m',
  });
  const loaderB = new Loader(operandB, {
    ...shared,
    perUnit: perUnit(columns),
    lines: columns,
    firstUnit: isShared ? loaderA.units : loaderA.rounds.length * threads,
    firstLine: 'first_column',
    lineCount: 'params.n',
  });
  return { a: loaderA, b: loaderB };
}
