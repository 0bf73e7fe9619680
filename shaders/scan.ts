/**
 * @file Running sums along one axis of x seen as [outer, n, inner]. The axis is cut into tiles of neighbouring elements:
 *
 *     totals   the sum of each tile: [outer, tiles, inner]
 *     scan     the running sums within each tile, from `before`, what comes before the tile (left out for a single tile)
 *
 * A launch of `totals`, a scan of those totals, and a launch of `scan` make a long scan out of three short ones; sums over
 * tiles also round less than one long chain of additions.
 *
 * `serial` gives a tile to one invocation. `cooperative` gives it to a workgroup: each invocation sums a few neighbours, and
 * those sums are scanned in shared memory (Hillis and Steele, "Data parallel algorithms", 1986).
 */
import { flatIndex } from './lib/indexing.ts';
import { wgsl } from './lib/wgsl.ts';

export type ScanOptions = {
  /** WGSL type of the elements. */
  type: string;
  job: 'totals' | 'scan';
  /** Whether the sums before each tile are bound. */
  continued: boolean;
  /** Leaves each element out of its own sum. */
  exclusive: boolean;
  /** Sums from the end. */
  reverse: boolean;
  strategy: 'serial' | 'cooperative';
};

export const scanWorkgroup = 256;
/** Neighbouring elements of an invocation in a cooperative tile. */
const perInvocation = 8;
export const cooperativeTile = scanWorkgroup * perInvocation;

export function scan(options: ScanOptions): string {
  const { type, continued, reverse, strategy } = options;
  return wgsl`
${flatIndex}
// Where element k of a line lies, counted in the direction of the scan.
fn index_of(line: u32, k: u32) -> u32 {
  let along = ${reverse ? 'params.n - 1u - k' : 'k'};
  return ((line / params.inner) * params.n + along) * params.inner + line % params.inner;
}

// Tiles are counted in the direction of the scan, too: [outer, tiles, inner].
fn tile_index(line: u32, tile: u32) -> u32 {
  return ((line / params.inner) * params.tiles + tile) * params.inner + line % params.inner;
}

fn sum_before(line: u32, tile: u32) -> ${type} {
  return ${continued ? 'before[tile_index(line, tile)]' : `${type}()`};
}
${strategy === 'serial' ? serial(options) : cooperative(options)}
`;
}

const entry = /* wgsl */ `
@compute @workgroup_size(${scanWorkgroup})
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
)`;

function serial({ type, job, exclusive }: ScanOptions): string {
  return wgsl`
${entry} {
  let i = flat_index(group, groups, local, ${scanWorkgroup}u);
  if (i >= params.count) {
    return;
  }
  // Neighbouring invocations take neighbouring lines, where there are any.
  let tile = (i / params.inner) % params.tiles;
  let line = i / params.inner / params.tiles * params.inner + i % params.inner;
  let first = tile * params.tile;
  let end = min(params.n, first + params.tile);
#if ${job === 'totals'}
  var sum = ${type}();
  for (var k = first; k < end; k++) {
    sum += x[index_of(line, k)];
  }
  out[tile_index(line, tile)] = sum;
#else
  let start = sum_before(line, tile);
  var sum = ${type}();
  for (var k = first; k < end; k++) {
    let at = index_of(line, k);
#if ${exclusive}
    out[at] = start + sum;
    sum += x[at];
#else
    sum += x[at];
    out[at] = start + sum;
#endif
  }
#endif
}
`;
}

function cooperative({ type, job, exclusive }: ScanOptions): string {
  return wgsl`
var<workgroup> sums: array<${type}, ${scanWorkgroup}>;
${entry} {
  let i = flat_group(group, groups);
  let tile = i % params.tiles;
  let line = i / params.tiles;
  let first = tile * ${cooperativeTile}u + local * ${perInvocation}u;
  // A folded grid may have workgroups beyond the last tile; they have nothing to read or write.
  let end = select(0u, min(params.n, first + ${perInvocation}u), i < params.count);
  var own = ${type}();
  for (var k = first; k < end; k++) {
    own += x[index_of(line, k)];
  }
  sums[local] = own;
  workgroupBarrier();
  for (var reach = 1u; reach < ${scanWorkgroup}u; reach <<= 1u) {
    var sum = sums[local];
    if (local >= reach) {
      sum += sums[local - reach];
    }
    workgroupBarrier();
    sums[local] = sum;
    workgroupBarrier();
  }
#if ${job === 'totals'}
  if (local == 0u && i < params.count) {
    out[tile_index(line, tile)] = sums[${scanWorkgroup - 1}];
  }
#else
  if (end <= first) {
    return;
  }
  var start = sum_before(line, tile);
  if (local > 0u) {
    start += sums[local - 1u];
  }
  var sum = ${type}();
  for (var k = first; k < end; k++) {
    let at = index_of(line, k);
#if ${exclusive}
    out[at] = start + sum;
    sum += x[at];
#else
    sum += x[at];
    out[at] = start + sum;
#endif
  }
#endif
}
`;
}
