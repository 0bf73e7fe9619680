/** @file The reduction kernels of the catalog. */
import type { ChunkOptions, ScaleOptions } from '../../../shaders/gradientNorms.ts';
import type { FusedReduceOptions } from '../../../shaders/fusedReduce.ts';
import type { JoinedReduceOptions } from '../../../shaders/joinedReduce.ts';
import type { ReduceOptions } from '../../../shaders/reduce.ts';
import type { ScanOptions } from '../../../shaders/scan.ts';
import type { StatisticsOptions } from '../../../shaders/statistics.ts';
import { ascendingKey } from '../../../src/kernels/sorting/keys.ts';
import { type Family, entry } from './entry.ts';

const sum: ReduceOptions = {
  input: 'f32',
  accumulator: 'f32',
  initial: 'bitcast<f32>(params.initial)',
  combine: 'a + b',
  prepare: 'f32(value)',
  prepareFour: '',
  operands: [],
  finish: ['a'],
  results: ['f32'],
  order: 'rows',
  width: 4,
  linesPerLoop: 1,
  reads: 8,
  workgroup: 256,
  lanes: 256,
  subgroups: true,
  serial: false,
  split: false,
};

const moments = {
  accumulator: 'vec4<f32>',
  initial: 'vec4<f32>()',
  combine: 'merge_moments(a, b)',
  prepare: 'moments_of(value)',
  prepareFour: 'moments_of_four(a, b, c, d)',
  finish: ['a.w + a.y', 'a.z / params.length'],
  results: ['f32', 'f32'],
} as const;

const columns: ReduceOptions = { ...sum, order: 'columns', lanes: 32, subgroups: false };

/** The gradients of a norm's scale and offset. */
const twoSums = {
  accumulator: 'vec2<f32>',
  reads: 4,
  initial: 'vec2<f32>()',
  prepare: 'vec2<f32>(value * ((b - c) * d), value)',
  finish: ['a.x', 'a.y'],
  results: ['f32', 'f32'],
} as const satisfies Partial<ReduceOptions>;

const columnsOfNorm: ReduceOptions = {
  ...columns,
  ...twoSums,
  operands: ['elements', 'positions', 'positions'],
};

const scan: ScanOptions = {
  type: 'f32',
  fold: 'sum',
  job: 'scan',
  continued: false,
  exclusive: false,
  reverse: false,
  strategy: 'serial',
  order: 'rows',
  width: 1,
};

export const reductionKernels: Family = {
  reduce: entry<ReduceOptions>(sum, {
    'rows, serial': { lanes: 1, workgroup: 32, serial: true, subgroups: false, reads: 4 },
    'rows, serial, 16 elements': {
      lanes: 1,
      workgroup: 32,
      serial: true,
      subgroups: false,
      width: 16,
      reads: 1,
      prepare: 'value',
    },
    'rows, workgroup memory': { subgroups: false },
    'columns, lanes': { order: 'columns', workgroup: 64, lanes: 4, subgroups: false },
    'columns, operands, split': {
      order: 'columns',
      lanes: 32,
      subgroups: false,
      split: true,
      ...twoSums,
      operands: ['elements', 'lines', 'positions'],
    },
    'columns, serial, split': {
      order: 'columns',
      lanes: 1,
      workgroup: 32,
      serial: true,
      subgroups: false,
      reads: 4,
      split: true,
    },
    'moments, lanes': { ...moments, width: 1, reads: 4 },
    argmax: {
      accumulator: 'vec2<u32>',
      initial: 'vec2<u32>(0u, 0xffffffffu)',
      combine: 'select(b, a, (a.x > b.x) | ((a.x == b.x) & (a.y < b.y)))',
      prepare: `vec2<u32>(${ascendingKey('float32')}, k)`,
      finish: ['a.y'],
      results: ['i32'],
      width: 1,
      reads: 4,
    },
  }),
  'joined reduce': entry<JoinedReduceOptions>(
    { parts: [columns, columnsOfNorm, columns] },
    {
      'means and others': {
        parts: [
          { ...columns, finish: ['a / params.length'] },
          { ...columns, width: 1, reads: 4 },
        ],
      },
    },
  ),
  'fused reduce': entry<FusedReduceOptions>(
    {
      ...sum,
      inputs: [
        { type: 'f32', layout: 'full', rank: 0, aligned: false },
        { type: 'f32', layout: 'full', rank: 0, aligned: false },
      ],
      steps: [
        {
          expression: 'a * b',
          operands: [
            { from: 'input', index: 0 },
            { from: 'input', index: 1 },
          ],
          types: ['f32', 'f32'],
          result: 'f32',
        },
      ],
      reassociates: true,
    },
    {
      'serial, an operand that broadcasts, a constant': {
        lanes: 1,
        workgroup: 32,
        serial: true,
        subgroups: false,
        width: 16,
        reads: 1,
        inputs: [
          { type: 'f32', layout: 'full', rank: 0, aligned: false },
          { type: 'f32', layout: 'spread', rank: 2, aligned: false },
        ],
        steps: [
          {
            expression: 'select(a * bitcast<f32>(scalar_0), a, a > b)',
            operands: [
              { from: 'input', index: 0 },
              { from: 'input', index: 1 },
            ],
            types: ['f32', 'f32'],
            result: 'f32',
          },
        ],
        reassociates: false,
      },
    },
  ),
  scan: entry<ScanOptions>(scan, {
    'totals, cooperative': { job: 'totals', strategy: 'cooperative' },
    'cooperative, continued': { strategy: 'cooperative', continued: true },
    'columns, exclusive, reverse': { order: 'columns', width: 4, exclusive: true, reverse: true },
  }),
  squareChunks: entry<ChunkOptions>(
    { gradients: 8, accumulator: 'none', scaled: false, lanes: 256, workgroup: 256 },
    { 'serial, scaled': { gradients: 2, accumulator: 2, scaled: true, lanes: 1, workgroup: 64 } },
  ),
  clipScales: entry<ScaleOptions>({ global: false, lanes: 1, workgroup: 64 }, { global: { global: true } }),
  nonFinite: entry({}),
  statistics: entry<StatisticsOptions>(
    { type: 'f32', stage: 'range' },
    { histogram: { stage: 'histogram' }, 'range, float16': { type: 'f16' } },
  ),
};
