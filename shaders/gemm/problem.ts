/**
 * @file The declarations of an instance of the matrix multiplication engine: its tile, the layouts of its operands, and the WGSL
 * that reads them.
 */
import type { EpilogueOptions } from '../lib/epilogue.ts';

/** Sizes of the matrices that a subgroup multiplies in one operation, m × k by k × n, and its number of invocations. */
export type SubgroupMatrixSize = readonly [m: number, n: number, k: number, lanes: number];

/** The shape of the work of a workgroup and of an invocation. */
export type GemmTile = {
  /**
   * Where tiles are multiplied from: workgroup memory, registers alone, or subgroup matrices. With `lanes`, invocations
   * share k, and compute from registers.
   */
  memory: 'shared' | 'registers' | 'lanes' | 'subgroupMatrix';
  /** Invocations of a workgroup along m (of `lanes`: along k) and along n. */
  groupM: number;
  groupN: number;
  /**
   * Shared only: groups of groupM × groupN invocations that share the steps of each k tile, so that a C of few tiles keeps more
   * of them busy. Their sums are added up in workgroup memory. Default 1.
   */
  groupK?: number;
  /** Rows and columns of C that an invocation computes; columns come in fours, unless it is a whole matrix. */
  blockM: number;
  blockN: number;
  /** k steps of an iteration: in workgroup memory a multiple of 4 · groupK, in registers 4 or 1. */
  depth: number;
  /** The maximum number of elements read and written together. */
  width: 1 | 4;
  /**
   * Registers only: the four invocations of a quad compute neighbouring columns of the same rows, and each reads a quarter
   * of their elements of A. Needs the feature `subgroups`.
   */
  subgroupQuads: boolean;
  /** Registers only: an invocation computes a whole matrix of blockM × blockN, whose sums have `depth` terms. Default false. */
  whole?: boolean;
  /** Shared only: vectors between groups of four steps, where neighbours write neighbouring steps. Default 0. */
  skew?: number;
  /** Of tiles with memory `subgroupMatrix`. */
  matrixSize?: SubgroupMatrixSize;
};

/** Invocations of a workgroup. */
export const invocationsOf = ({ groupM, groupN, groupK = 1 }: GemmTile): number => groupM * groupN * groupK;

/** The memory layout of an operand. */
export type OperandLayout = {
  /** The contiguous axis: along k, or across lines. */
  major: 'k' | 'mn';
  /** Elements read at once along that axis: 4 if all lines and offsets are multiples of 4. */
  width: 1 | 4;
  /** Whether the elements are float16, two in a word. They are widened to f32 as they are read. */
  float16?: boolean;
};

/** Its epilogue adds a row vector to C. */
export type GemmOptions = EpilogueOptions & {
  tile: GemmTile;
  /** WGSL element type. */
  type: string;
  a: OperandLayout;
  b: OperandLayout;
  /** Elements per write along n. */
  outWidth: 1 | 4;
  /**
   * How the shared form iterates over k: segment by segment, or flat, if a segment is so short, or so far from a multiple
   * of the depth, that tiles would be half empty. Registers always iterate over segments.
   */
  flat: boolean;
  /**
   * In tiles: whether only the first k tile has nonexistent steps. True, except when iterating segment by segment over
   * segments that don't fill k tiles.
   */
  remainderFirst: boolean;
  /** Whether k is split into ranges whose partial sums are written one after another; bias and activation come later. */
  split: boolean;
};

/**
 * An instance of the engine, in WGSL. Functions to declare:
 *
 *     struct Segment                                     values common to a segment
 *     fn segment_of(slice: u32, index: u32) -> Segment
 *     fn a_line(slice: u32, line: u32) -> ALine          values common to a row of A
 *     fn a_address(line: ALine, segment: Segment) -> AAddress     … within one segment
 *     fn a_index(address: AAddress, k: u32) -> u32       index of the element in `a_values`
 *     fn a_valid(address: AAddress, k: u32) -> bool      where `a.guarded`: false for an element that reads as zero
 *     fn a_step_size() -> u32                            elements from one step to the next, where `a.major` is 'mn'
 *     … the same for `b`
 *     fn c_row(slice: u32, row: u32) -> CRow             { offset: u32, valid: bool } of a row in `c_values`
 *     fn skip_segment(slice: u32, index: u32) -> bool    if `segments` is 'some': true where a segment adds nothing
 *     fn bias_offset(slice: u32) -> u32
 */
export interface Problem {
  source: string;
  a: { guarded: boolean };
  b: { guarded: boolean };
  /** Whether k is one segment, so that there is no loop over segments; or all of several are added, or some. */
  segments: 'one' | 'all' | 'some';
  /** Stores `value`, an element or vector of C, `at` its index. Default: in `c_values`. */
  store?: string | undefined;
}

/** Parameters that every instance has. */
export const gemmParams = {
  m: 'u32',
  n: 'u32',
  segments: 'u32',
  length: 'u32',
  slices: 'u32',
  splits: 'u32',
  segments_per_split: 'u32',
  steps_per_split: 'u32',
  split_stride: 'u32',
  alpha: 'f32',
} as const;
