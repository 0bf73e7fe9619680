/**
 * @file What forms of the engine share that multiply tiles from workgroup memory: a workgroup of groupM × groupN invocations
 * computes a tile of C, of groupM · blockM rows and groupN · blockN columns. For each k tile of `depth` steps it brings its
 * rows of A and its columns of B to workgroup memory, and multiplies them from there. The next k tile is on its way to
 * registers while this one is multiplied.
 */
import { wgsl } from '../lib/wgsl.ts';
import { blockInC, declarations } from './block.ts';
import { Loader } from './loader.ts';
import { Operand } from './operand.ts';
import type { GemmOptions, Problem } from './problem.ts';

/** What a form adds, in WGSL. It sees `first_row` and `first_column`, the tile's place in C, and `local`. */
export interface TiledForm {
  /** Declarations at module scope, the tiles among them. */
  memory: string;
  /** Further parameters of the entry point. */
  builtins?: string;
  /** Before the loop. */
  prologue: string;
  /** Stores what was fetched of an operand in its tile. */
  store(operand: Loader): string;
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
  const { flat } = options;
  const { groupM, groupN, blockM, blockN, depth } = options.tile;
  const threads = groupM * groupN;
  const [tileM, tileN] = [groupM * blockM, groupN * blockN];
  const { a, b } = loaders(options, problem);
  const form = formOf(a, b);
  const fetch = `${flat ? '' : 'let segment = segment_of(slice, index);'}
  ${a.fetch}
  ${b.fetch}`;
  const has = (index: string, step: string) =>
    flat ? `${step} < last_step` : `${index} < last_segment && first_step < last_step`;
  const skip = (index: string) =>
    problem.skips && !flat
      ? `while (${index} < last_segment && skip_segment(slice, ${index})) {
        ${index}++;
      }`
      : '';
  return wgsl`
// C[slice] = A[slice] · B[slice], of m × k and k × n: a workgroup computes a tile of ${tileM} × ${tileN} elements of C, from k
// tiles of ${depth} steps; an invocation computes ${blockM} × ${blockN} of them.
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
  ${blockInC(tileM, tileN, flat)}
  let first_row = row_block * ${tileM}u;
  let first_column = column_block * ${tileN}u;

  ${a.prologue}
  ${b.prologue}
  ${form.prologue}

#if ${!flat}
  var index = first_segment;
#endif
  var step = first_step;
  ${skip('index')}
  if (${has('index', 'step')}) {
    ${fetch}
    loop {
      ${form.store(a)}
      ${form.store(b)}
      workgroupBarrier();

      // The next k tile is read while this one is multiplied; after the last, that one again, which nothing waits for.
      var next_step = step + ${depth}u;
#if ${!flat}
      var next_index = index;
      if (next_step >= last_step) {
        next_step = first_step;
        next_index++;
      }
#endif
      ${skip('next_index')}
      let has_more = ${has('next_index', 'next_step')};
      step = select(step, next_step, has_more);
#if ${!flat}
      index = select(index, next_index, has_more);
#endif
      ${fetch}
      ${form.multiply}
      if (!has_more) {
        break;
      }
      workgroupBarrier();
    }
  }

  ${form.epilogue}
}
`;
}

/** Those of A and B: the units of B go to the invocations that A's leave idle. */
function loaders({ tile, a, b, type, flat }: GemmOptions, problem: Problem): { a: Loader; b: Loader } {
  const { groupM, groupN, blockM, blockN, depth } = tile;
  const shared = { depth, threads: groupM * groupN, flat };
  const loaderA = new Loader(new Operand('a', a, problem.a.guarded, type), {
    ...shared,
    lines: groupM * blockM,
    start: 0,
    firstLine: 'first_row',
    lineCount: 'params.m',
  });
  const loaderB = new Loader(new Operand('b', b, problem.b.guarded, type), {
    ...shared,
    lines: groupN * blockN,
    start: loaderA.remainder,
    firstLine: 'first_column',
    lineCount: 'params.n',
  });
  return { a: loaderA, b: loaderB };
}
