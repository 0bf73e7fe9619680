/**
 * @file What forms of the engine share that multiply tiles from workgroup memory: a workgroup of groupM × groupN invocations
 * computes a tile of C, of groupM · blockM rows and groupN · blockN columns. Turn by turn it brings `depth` steps of its
 * rows of A and its columns of B to workgroup memory, and multiplies them from there. What comes next is read before the
 * products of this turn are computed, so that the two overlap.
 */
import { wgsl } from '../lib/wgsl.ts';
import { declarations, placement } from './block.ts';
import { Loader } from './loader.ts';
import { indent, Operand } from './operand.ts';
import type { GemmOptions, Problem } from './problem.ts';

/** What a form adds. Statements see `first_row` and `first_column`, the tile's place in C, and `local`. */
export interface TiledForm {
  /** Declarations at module scope, the tiles among them. */
  memory: string;
  /** Parameters of the entry point beside the usual. */
  builtins?: string;
  /** Before the loop. */
  prologue: readonly string[];
  /** Stores what was fetched of an operand in its tile. */
  store(operand: Loader): readonly string[];
  /** Multiplies the tiles. */
  multiply: readonly string[];
  /** Writes the sums. */
  epilogue: readonly string[];
}

export function tiled(
  options: GemmOptions,
  problem: Problem,
  formOf: (a: Loader, b: Loader) => TiledForm,
): string {
  const { tile, type, flat } = options;
  const { groupM, groupN, blockM, blockN, depth } = tile;
  const threads = groupM * groupN;
  const [tileM, tileN] = [groupM * blockM, groupN * blockN];
  const operandA = new Operand('a', options.a, problem.a.guarded, type);
  const operandB = new Operand('b', options.b, problem.b.guarded, type);
  const a = new Loader(operandA, tileM, depth, threads, flat, 0, 'first_row', 'params.m');
  const b = new Loader(operandB, tileN, depth, threads, flat, a.remainder, 'first_column', 'params.n');
  const form = formOf(a, b);
  return wgsl`
// A workgroup computes ${tileM} × ${tileN} elements of C.
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
  ${placement(tileM, tileN, flat)}
  let first_row = row_block * ${tileM}u;
  let first_column = column_block * ${tileN}u;
  ${indent([...a.prologue, ...b.prologue, ...form.prologue], 2)}
#if ${!flat}
  var index = first_segment;
#endif
  var step = first_step;
  var is_loaded = false;
  loop {
#if ${problem.skips && !flat}
    while (index < last_segment && skip_segment(slice, index)) {
      index++;
    }
#endif
    let has_more = ${flat ? 'step < last_step' : 'index < last_segment && first_step < last_step'};
    if (has_more) {
#if ${!flat}
      let segment = segment_of(slice, index);
#endif
      ${indent([...a.fetch, ...b.fetch], 6)}
    }
    if (is_loaded) {
      ${indent(form.multiply, 6)}
    }
    if (!has_more) {
      break;
    }
    workgroupBarrier();
    ${indent([...form.store(a), ...form.store(b)], 4)}
    workgroupBarrier();
    is_loaded = true;
    step += ${depth}u;
#if ${!flat}
    if (step >= last_step) {
      step = first_step;
      index++;
    }
#endif
  }
  ${indent(form.epilogue, 2)}
}
`;
}
