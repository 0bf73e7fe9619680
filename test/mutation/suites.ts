/// <reference types="vite/client" />
/**
 * @file The tests of a mutation run (scripts/test-mutation.mjs): which mutants each reaches, and which test fails with a mutant.
 * All run in one process, which keeps its device and its pipelines.
 */
// First: the library's modules create their registries as they load.
import '../support/deferredFinalizers.ts';
import { init } from '../../src/index.ts';
import { installNodeGpu } from '../support/gpu.ts';
import { mutantSwitch, takeCoverage, withMutant } from './mutantSwitch.ts';

export { reachedOnLoad } from './mutantSwitch.ts';
import { testFile } from '../engines/runner.ts';
import type { TestRun } from '../engines/testFile.ts';

const modules: Readonly<Record<string, () => Promise<unknown>>> = import.meta.glob([
  '../{core,history,autodiff,execution,tensor}/**/*.test.ts',
  '../{options,training-step}.test.ts',
  '../kernels/{encode,encodeFunction,fusion}.test.ts',
  '../inspect/{profile,recording,step}.test.ts',
  '../ops/{arrange,binary,creation,define,gather-faults,hostOperands,matMul,reductions}.test.ts',
  '../webgpu/{faults,idleMemory,journal,limits,lostValues,outOfMemory}.test.ts',
  '../keras/graph/*.test.ts',
  // Snapshots of vitest, many programs, and timed tests.
  '!../autodiff/{compilePrograms,differential,dropped}.test.ts',
]);

/** Test files, relative to `test/`. */
export const files = (): string[] => Object.keys(modules).map((module) => module.slice('../'.length));

const fileOf = (name: string) => testFile(name, modules[`../${name}`] as () => Promise<unknown>);

async function start(): Promise<void> {
  await installNodeGpu();
  await init();
}

interface Coverage {
  /** The tests that pass whenever they run. */
  readonly tests: readonly TestRun[];
  readonly unstable: readonly TestRun[];
  /** The mutants that each test reaches, by its position, and how often. */
  readonly reached: Readonly<Record<string, Readonly<Record<string, number>>>>;
}

/** Runs a file twice: mutants reached are those of both runs, times those of the second, when everything is compiled. */
export async function cover(name: string): Promise<Coverage> {
  await start();
  const file = await fileOf(name);
  takeCoverage();
  const onTest = (index: number | null) => {
    mutantSwitch.currentTestId = index === null ? 'hooks' : String(index);
  };
  onTest(null);
  const first = await file.run({ onTest });
  const second = await file.run({ onTest });
  mutantSwitch.currentTestId = undefined;
  const failed = [...first, ...second].filter(({ message }) => message !== null);
  const isStable = ({ index }: TestRun) => failed.every((other) => other.index !== index);
  return { tests: second.filter(isStable), unstable: failed, reached: takeCoverage() };
}

export interface MutantRun {
  /** The test that failed; null if all passed. */
  readonly killedBy: { readonly file: string; readonly index: number } | null;
  readonly message: string | null;
  /** How often the mutant was reached. */
  readonly hits: number;
}

/** Runs tests, given by their positions in files, with a mutant until one fails; null means no mutant. */
export async function runMutant(
  mutant: string | null,
  hitLimit: number,
  chosen: readonly (readonly [file: string, tests: readonly number[]])[],
): Promise<MutantRun> {
  await start();
  let killed: (TestRun & { file: string }) | undefined;
  const body = async () => {
    for (const [name, tests] of chosen) {
      const runs = await (await fileOf(name)).run({ chosen: new Set(tests), bails: true });
      const failed = runs.find(({ message }) => message !== null);
      if (!failed) continue;
      killed = { ...failed, file: name };
      return;
    }
  };
  for (const [name] of chosen) await fileOf(name);
  const hits = mutant === null ? await body().then(() => 0) : await withMutant(mutant, hitLimit, body);
  const { file, index, message } = killed ?? {};
  return {
    killedBy: file === undefined ? null : { file, index: index ?? -1 },
    message: message ?? null,
    hits,
  };
}
