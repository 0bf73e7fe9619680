/** @file The model of GPUs: which launches use a cache, which profile belongs to which machine, and how predictions are compared. */
import { describe, expect, test } from 'vitest';
import { toFitMarkdown } from '../../bench/codegen/fit.ts';
import { parseProgram } from '../../bench/codegen/isa.ts';
import type { ProblemReport } from '../../bench/codegen/measure.ts';
import { breakdown, type Machine, machines, machinesOf, modelled } from '../../bench/codegen/model.ts';
import { toPeerMarkdown } from '../../bench/codegen/peerReport.ts';
import { modelledLaunches } from '../../bench/codegen/predict.ts';
import { toMarkdown } from '../../bench/codegen/report.ts';
import {
  type BoundBuffer,
  parseReport,
  type RecordedLaunch,
  readOnlyBindings,
} from '../../bench/codegen/recorder.ts';
import { shareOfMemory, usesOf } from '../../bench/codegen/reuse.ts';

const mebibyte = 2 ** 20;
const reads = (id: number, bytes: number): BoundBuffer => ({ id, bytes, isWritten: false });
const writes = (id: number, bytes: number): BoundBuffer => ({ id, bytes, isWritten: true });

const header = (workgroup: number) =>
  `workgroup\t${workgroup}\nsubgroup\t32\nVGPRs\t24\nSubgroups per SIMD\t16\nLDS size\t0\n\n`;
const copying = `
BB0:
	buffer_load_dwordx4 v[4:7], v1, s[0:3], 0 offen             ; e0381000 80000401
	buffer_load_dwordx4 v[8:11], v1, s[0:3], 0 offen            ; e0381000 80000401
	s_waitcnt vmcnt(0)                                          ; bf8c3f70
	buffer_store_dwordx4 v[4:7], v1, s[0:3], 0 offen            ; e0781000 80000401
	buffer_store_dwordx4 v[8:11], v1, s[0:3], 0 offen           ; e0781000 80000401
	s_endpgm                                                    ; bf810000
`;

function launch(label: string, workgroups: number, buffers: readonly BoundBuffer[]): RecordedLaunch {
  const bytesOf = (some: readonly BoundBuffer[]) => some.reduce((sum, { bytes }) => sum + bytes, 0);
  return {
    pipeline: parseReport(`${header(256)}${copying}`, label),
    workgroups,
    buffers,
    bytes: bytesOf(buffers),
    writable: bytesOf(buffers.filter(({ isWritten }) => isWritten)),
  };
}

const report = (
  profile: ProblemReport['profile'],
  own: readonly RecordedLaunch[],
  peer: readonly RecordedLaunch[],
): ProblemReport => ({
  name: 'a copy',
  family: 'copies',
  profile,
  bytes: 16 * mebibyte,
  fmas: 0,
  terms: 0,
  gemms: [],
  launches: { retrograd: own, tfjs: peer },
  notes: {},
});

describe('what is still in a cache', () => {
  // x → a → y: what is in between is read by the launch after the one that writes it.
  const launches = [
    launch('first', 1, [reads(0, mebibyte), writes(1, mebibyte)]),
    launch('second', 1, [reads(1, mebibyte), writes(2, mebibyte)]),
  ];

  test('inputs come from memory and results go there; what is in between is used within three buffers', () => {
    expect(usesOf(launches)).toEqual([
      [
        { bytes: mebibyte, distance: Number.POSITIVE_INFINITY },
        { bytes: mebibyte, distance: 3 * mebibyte },
      ],
      [
        { bytes: mebibyte, distance: 3 * mebibyte },
        { bytes: mebibyte, distance: Number.POSITIVE_INFINITY },
      ],
    ]);
  });

  test('launches that are repeated find their inputs, too', () => {
    const [[input] = []] = usesOf(launches, true);
    expect(input).toEqual({ bytes: mebibyte, distance: 3 * mebibyte });
  });

  test('memory moves what does not fit', () => {
    const [first = []] = usesOf(launches);
    expect(shareOfMemory(first, 3 * mebibyte)).toBe(0.5);
    expect(shareOfMemory(first, 1.5 * mebibyte)).toBe(0.75);
    expect(shareOfMemory(first, 0)).toBe(1);
    expect(shareOfMemory([], mebibyte)).toBe(1);
  });
});

describe('the time of memory', () => {
  const machine: Machine = { ...(machines[1] as Machine), latency: 1 };
  const uses = (distance: number) => [{ bytes: 64 * mebibyte, distance }];
  const at = (distance: number) => {
    const moved = launch('a copy', 2 ** 16, [reads(0, 64 * mebibyte)]);
    return breakdown(modelled(moved, uses(distance), 0), machine).seconds;
  };

  test("is that of the cache for what is there, by the cache's bandwidth", () => {
    expect(at(Number.POSITIVE_INFINITY)).toBeCloseTo((64 * mebibyte) / 512e9, 12);
    expect(at(mebibyte)).toBeCloseTo((64 * mebibyte) / (60 * 16 * 2.1e9), 12);
  });
});

test('loads in flight of programs without loops are counted', () => {
  expect(parseProgram(copying).bytesInFlight).toBe(32);
});

test('a program says which of its bindings it only reads, if a layout is taken from it', () => {
  const wgsl = `
    @group(0) @binding(0) var<storage, read_write> result: array<f32>;
    @group(0) @binding(1) var<storage, read> x: array<f32>;
    @group(0) @binding(2) var<uniform> size: u32;
    @group(1) @binding(0) var<storage> y: array<f32>;
    @group(1) @binding(3) var<storage, read_write> z: array<f32>;`;
  expect([...readOnlyBindings(wgsl, 0)]).toEqual([1, 2]);
  expect([...readOnlyBindings(wgsl, 1)]).toEqual([0]);
});

describe('machines and profiles', () => {
  test('each machine gets the kernels that the library selects there', () => {
    expect(machinesOf('discrete').map(({ name }) => name)).toEqual(['RX 6800', '128 multiprocessors']);
    for (const kind of ['integrated', 'apple', 'mobile'] as const)
      expect(machinesOf(kind).map(({ name }) => name)).toEqual(['integrated']);
  });

  test('the comparison says what other profiles would reach', () => {
    const fast = [launch('own', 1024, [reads(0, 8 * mebibyte), writes(1, 8 * mebibyte)])];
    const slow = [...fast, ...fast];
    const page = toPeerMarkdown([report('discrete', slow, fast), report('integrated', fast, slow)], {
      compiler: 'a chip',
      profile: 'discrete, integrated',
      date: '2026-11-27',
    });
    expect(page).toContain('3 comparisons with the best peer');
    expect(page).toContain('with the profile `discrete` on all machines, 3 of 3 are below 1');
    expect(page).toContain('with the profile `integrated` on all machines, 0 of 3 are below 1');
    const rows = page.split('\n').filter((line) => /Retrograd, (discrete|integrated)/.test(line));
    expect(
      rows.map((row) =>
        row
          .split('|')
          .slice(-4, -1)
          .map((cell) => cell.trim() !== ''),
      ),
    ).toEqual([
      [false, true, true],
      [true, false, false],
    ]);
  });
});

test('predictions are compared with measured times', () => {
  const own = [launch('own', 1024, [reads(0, 8 * mebibyte), writes(1, 8 * mebibyte)])];
  const page = toFitMarkdown(
    [report('discrete', own, [...own, ...own])],
    '| problem | Retrograd | GFLOP/s | launches | TF.js | jax-js | ONNX Runtime | ratio |\n| a copy | 10.0 ± 1 % | | 1 | 20.0 ± 1 % | – | – | 2.00× |',
  );
  expect(page).toContain('Of 1 comparisons, 1 have the same library ahead.');
  expect(page).toMatch(/\| Retrograd \| 1 \| 0\.\d\d \| 1\.00 \|/);
});

test('atomic sums into a word take a latency each, since they are exchanges that may have to be repeated', () => {
  const assembly = `
BB0:
${'	v_fmac_f32_e32 v0, v8, v9                                   ; 56001308\n'.repeat(16)}
	buffer_atomic_cmpswap v[4:5], v1, s[0:3], 0 offen glc       ; e0c41000 80000401
	s_endpgm                                                    ; bf810000
`;
  const summing: RecordedLaunch = {
    ...launch('', 64, [reads(0, mebibyte), writes(1, 1024)]),
    pipeline: parseReport(`${header(256)}${assembly}`, 'sums'),
  };
  const found = modelledLaunches({ ...report('discrete', [], [summing]), fmas: 2 ** 20, terms: 64 }, 'tfjs');
  // 64 · 256 sums of 256 words.
  expect(found[0]?.chain).toBe(64);
  const machine = machines[2] as Machine;
  const { seconds, boundBy } = breakdown(found[0] as (typeof found)[0], machine);
  expect(boundBy).toBe('atomic sums');
  expect(seconds).toBeCloseTo((64 * 500) / 2.5e9, 12);
});

test('a report of problems without multiplications has no share of useful ones', () => {
  const copies = [launch('own', 1024, [reads(0, mebibyte), writes(1, mebibyte)])];
  const page = toMarkdown([report('discrete', copies, copies)], {
    compiler: 'a chip',
    profile: 'discrete',
    date: '2026-11-27',
  });
  expect(page).toContain('pipelines with spills');
  expect(page).not.toMatch(/useful multiply-adds: |NaN|Infinity/);
});
