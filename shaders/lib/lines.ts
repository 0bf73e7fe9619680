/**
 * @file Common code of kernels that assign each line of values to one or several invocations: its elements, one or four at a
 * time, and sweeps over them. WGSL written for `T` (f32 or vec4<f32>) and `U` (u32 of the same size) works for rows, where a
 * vec4 holds adjacent elements of one line, and for columns, where it holds elements of four lines. `F` is the type with one
 * value for each line: f32 in rows, T in columns.
 */
import { laneIndices, type LaneLayout, laneParameters, type LineOrder } from './lanes.ts';
import { range } from './text.ts';

export type LineElements = {
  order: LineOrder;
  width: 1 | 4;
};

export type LineOptions = LaneLayout &
  LineElements & {
    /** Elements (or vectors) of a line that each lane keeps in registers; 0 if it reads them again for each sweep. */
    kept: number;
    /** Whether the `kept` elements of a single lane are exactly the line, whose length is then a constant of the program. */
    whole?: boolean;
    /** Elements (or vectors) that an iteration reads where a line has a single invocation. */
    reads: 1 | 4 | 8;
  };

/** The types T, U and F, sums and maxima of them, and `join`, which combines the components that belong to one line. */
export function lineElements({ order, width }: LineElements): string {
  const [floats, words] = width === 4 ? ['vec4<f32>', 'vec4<u32>'] : ['f32', 'u32'];
  const joined = order === 'rows' && width === 4;
  return /* wgsl */ `
alias T = ${floats};
alias U = ${words};
alias F = ${order === 'rows' ? 'f32' : 'T'};

// Of one line: the sum of what its components hold.
fn join_sum(a: T) -> F {
  return ${joined ? '(a.x + a.y) + (a.z + a.w)' : 'a'};
}

fn join_max(a: T) -> F {
  return ${joined ? 'max(max(a.x, a.y), max(a.z, a.w))' : 'a'};
}

fn add_lines(a: F, b: F) -> F {
  return a + b;
}

fn larger_line(a: F, b: F) -> F {
  return max(a, b);
}
`;
}

/** WGSL of `value`, or `x` if that is NaN. `x` should be short, since it is written twice. */
export function unlessNan(value: string, x: string): string {
  return `select(${value}, ${x}, (bitcast<U>(${x}) & U(0x7fffffffu)) > U(0x7f800000u))`;
}

/** Returns a WGSL function `nan_where(value: F, is_undefined)`, and bitwise tests of values of type F. */
export function lineTests(options: LineElements): string {
  const isScalar = options.order === 'rows' || options.width === 1;
  const [words, test] = isScalar ? ['u32', 'bool'] : ['vec4<u32>', 'vec4<bool>'];
  return /* wgsl */ `
fn nan_where(value: F, is_undefined: ${test}) -> F {
  var bits = ${words}(0x7fc00000u);
  return select(value, bitcast<F>(bits), is_undefined);
}

fn is_infinite_line(x: F) -> ${test} {
  return (bitcast<${words}>(x) & ${words}(0x7fffffffu)) == ${words}(0x7f800000u);
}

fn is_nan_line(x: F) -> ${test} {
  return (bitcast<${words}>(x) & ${words}(0x7fffffffu)) > ${words}(0x7f800000u);
}
`;
}

/** The lowest finite number, from which maxima start, since compilers may assume that there are no infinities. */
export const lowest = '-0x1.fffffep127';

/** The head of the entry point: `line`, `lane`, where the line starts, and whether it exists. */
export function lineHead(options: LineOptions): string {
  const start =
    options.order === 'rows'
      ? 'own_line * params.n'
      : '(own_line / params.inner) * params.n * params.inner + own_line % params.inner';
  const ownLine =
    options.lanes === 1
      ? `let is_line = true;
  let own_line = line;
  if (line >= params.count) {
    return;
  }`
      : `// Beyond the last line, invocations compute that one too, since all must meet at the barriers; they write nothing.
  let is_line = line < params.count;
  let own_line = min(line, params.count - 1u);`;
  return `
@compute @workgroup_size(${options.workgroup})
fn main(
  ${laneParameters(options)}
) {
  ${laneIndices(options)}
  ${ownLine}
  let start = ${start};`;
}

const scaled = (k: string, { order }: LineOptions) => (order === 'rows' ? k : `${k} * params.inner`);

/** The indices of the elements that a lane keeps. */
export const keptElements = ({ kept }: LineOptions) => range(kept);

/** Declares `k_<j>`, the positions of the elements that a lane keeps, and `at_<j>`, their indices in memory. */
export function keptPositions(options: LineOptions): string {
  const { lanes, whole } = options;
  return keptElements(options)
    .map((j) => {
      const shared = j === 0 ? 'lane' : `lane + ${j * lanes}u`;
      const k = whole ? `${j}u` : shared;
      // Positions beyond the end read the last element again: it is in the cache, and no load waits for a branch.
      return `let k_${j} = ${k};
  let at_${j} = start + ${scaled(whole ? k : `min(k_${j}, params.n - 1u)`, options)};`;
    })
    .join('\n  ');
}

/** `value` of element j, or zero beyond the end of the line. */
const orZero = (value: string, j: number) => `select(T(), ${value}, k_${j} < params.n)`;

/** How a body treats elements that may be beyond the end of their line, and lines that don't exist. */
export interface Guard {
  /** A value in a sum. */
  orZero(value: string, j: number): string;
  /** Writes the result of element j. */
  write(value: string, j: number): string;
}

/** Any element may be beyond the end. */
const guarded: Guard = {
  orZero,
  write: (value, j) => `if (is_line && k_${j} < params.n) {
    out[at_${j}] = ${value};
  }`,
};

/** All elements are within their line, which must exist, unless invocations beyond the last line have returned. */
const unguarded = ({ lanes }: LineOptions): Guard => ({
  orZero: (value) => value,
  write: (value, j) =>
    lanes === 1
      ? `out[at_${j}] = ${value};`
      : `if (is_line) {
    out[at_${j}] = ${value};
  }`,
});

/** How the elements that a lane keeps are treated. */
export const keptGuard = (options: LineOptions) => (options.whole ? unguarded(options) : guarded);

/** Returns a sum or maximum of several terms in WGSL, in pairs. */
export function inPairs(terms: readonly string[], combine: (a: string, b: string) => string): string {
  if (terms.length <= 1) return terms[0] ?? '';
  const half = (terms.length + 1) >> 1;
  return combine(inPairs(terms.slice(0, half), combine), inPairs(terms.slice(half), combine));
}

export const sumOf = (terms: readonly string[]) => inPairs(terms, (a, b) => `(${a} + ${b})`);
export const maxOf = (terms: readonly string[]) => inPairs(terms, (a, b) => `max(${a}, ${b})`);

/** Elements that a sweep reads before it uses the first of them. */
const inFlight = 4;

/**
 * Returns a loop over the elements of a line that belong to this lane, several at a time. `body` is the WGSL for several,
 * numbered from 0: element j has position `k_<j>` and index `at_<j>`. All lanes do the same number of iterations, which need no
 * tests; the remainder is one more iteration.
 */
export function sweep(
  options: LineOptions,
  body: (elements: readonly number[], guard: Guard) => string,
): string {
  const { lanes, reads } = options;
  const together = inFlight * lanes;
  const iteration = (elements: readonly number[], guard: Guard) => `${elements
    .map((j) => {
      const k = j === 0 ? 'k' : `k + ${j * lanes}u`;
      const within = guard === guarded ? `min(k_${j}, params.n - 1u)` : `k_${j}`;
      return `let k_${j} = ${k};
    let at_${j} = start + ${scaled(within, options)};`;
    })
    .join('\n    ')}
    ${body(elements, guard)}`;
  if (lanes === 1) {
    const single = iteration([0], unguarded(options));
    if (reads === 1)
      return `for (var k = 0u; k < params.n; k++) {
    ${single}
  }`;
    return `{
  var k = 0u;
  let whole = max(params.n, ${reads - 1}u) - ${reads - 1}u;
  for (; k < whole; k += ${reads}u) {
    ${iteration(range(reads), unguarded(options))}
  }
  for (; k < params.n; k++) {
    ${single}
  }
  }`;
  }
  return `{
  let iterations = params.n / ${together}u;
  for (var iteration = 0u; iteration < iterations; iteration++) {
    let k = iteration * ${together}u + lane;
    ${iteration(range(inFlight), unguarded(options))}
  }
  if (iterations * ${together}u < params.n) {
    let k = iterations * ${together}u + lane;
    ${iteration(range(inFlight), guarded)}
  }
  }`;
}
