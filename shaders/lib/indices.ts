/**
 * @file Resolves indices to rows of a table, or to OUTSIDE, and reports faults. Shared by gathers and scatters.
 *
 * An entry is what one index (or one list of coordinates) addresses. `row_of(entry, reports)` gives its row:
 * - `axis`: one index per entry, into an axis of `limit` rows;
 * - `along`: entry [o, j, i] of [outer, k, inner] addresses element [o, index, i] of a table [outer, limit, inner];
 *   `slab` is k · inner, `span` is inner;
 * - `coordinates`: `depth` indices per entry, into axes of `sizes`; `slab` is the count of entries in a batch.
 *
 * Expects a binding `indices` and the parameters `indexParams`.
 */
import { repeat } from './text.ts';
import { wgsl } from './wgsl.ts';

export type IndexAddressing = 'axis' | 'along' | 'coordinates';
/** The meaning of an out-of-range index: no row, the nearest row, or the row that it wraps around to. */
export type IndexMode = 'outside' | 'clip' | 'wrap';
/** Which indices are faults: none, all outside the range, or only those above it. */
export type IndexCheck = 'none' | 'all' | 'above';

export type IndexLibraryOptions = {
  /** WGSL type of an index. */
  index: string;
  addressing: IndexAddressing;
  mode: IndexMode;
  check: IndexCheck;
  /** Coordinates of an entry; 0 for other addressings. */
  depth: number;
};

export const indexParams = {
  limit: 'u32',
  span: 'u32',
  slab: 'u32',
  /** Number of indices, for fault reports. */
  positions: 'u32',
  sizes: 'u32x8',
} as const;

const resolutions: Record<IndexMode, Record<string, string>> = {
  outside: {
    // As unsigned numbers, negative indices lie above every limit.
    i32: 'return select(OUTSIDE, u32(index), bitcast<u32>(index) < limit);',
    u32: 'return select(OUTSIDE, index, index < limit);',
  },
  clip: {
    i32: 'return u32(clamp(index, 0, i32(limit) - 1));',
    u32: 'return min(index, limit - 1u);',
  },
  wrap: {
    i32: 'let remainder = index % i32(limit);\n  return u32(select(remainder, remainder + i32(limit), remainder < 0));',
    u32: 'return index % limit;',
  },
};

export function indexLibrary(options: IndexLibraryOptions): string {
  const { index, mode } = options;
  return wgsl`
const OUTSIDE = 0xffffffffu;

fn resolve(index: ${index}, limit: u32) -> u32 {
#if ${mode !== 'outside'}
  if (limit == 0u) {
    return OUTSIDE;
  }
#endif
  ${resolutions[mode][index]}
}
${rowFunctions(options)}
`;
}

/** Returns `row_of` with a suffix of its name, for programs that resolve indices both with and without reports. */
export function rowFunctions({ addressing, check, depth }: IndexLibraryOptions, suffix = ''): string {
  const isFault = check === 'above' ? 'row == OUTSIDE && index >= 0' : 'row == OUTSIDE';
  const report = (position: string) =>
    check === 'none'
      ? ''
      : `if (reports && ${isFault}) {
    report_fault(${position}, params.positions, bitcast<u32>(index));
  }`;
  const rows: Record<IndexAddressing, string> = {
    axis: `
  let index = indices[entry];
  let row = resolve(index, params.limit);
  ${report('entry')}
  return row;`,
    along: `
  return row_along${suffix}(entry, entry / params.slab, entry % params.span, reports);`,
    coordinates: `
  let first = entry * ${depth}u;
  var flat = entry / params.slab;
  ${repeat(
    depth,
    (axis) => `{
    let index = indices[first + ${axis}u];
    let size = params.sizes[${axis >> 2}][${axis & 3}];
    let row = resolve(index, size);
    ${report(`first + ${axis}u`)}
    flat = select(flat * size + row, OUTSIDE, (flat == OUTSIDE) | (row == OUTSIDE));
  }`,
  )}
  return flat;`,
  };
  return wgsl`
#if ${addressing === 'along'}
// The row of an entry of slab \`outer\`, with its place along the innermost axes.
fn row_along${suffix}(entry: u32, outer: u32, within: u32, reports: bool) -> u32 {
  let index = indices[entry];
  let row = resolve(index, params.limit);
  ${report('entry')}
  return select((outer * params.limit + row) * params.span + within, OUTSIDE, row == OUTSIDE);
}
#endif

fn row_of${suffix}(entry: u32, reports: bool) -> u32 {${rows[addressing]}
}
`;
}
