/**
 * @file Lanes: several invocations of a workgroup that process one line of values together and combine their results. A line is
 * the values of a tensor along one axis.
 *
 * Lines have one of two memory layouts, and lanes are assigned to invocations so that reads are coalesced: `rows`, where a
 * line is contiguous and its lanes are adjacent invocations; `columns`, where adjacent lines are adjacent in memory, and
 * adjacent invocations are the same lane of adjacent lines.
 */

export type LineOrder = 'rows' | 'columns';

/** How a kernel assigns the lanes of lines to the invocations of a workgroup. */
export type LaneLayout = {
  /** Invocations that share a line: 1, which needs no shared memory, or a power of two from 4 up to the workgroup's size. */
  lanes: number;
  order: LineOrder;
  workgroup: number;
  /** Whether the lanes of a row are combined through subgroups, of any size. Needs the feature `subgroups`. */
  subgroups: boolean;
};

/** The largest subgroups that WebGPU allows, and the smallest. */
const largestSubgroup = 128;
const smallestSubgroup = 4;

/** The directives of a kernel with lanes. */
export function laneDirectives({ subgroups }: Pick<LaneLayout, 'subgroups'>): string {
  return subgroups ? 'enable subgroups;\n' : '';
}

/** Parameters of the entry point that `laneIndices` and folds read. */
export function laneParameters({ subgroups }: LaneLayout): string {
  return `@builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,${
    subgroups ? '\n  @builtin(subgroup_size) subgroup_size: u32,' : ''
  }`;
}

/**
 * WGSL that computes, from `group`, `groups` and `local`: `line`, the line of this invocation, and `lane` within it.
 * The number of lines need not be a multiple of the lines per workgroup.
 */
export function laneIndices({ lanes, order, workgroup }: LaneLayout): string {
  const lines = workgroup / lanes;
  if (lines === 1) return 'let lane = local;\n  let line = flat_group(group, groups);';
  const within =
    order === 'rows'
      ? `let lane = local % ${lanes}u;
  let line_in_group = local / ${lanes}u;`
      : `let lane = local / ${lines}u;
  let line_in_group = local % ${lines}u;`;
  return `${within}
  let line = flat_group(group, groups) * ${lines}u + line_in_group;`;
}

/** WGSL that combines `value` over the lanes of a line, by the function that `foldLanes` declares. */
export function folded(name: string, value: string, { subgroups }: LaneLayout): string {
  return `fold_${name}(${value}, local, lane${subgroups ? ', subgroup_size' : ''})`;
}

/**
 * Returns a WGSL function that combines the values of all lanes of a line by `<combine>(a, b)`, in one fixed order, and returns
 * the result to each of them; `folded` calls it once. It must be called in uniform control flow.
 */
export function foldLanes(name: string, type: string, combine: string, layout: LaneLayout): string {
  if (layout.lanes === 1) {
    return `
fn fold_${name}(value: ${type}, local: u32, lane: u32${layout.subgroups ? ', size: u32' : ''}) -> ${type} {
  return value;
}
`;
  }
  return layout.subgroups
    ? foldInSubgroups(name, type, combine, layout)
    : foldInMemory(name, type, combine, layout);
}

/** A tree over workgroup memory, with a barrier for each level. */
function foldInMemory(
  name: string,
  type: string,
  combine: string,
  { lanes, order, workgroup }: LaneLayout,
): string {
  const step = order === 'rows' ? 1 : workgroup / lanes;
  const levels = Array.from({ length: Math.log2(lanes) }, (_, i) => lanes >> (i + 1)).map(
    (width) => `if (lane < ${width}u) {
    lanes_${name}[local] = ${combine}(lanes_${name}[local], lanes_${name}[local + ${width * step}u]);
  }
  workgroupBarrier();`,
  );
  return `
var<workgroup> lanes_${name}: array<${type}, ${workgroup}>;

fn fold_${name}(value: ${type}, local: u32, lane: u32) -> ${type} {
  lanes_${name}[local] = value;
  workgroupBarrier();
  ${levels.join('\n  ')}
  return lanes_${name}[local - lane * ${step}u];
}
`;
}

/**
 * A butterfly within each subgroup, then the subgroups of a line one after another: no barrier if a subgroup holds the
 * whole line, otherwise one. Compilers that know the subgroup size drop the tests of it. Subgroups hold consecutive
 * invocations of a one-dimensional workgroup, in order.
 */
function foldInSubgroups(
  name: string,
  type: string,
  combine: string,
  { lanes, workgroup }: LaneLayout,
): string {
  const within = Math.min(lanes, largestSubgroup);
  const distances = Array.from({ length: Math.log2(within) }, (_, i) => 2 ** i);
  const steps = distances.map((distance) => {
    const step = `folded = ${combine}(folded, subgroupShuffleXor(folded, ${distance}u));`;
    if (distance < smallestSubgroup) return step;
    return `if (size > ${distance}u) {
    ${step}
  }`;
  });
  const memory =
    lanes > smallestSubgroup
      ? `var<workgroup> lanes_${name}: array<${type}, ${workgroup / smallestSubgroup}>;\n\n`
      : '';
  const across = `if (size < ${lanes}u) {
    if (local % size == 0u) {
      lanes_${name}[local / size] = folded;
    }
    workgroupBarrier();
    let first = (local - lane) / size;
    folded = lanes_${name}[first];
    for (var part = 1u; part < ${lanes}u / size; part++) {
      folded = ${combine}(folded, lanes_${name}[first + part]);
    }
  }`;
  return `
${memory}fn fold_${name}(value: ${type}, local: u32, lane: u32, size: u32) -> ${type} {
  var folded = value;
  ${steps.join('\n  ')}
  ${lanes > smallestSubgroup ? across : ''}
  return folded;
}
`;
}
