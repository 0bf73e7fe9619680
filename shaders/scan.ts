/**
 * @file Running sums along one axis of x viewed as [outer, n, inner]; with `fold: 'product'`, "sum" stands for a product. The axis
 * is divided into tiles of consecutive elements:
 *
 *     totals   the sum of each tile: [outer, tiles, inner]
 *     scan     the running sums within each tile, starting from `before`, the sum before the tile (omitted for a single tile)
 *
 * A long scan consists of a launch of `totals`, a scan of those totals, and a launch of `scan`; sums over tiles also have
 * smaller rounding errors than one long chain of additions.
 *
 * `serial` assigns a tile to one invocation. `cooperative` assigns it to a workgroup: each invocation sums a few consecutive
 * elements, and those sums are scanned in workgroup memory (Hillis and Steele, "Data parallel algorithms", 1986).
 *
 * An invocation reads one or four elements at a time: consecutive ones along the axis in rows, of four lines in columns.
 */
import { flatIndex } from './lib/indexing.ts';
import type { LineOrder } from './lib/lanes.ts';
import { wgsl } from './lib/wgsl.ts';

export type ScanOptions = {
  /** WGSL type of the elements. */
  type: string;
  /** How elements are combined. */
  fold: 'sum' | 'product';
  job: 'totals' | 'scan';
  /** Whether the sums before each tile are bound. */
  continued: boolean;
  /** Excludes each element from its own sum. */
  exclusive: boolean;
  /** Sums from the end. */
  reverse: boolean;
  strategy: 'serial' | 'cooperative';
  order: LineOrder;
  width: 1 | 4;
};

/** Invocations of a workgroup, by strategy; few if they work independently, so that small launches spread out. */
export const scanWorkgroup = { serial: 64, cooperative: 256 } as const;
/** Consecutive elements of an invocation in a cooperative tile. */
const perInvocation = 8;
export const cooperativeTile = scanWorkgroup.cooperative * perInvocation;

const operators = { sum: '+', product: '*' } as const;

/** The neutral value of a WGSL type. */
const neutral = (type: 'Value' | 'Sum', { fold }: ScanOptions) =>
  fold === 'sum' ? `${type}()` : `${type}(1)`;

export function scan(options: ScanOptions): string {
  const { job, continued, strategy, fold } = options;
  const operator = operators[fold];
  return wgsl`
${flatIndex}
${elements(options)}
// Tiles are counted in the direction of the scan: [outer, tiles, inner].
fn tile_index(line: u32, tile: u32) -> u32 {
  return ((line / params.inner) * params.tiles + tile) * params.inner + line % params.inner;
}

fn sum_before(line: u32, tile: u32) -> Sum {
  return ${continued ? 'before[tile_index(line, tile)]' : neutral('Sum', options)};
}

#if ${job === 'scan'}
// The running sums of elements first to end of a line, from start.
fn scan_elements(line: u32, first: u32, end: u32, start: Sum) {
  var sum = ${neutral('Sum', options)};
  for (var k = first; k < end; k++) {
    let value = load(line, k);
    store(line, k, start ${operator} sum, value);
    sum ${operator}= total_of(value);
  }
}
#endif

fn sum_elements(line: u32, first: u32, end: u32) -> Sum {
  var sum = ${neutral('Sum', options)};
  for (var k = first; k < end; k++) {
    sum ${operator}= total_of(load(line, k));
  }
  return sum;
}
${strategy === 'serial' ? serial(options) : cooperative(options)}
`;
}

/**
 * Declares the types of a read (Value) and of sums (Sum), and `load` and `store`, which count in the direction
 * of the scan; `store` is passed the sum before what it writes.
 */
function elements(options: ScanOptions): string {
  const { type, fold, job, exclusive, reverse, order, width } = options;
  const operator = operators[fold];
  const along = reverse ? 'params.n - 1u - k' : 'k';
  const value = width === 4 ? `vec4<${type}>` : type;
  const neighbours = width === 4 && order === 'rows';
  const turned = neighbours && reverse ? '.wzyx' : '';
  const own = exclusive ? neutral('Value', options) : 'value';
  /** The sum of the first elements of a vector. */
  const prefix = (count: number) =>
    ['value.x', 'value.y', 'value.z', 'value.w'].slice(0, count).join(` ${operator} `);
  const prefixes = exclusive
    ? `vec4(${neutral('Sum', options)}, ${prefix(1)}, ${prefix(2)}, ${prefix(3)})`
    : `vec4(${prefix(1)}, ${prefix(2)}, ${prefix(3)}, total_of(value))`;
  const store = /* wgsl */ `
fn store(line: u32, k: u32, start: Sum, value: Value) {
  ${
    neighbours
      ? `let sums = vec4(start) ${operator} ${prefixes};
  out[index_of(line, k)] = sums${turned};`
      : `out[index_of(line, k)] = start ${operator} ${own};`
  }
}`;
  return /* wgsl */ `
alias Value = ${value};
alias Sum = ${neighbours ? type : value};

fn index_of(line: u32, k: u32) -> u32 {
  let along = ${along};
  return ((line / params.inner) * params.n + along) * params.inner + line % params.inner;
}

fn load(line: u32, k: u32) -> Value {
  return x[index_of(line, k)]${turned};
}

fn total_of(value: Value) -> Sum {
  return ${neighbours ? prefix(4) : 'value'};
}
${job === 'scan' ? store : ''}
`;
}

const entry = (strategy: ScanOptions['strategy']) => /* wgsl */ `
@compute @workgroup_size(${scanWorkgroup[strategy]})
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
)`;

function serial({ job }: ScanOptions): string {
  return wgsl`
${entry('serial')} {
  let i = flat_index(group, groups, local, ${scanWorkgroup.serial}u);
  if (i >= params.count) {
    return;
  }
  // Neighbouring invocations take neighbouring lines, where there are any.
  let tile = (i / params.inner) % params.tiles;
  let line = i / params.inner / params.tiles * params.inner + i % params.inner;
  let first = tile * params.tile;
  let end = min(params.n, first + params.tile);
#if ${job === 'totals'}
  out[tile_index(line, tile)] = sum_elements(line, first, end);
#else
  scan_elements(line, first, end, sum_before(line, tile));
#endif
}
`;
}

function cooperative({ fold, job, width }: ScanOptions): string {
  const operator = operators[fold];
  const workgroup = scanWorkgroup.cooperative;
  return wgsl`
var<workgroup> sums: array<Sum, ${workgroup}>;
${entry('cooperative')} {
  let i = flat_group(group, groups);
  let tile = i % params.tiles;
  let line = i / params.tiles;
  let first = tile * params.tile + local * ${perInvocation / width}u;
  // A folded grid may have workgroups beyond the last tile; they have nothing to read or write.
  let end = select(0u, min(params.n, first + ${perInvocation / width}u), i < params.count);
  sums[local] = sum_elements(line, first, end);
  workgroupBarrier();
  for (var reach = 1u; reach < ${workgroup}u; reach <<= 1u) {
    var sum = sums[local];
    if (local >= reach) {
      sum ${operator}= sums[local - reach];
    }
    workgroupBarrier();
    sums[local] = sum;
    workgroupBarrier();
  }
#if ${job === 'totals'}
  if (local == 0u && i < params.count) {
    out[tile_index(line, tile)] = sums[${workgroup - 1}];
  }
#else
  if (end > first) {
    var start = sum_before(line, tile);
    if (local > 0u) {
      start ${operator}= sums[local - 1u];
    }
    scan_elements(line, first, end, start);
  }
#endif
}
`;
}
