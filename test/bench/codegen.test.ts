/**
 * @file The code that a GPU's compiler generates for the kernels, against committed limits (bench/codegen/limits.ts). Needs
 * Mesa's RADV and a C compiler, which are installed where that is possible; otherwise the test reports what is missing.
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { usefulShare } from '../../bench/codegen/gemmShare.ts';
import { mainLoop, parseProgram } from '../../bench/codegen/isa.ts';
import type { Limit } from '../../bench/codegen/limit.ts';
import { limits } from '../../bench/codegen/limits.ts';
import { type GemmWork, watchGemms } from '../../bench/codegen/gemmWork.ts';
import { problems } from '../../bench/codegen/problems/index.ts';
import { type CompiledPipeline, parseReport } from '../../bench/codegen/recorder.ts';
import { radvEnvironment } from '../../scripts/lib/radv.mjs';
import { commandsOf } from '../../src/autotune/survey.ts';
import { init, zeros } from '../../src/index.ts';
import { createProfile } from '../../src/kernels/selection/deviceProfile.ts';
import { withProfile } from '../support/adapterClass.ts';

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'codegen-test-'));
afterAll(() => fs.rmSync(folder, { recursive: true }));

const assembly = `
BB0:
	v_mov_b32_e32 v0, 0                                         ; 7e000280
BB1:
	buffer_load_dwordx4 v[4:7], v1, s[0:3], 0 offen             ; e0381000 80000401
	ds_read_b128 v[8:11], v2 offset:16                          ; dbfc0010 08000002
	s_waitcnt lgkmcnt(0)                                        ; bf8cc07f
	v_fmac_f32_e32 v0, v8, v9                                   ; 56001308
	v_min_u32_e32 v3, v4, v5                                    ; 26060b04
BB2:
	v_fma_f32 v0, v8, v9, v0                                    ; d54b0000 04021308
	s_cbranch_scc1 BB2                                          ; bf85fffd
	s_waitcnt vmcnt(0)                                          ; bf8c3f70
	v_fmac_f32_e32 v0, v4, v5                                   ; 56000b04
	s_branch BB1                                                ; bf82fff0
BB3:
	buffer_store_dwordx2 v[0:1], v1, s[0:3], 0 offen            ; e0741000 80000001
	buffer_store_dword v0, v1, s[0:3], 0 offen                  ; e0701000 80000001
	s_endpgm                                                    ; bf810000
`;

describe('assembly', () => {
  test('a loop has a mix of instructions, and knows what its loads overlap', () => {
    const program = parseProgram(assembly);
    expect(program.loops.map(({ blocks, isInner }) => ({ blocks, isInner }))).toEqual([
      { blocks: [1, 2], isInner: false },
      { blocks: [2, 2], isInner: true },
    ]);
    expect(mainLoop(program)).toMatchObject({
      fma: 3,
      vector: 4,
      clamps: 1,
      ldsReads: 1,
      loads: 1,
      loadsInFlight: 1,
      // The third waits for the load.
      fmaUnderLoads: 2,
    });
    expect(program.storedWords).toBe(3);
    expect(program.mix.loadedWords).toBe(4);
  });

  test("a report of the layer has the compiler's statistics before the assembly", () => {
    const report = `workgroup\t64\nsubgroup\t32\nVGPRs\t24\nSubgroups per SIMD\t16\nLDS size\t512\n\n${assembly}`;
    expect(parseReport(report, 'a kernel')).toMatchObject({
      label: 'a kernel',
      workgroup: 64,
      registers: 24,
      waves: 16,
      lds: 512,
      spills: 0,
    });
  });
});

type Launched = readonly [pipeline: number, workgroups: number, bytes: number];

interface Results {
  readonly problems: readonly {
    readonly name: string;
    readonly profile: string;
    readonly gemms: readonly GemmWork[];
    readonly launches: { readonly retrograd: readonly Launched[] };
  }[];
  readonly pipelines: readonly (CompiledPipeline & { readonly number: number })[];
}

type Family = NonNullable<Limit['family']>;
const familyOf = ({ family = 'rdna2' }: Limit) => family;
const profileOf = ({ profile = 'discrete' }: Limit) => profile;

/** Compiles the problems of `family` that have limits, in a process of its own. */
function compile(family: Family): Results {
  const own = limits.filter((limit) => familyOf(limit) === family);
  const names = [...new Set(own.flatMap(({ problems }) => problems))];
  const profiles = [...new Set(own.map(profileOf))].join(',');
  const pattern = names.map((name) => name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|');
  const file = path.join(folder, `${family}.json`);
  const args = ['scripts/codegen.mjs', '--quiet', '--family', family, '--profile', profiles];
  args.push('--json', file, '--filter', `/^(${pattern})$/`);
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`npm run codegen failed: ${stderr}`);
  return JSON.parse(fs.readFileSync(file, 'utf8'));
}

/** Returns the figures of a kernel that a limit is about. */
function figuresOf({ registers, waves, workgroup, spills, scratch, program }: CompiledPipeline) {
  const loop = mainLoop(program);
  const stream = [...program.loops].sort((a, b) => b.loads - a.loads)[0];
  return {
    instructions: loop ? loop.instructions / loop.fma : 0,
    perLoad: stream ? stream.instructions / Math.max(1, stream.loads) : 0,
    inFlight: stream?.loadsInFlight ?? 0,
    registers,
    waves,
    workgroup,
    spilled: spills + scratch,
    fmaShare: loop ? loop.fma / loop.vector : 0,
    clamps: loop?.clamps ?? 0,
    overlap: loop ? loop.fmaUnderLoads / loop.fma : 0,
  };
}

function expectWithin(limit: Limit, { problems, pipelines }: Results): void {
  for (const name of limit.problems) {
    const problem = problems.find((one) => one.name === name && one.profile === profileOf(limit));
    const launches = problem?.launches.retrograd ?? [];
    const kernels = launches.flatMap(([number, workgroups, bytes]) => {
      const pipeline = pipelines.find((one) => one.number === number) as CompiledPipeline;
      return limit.kernels.test(pipeline.label) ? [{ ...figuresOf(pipeline), workgroups, bytes }] : [];
    });
    expect(kernels.length, name).toBeGreaterThan(0);
    if (limit.useful !== undefined)
      expect(usefulShare(problem?.gemms ?? []), `${name}: useful multiply-adds`).toBeGreaterThanOrEqual(
        limit.useful,
      );
    if (limit.launches !== undefined)
      expect(launches.length, `${name}: launches`).toBeLessThanOrEqual(limit.launches);
    for (const kernel of kernels) expectKernel(limit, name, kernel);
  }
}

function expectKernel(
  limit: Limit,
  name: string,
  { workgroups, ...kernel }: ReturnType<typeof figuresOf> & { workgroups: number; bytes: number },
): void {
  const { registers, waves = 0, fmaShare = 0, clamps, overlap = 0, invocations = 0, inFlight = 0 } = limit;
  const { instructions, perLoad, bytes } = limit;
  expect(kernel.spilled, `${name}: spilled`).toBe(0);
  if (registers !== undefined) expect(kernel.registers, `${name}: registers`).toBeLessThanOrEqual(registers);
  if (clamps !== undefined) expect(kernel.clamps, `${name}: clamps`).toBeLessThanOrEqual(clamps);
  if (instructions !== undefined)
    expect(kernel.instructions, `${name}: instructions per multiply-add`).toBeLessThanOrEqual(instructions);
  if (perLoad !== undefined)
    expect(kernel.perLoad, `${name}: instructions per load`).toBeLessThanOrEqual(perLoad);
  if (bytes !== undefined) expect(kernel.bytes, `${name}: bytes of a launch`).toBeLessThanOrEqual(bytes);
  expect(kernel.inFlight, `${name}: loads in flight`).toBeGreaterThanOrEqual(inFlight);
  expect(kernel.waves, `${name}: waves`).toBeGreaterThanOrEqual(waves);
  expect(kernel.fmaShare, `${name}: share of multiply-adds`).toBeGreaterThanOrEqual(fmaShare);
  expect(kernel.overlap, `${name}: multiply-adds under loads`).toBeGreaterThanOrEqual(overlap);
  expect(kernel.workgroup * workgroups, `${name}: invocations`).toBeGreaterThanOrEqual(invocations);
}

describe.each(['discrete', 'apple'] as const)('useful multiply-adds of all layers, profile %s', (kind) => {
  test('are 0.9 on average, and 0.75 in the worst: tiles fit the sizes of layers', async () => {
    const device = await init();
    const takeGemms = watchGemms(device);
    // Tapes and caches need variables, which a dry run doesn't make; the gradients of convolutions are ops.
    const layers = problems.filter(({ name }) => !/, with gradient$|^cachedAttention/.test(name));
    const shares = await withProfile(createProfile(device, kind), () =>
      layers.flatMap(({ name, inputs, run }) => {
        // A dry run: sizes alone say what is selected.
        commandsOf(device, () => void run(...inputs.map(({ shape, dtype }) => zeros([...shape], { dtype }))));
        const share = usefulShare(takeGemms());
        return share === null ? [] : [{ name, share }];
      }),
    );
    device.autotuner = null;
    expect(shares.length).toBeGreaterThan(350);
    expect(shares.filter(({ share }) => share < 0.75)).toEqual([]);
    expect(shares.reduce((sum, { share }) => sum + share, 0) / shares.length).toBeGreaterThanOrEqual(0.9);
  });
});

describe('limits', () => {
  const found = radvEnvironment('rdna2', folder);
  const missing = 'reason' in found ? found.reason : null;
  if (missing) console.warn(`No limit of generated code is tested here. ${missing}`);
  const results: Partial<Record<Family, Results>> = {};

  test.each(limits)('$what: $reason', (limit) => {
    if (missing) return;
    const family = familyOf(limit);
    results[family] ??= compile(family);
    expectWithin(limit, results[family]);
  });
});
