/** @file The run of the notebook's cells, on a job that keeps a record: what it restores after a loss of the device. */
import { beforeAll, expect, test } from 'vitest';
import { trainer } from '../../examples/notebook/cells/trainer.js';
import { DeviceLostError, init, tensor } from '../../src/index.ts';

beforeAll(() => init());

const lost = () => new DeviceLostError({ rule: 'a test', received: 'a loss', hint: 'none' });

/** A run of steps at a size. `onStep` is called in each, with the number of steps so far. */
function runOf(settings: { size: number }, onStep: (step: number) => void) {
  const restored: number[] = [];
  let steps = 0;
  const make = async () => {
    const { size } = settings;
    const descent = {
      losses: [] as number[],
      step: () => {
        onStep(++steps);
        return tensor(size);
      },
      save: async () => ({ size, losses: [...descent.losses] }),
      restore: (state: { size: number; losses: number[] }) => {
        restored.push(state.size);
        expect(state.size).toBe(size);
        descent.losses = state.losses;
      },
    };
    return { descents: { descent }, show: async () => {}, dispose: () => {} };
  };
  const output = () => ({ update: () => {} });
  let press = { start: async () => {} };
  const page = {
    remembered: {},
    status: output,
    curves: output,
    buttons: ({ start }: { start: { press: () => Promise<void> } }) => {
      press = { start: start.press };
      return output();
    },
    onEnd: () => {},
    fail: (error: unknown) => {
      throw error;
    },
  };
  const run = trainer(page, make);
  return { run, restored, toggle: () => press.start(), losses: () => run.current()?.descents.descent.losses };
}

test('a lost run goes on from the last batch', async () => {
  const { restored, toggle, losses } = runOf({ size: 32 }, (step) => {
    if (step === 3) throw lost();
    if (step === 6) void toggle();
  });
  await toggle();
  expect(restored).toEqual([32]);
  expect(losses()?.length).toBeGreaterThan(3);
});

test('a run that is lost while a change of its size waits begins again at the new size', async () => {
  const settings = { size: 32 };
  let isReset = false;
  const { run, restored, toggle, losses } = runOf(settings, (step) => {
    if (step === 3) {
      settings.size = 16;
      void run.reset().then(() => {
        isReset = true;
      });
      throw lost();
    }
    if (!isReset) return;
    isReset = false;
    void toggle();
  });
  await toggle();
  expect(restored).toEqual([]);
  expect(new Set(losses())).toEqual(new Set([16]));
});
