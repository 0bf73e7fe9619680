/** @file The counts of training steps by `npm run codegen -- --steps`, and their tables. */
import { expect, test } from 'vitest';
import { parseReport, type RecordedLaunch } from '../../bench/codegen/recorder.ts';
import { closestPeer, toStepMarkdown } from '../../bench/codegen/stepReport.ts';
import { countsOf, type StepReport } from '../../bench/codegen/steps.ts';

const header = 'workgroup\t64\nsubgroup\t32\nVGPRs\t24\nSubgroups per SIMD\t16\nLDS size\t0\n\n';
/** Loads and stores four words in each invocation. */
const copying = parseReport(
  `${header}
BB0:
	buffer_load_dwordx4 v[4:7], v1, s[0:3], 0 offen             ; e0381000 80000401
	s_waitcnt vmcnt(0)                                          ; bf8c3f70
	buffer_store_dwordx4 v[4:7], v1, s[0:3], 0 offen            ; e0781000 80000401
	s_endpgm                                                    ; bf810000
`,
  'copy',
);
/** Loads words in a loop, and stores one. */
const summing = parseReport(
  `${header}
BB0:
	v_mov_b32_e32 v0, 0                                         ; 7e000280
BB1:
	buffer_load_dword v4, v1, s[0:3], 0 offen                   ; e0381000 80000401
	s_waitcnt vmcnt(0)                                          ; bf8c3f70
	v_add_f32_e32 v0, v0, v4                                    ; 06000900
	s_cbranch_scc1 BB1                                          ; bf85fffd
BB2:
	buffer_store_dword v0, v1, s[0:3], 0 offen                  ; e0701000 80000001
	s_endpgm                                                    ; bf810000
`,
  'sum',
);

const launch = (
  pipeline: RecordedLaunch['pipeline'],
  workgroups: number,
  read: number,
  written: number,
): RecordedLaunch => ({
  pipeline,
  workgroups,
  buffers: [
    { id: 1, bytes: read, isWritten: false },
    { id: 2, bytes: written, isWritten: true },
  ],
  bytes: read + written,
  writable: written,
});

test('a launch without loops moves what it loads and stores, others all that they bind', () => {
  // 10 workgroups of 64 invocations, each with 16 bytes.
  expect(countsOf([launch(copying, 10, 1e6, 2e6)], 'tfjs')).toEqual({
    launches: 1,
    pipelines: 1,
    read: 10_240,
    written: 10_240,
  });
  expect(countsOf([launch(copying, 10, 800, 400)], 'tfjs')).toMatchObject({ read: 800, written: 400 });
  expect(countsOf([launch(summing, 10, 1e6, 2e6)], 'tfjs')).toMatchObject({ read: 1e6, written: 2e6 });
});

test('launches, pipelines and bytes of a step are counted', () => {
  const launches = [launch(copying, 1, 100, 100), launch(copying, 1, 100, 100), launch(summing, 1, 50, 4)];
  expect(countsOf(launches, 'retrograd')).toEqual({ launches: 3, pipelines: 2, read: 250, written: 204 });
  expect(countsOf([], 'jaxjs')).toEqual({ launches: 0, pipelines: 0, read: 0, written: 0 });
});

const counts = (launches: number, bytes: number) => ({
  launches,
  pipelines: 1,
  read: bytes / 2,
  written: bytes / 2,
});
const step: StepReport = {
  name: 'a step',
  bytes: 4e6,
  counts: { retrograd: counts(10, 4e7), tfjs: counts(50, 8e7), jaxjs: counts(20, 1.2e8) },
  notes: {},
};

test('the closest peer is the one that moves the least', () => {
  expect(closestPeer(step)).toEqual({ peer: 'tfjs', bytes: 2, launches: 5 });
  expect(closestPeer({ ...step, counts: { retrograd: counts(1, 1) } })).toBeNull();
});

test('the tables name what is missing', () => {
  const setting = { compiler: 'RDNA2', profile: 'discrete', date: '2026-11-29' };
  const page = toStepMarkdown([step, { ...step, name: 'another', notes: { jaxjs: 'no such op' } }], setting);
  expect(page).toContain('| a step | TF.js | 2.00 × | 5.00 × |');
  expect(page).toContain('| Retrograd | 10 | 1 | 20 | 20 | 10.0 % |');
  expect(page).toContain('- another, jax-js: no such op');
});
