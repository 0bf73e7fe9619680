/**
 * @file Lanes: several invocations of a workgroup that work on one line of values together, and fold what each found.
 *
 * Lines lie in memory in one of two ways, and lanes are laid over a workgroup so that neighbouring invocations read
 * neighbouring words: `rows`, where a line is contiguous and its lanes are neighbours; `columns`, where neighbouring
 * lines are neighbours in memory and so are the same lanes of neighbouring lines.
 */

export type LineOrder = 'rows' | 'columns';

/** How a kernel lays the lanes of lines over its workgroup. */
export interface LaneLayout {
  /** Invocations that share a line: a power of two, at most the workgroup's size. 1 needs no shared memory. */
  lanes: number;
  order: LineOrder;
  workgroup: number;
}

/**
 * WGSL that gives, from `group`, `groups` and `local`: `line`, the line of this invocation, and `lane` within it.
 * The number of lines need not be a multiple of those of a workgroup.
 */
export function laneIndices({ lanes, order, workgroup }: LaneLayout): string {
  const lines = workgroup / lanes;
  const within =
    order === 'rows'
      ? `let lane = local % ${lanes}u;
  let line_in_group = local / ${lanes}u;`
      : `let lane = local / ${lines}u;
  let line_in_group = local % ${lines}u;`;
  return `${within}
  let line = flat_group(group, groups) * ${lines}u + line_in_group;`;
}

/**
 * A WGSL function `fold_<name>(value, local, lane) -> T` that combines the values of all lanes of a line by
 * `<combine>(a, b)`, in one fixed order, and hands the result to each of them. It must be called in uniform control flow.
 */
export function foldLanes(
  name: string,
  type: string,
  combine: string,
  { lanes, order, workgroup }: LaneLayout,
): string {
  if (lanes === 1) {
    return `
fn fold_${name}(value: ${type}, local: u32, lane: u32) -> ${type} {
  return value;
}
`;
  }
  const step = order === 'rows' ? 1 : workgroup / lanes;
  return `
var<workgroup> lanes_${name}: array<${type}, ${workgroup}>;

fn fold_${name}(value: ${type}, local: u32, lane: u32) -> ${type} {
  lanes_${name}[local] = value;
  workgroupBarrier();
  for (var width = ${lanes / 2}u; width > 0u; width >>= 1u) {
    if (lane < width) {
      lanes_${name}[local] = ${combine}(lanes_${name}[local], lanes_${name}[local + width * ${step}u]);
    }
    workgroupBarrier();
  }
  let folded = lanes_${name}[local - lane * ${step}u];
  // The memory may be written again once all have read.
  workgroupBarrier();
  return folded;
}
`;
}
