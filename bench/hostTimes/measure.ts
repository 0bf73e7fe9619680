/** @file Compares the sides, which take turns, so that a drift of the machine affects all of them equally. */
import { matcher } from '../comparison.ts';
import { summarize } from '../measure.ts';
import type { Counts } from './counter.ts';
import { type HostRow, type HostTime, type LoneCall, type Side, sides } from './result.ts';
import { hostCases, type HostCase } from './rows.ts';
import type { SideMethod } from './side.ts';

const samplesEach = 30;

/** Asks the process of a side for one of the methods of `MeasuredSide`. Fails with its reason. */
export type Ask = <T>(side: Side, method: SideMethod, argument?: string) => Promise<T>;

export const casesFor = (filter: string): HostCase[] => {
  const matches = matcher(filter);
  return hostCases.filter(({ name }) => matches(name));
};

/** Measures the cases that match `filter`, and then when a lone call is submitted. */
export async function measureHost(
  filter: string,
  ask: Ask,
  onRow: (row: HostRow) => void,
): Promise<Partial<Record<Side, LoneCall>>> {
  for (const each of casesFor(filter)) onRow(await measureCase(each, ask));
  const found: Partial<Record<Side, LoneCall>> = {};
  const lone: Step = async (side) => {
    found[side] = await ask(side, 'lone');
  };
  await onEachSide(hostCases[0] as HostCase, ask, [lone]);
  return found;
}

type Step = (side: Side) => Promise<void>;

/** Prepares a call and takes steps with it, each on all sides that can. Returns why the others can't. */
async function onEachSide(
  { name }: HostCase,
  ask: Ask,
  steps: readonly Step[],
): Promise<Partial<Record<Side, string>>> {
  const notes: Partial<Record<Side, string>> = {};
  const prepare: Step = (side) => ask(side, 'prepare', name);
  const dispose: Step = (side) => ask(side, 'dispose');
  for (const step of [prepare, ...steps, dispose]) {
    for (const side of sides) {
      if (notes[side] !== undefined) continue;
      try {
        await step(side);
      } catch (error) {
        notes[side] = (error as Error).message;
      }
    }
  }
  return notes;
}

async function measureCase(hostCase: HostCase, ask: Ask): Promise<HostRow> {
  const { name, calls = 1 } = hostCase;
  const taken = Object.fromEntries(sides.map((side) => [side, [] as number[]])) as Record<Side, number[]>;
  const times: Partial<Record<Side, HostTime>> = {};
  const sample: Step = async (side) => {
    taken[side].push(await ask(side, 'sample'));
  };
  const conclude: Step = async (side) => {
    const { median, spread, samples } = summarize(taken[side]);
    const { submissions, launches } = await ask<Counts>(side, 'count');
    const counted = { submissions: submissions / calls, launches: launches / calls };
    times[side] = { microseconds: (1000 * median) / calls, spread, samples, ...counted };
  };
  const steps = [...Array.from({ length: samplesEach }, () => sample), conclude];
  const notes = await onEachSide(hostCase, ask, steps);
  return { name, times, notes };
}
