/**
 * @file Elements of lines, one or four at a time. WGSL that is written for `T` (f32 or vec4<f32>) and `U` (the u32s of the same
 * size) serves rows, where a vec4 holds neighbours of one line, and columns, where it holds elements of four lines.
 */
import type { LineOrder } from './lanes.ts';

export interface LineElements {
  order: LineOrder;
  width: 1 | 4;
}

/** The types T and U, tests on them, and `join`, which folds the components of one line into each of them. */
export function lineElements({ order, width }: LineElements): string {
  const [floats, words] = width === 4 ? ['vec4<f32>', 'vec4<u32>'] : ['f32', 'u32'];
  const joined = order === 'rows' && width === 4;
  return /* wgsl */ `
alias T = ${floats};
alias U = ${words};

fn add_elements(a: T, b: T) -> T {
  return a + b;
}

// Of one line: the sum of what its components hold.
fn join_sum(a: T) -> T {
  return ${joined ? 'T((a.x + a.y) + (a.z + a.w))' : 'a'};
}

fn join_max(a: T) -> T {
  return ${joined ? 'T(max(max(a.x, a.y), max(a.z, a.w)))' : 'a'};
}

// value, or NaN where x is infinite.
fn nan_where_infinite(value: T, x: T) -> T {
  var nan = U(0x7fc00000u);
  return select(value, bitcast<T>(nan), (bitcast<U>(x) & U(0x7fffffffu)) == U(0x7f800000u));
}

// value, or x where that is NaN.
fn unless_nan(value: T, x: T) -> T {
  return select(value, x, (bitcast<U>(x) & U(0x7fffffffu)) > U(0x7f800000u));
}

fn lowest_element() -> T {
  var bits = U(0xff800000u);
  return bitcast<T>(bits);
}
`;
}
