import { afterEach, beforeEach, describe, expect, type MockInstance, test, vi } from 'vitest';
import { Cleanup, finishing, runAll, runAllAsync } from '../../src/core/cleanup.ts';
import { DeviceLostError, ValueError } from '../../src/core/errors.ts';

let warn: MockInstance<typeof console.warn>;
beforeEach(() => {
  warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
});
afterEach(() => {
  warn.mockRestore();
});

const throwing = (error: unknown) => () => {
  throw error;
};
const own = () => new ValueError({ op: 'fit', rule: 'a rule.', received: 'something' });

/** What `run` throws. */
async function thrownBy(run: () => unknown): Promise<unknown> {
  try {
    await run();
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
}

/** The ways in which a body and its steps run. Steps come in the order in which they run. */
const ways: Record<string, (body: () => unknown, ...steps: (() => void)[]) => unknown> = {
  finishing,
  runAll: (...all) => runAll(all as (() => void)[]),
  runAllAsync: (...all) => runAllAsync(all.map((step) => async () => void step())),
  'Cleanup.afterSync': (body, ...steps) => collected(steps).afterSync(body),
  'Cleanup.after': (body, ...steps) => collected(steps).after(async () => body()),
};

function collected(steps: readonly (() => void)[]): Cleanup {
  const cleanup = new Cleanup();
  for (const step of [...steps].reverse()) cleanup.defer(step);
  return cleanup;
}

describe.each(Object.entries(ways))('%s', (_, run) => {
  test('runs every step, whatever the others throw', async () => {
    const ran: number[] = [];
    const step = (n: number) => () => {
      ran.push(n);
      throw new Error(`step ${n}`);
    };
    expect(await thrownBy(() => run(step(0), step(1), step(2)))).toMatchObject({ message: 'step 0' });
    expect(ran).toEqual([0, 1, 2]);
  });

  test('throws the error of the body, and leaves it as it is where it is the app’s', async () => {
    const [first, second] = [new Error('first'), new Error('second')];
    expect(await thrownBy(() => run(throwing(first), throwing(second)))).toBe(first);
    expect(Object.keys(first)).toEqual([]);
    expect(warn.mock.calls).toEqual([[expect.stringMatching(/^retrograd: .*cleaning up/), second]]);
  });

  test('adds later errors to an error of the library', async () => {
    const [first, second] = [own(), new Error('second\nwith details')];
    const thrown = await thrownBy(() => run(throwing(first), throwing(second), throwing('third')));
    expect(thrown).toBe(first);
    expect(first.others).toMatchObject([second, { message: 'third', cause: 'third' }]);
    expect(first.message).toMatch(/received: something\n.*while cleaning up: second\n.*: third$/);
    expect(warn).not.toHaveBeenCalled();
  });

  test('throws the error of a step where the body has none', async () => {
    const error = own();
    expect(
      await thrownBy(() =>
        run(
          () => 1,
          () => {},
          throwing(error),
          throwing(error),
        ),
      ),
    ).toBe(error);
    expect(error.others).toEqual([]);
  });

  test('leaves the loss of a device as it is', async () => {
    const lost = new DeviceLostError({ rule: 'lost.' });
    expect(await thrownBy(() => run(throwing(lost), throwing(lost), throwing(own())))).toBe(lost);
    expect(lost.others).toEqual([]);
    expect(warn).toHaveBeenCalledTimes(1);
  });
});

test('the result of the body is returned', async () => {
  expect(finishing(() => 7)).toBe(7);
  expect(new Cleanup().afterSync(() => 8)).toBe(8);
  expect(await new Cleanup().after(async () => 9)).toBe(9);
});

test('what is added is disposed of, the last one first, and waited for', async () => {
  const order: string[] = [];
  const held = (name: string) => ({
    dispose: async () => {
      await Promise.resolve();
      order.push(name);
    },
  });
  const cleanup = new Cleanup();
  await cleanup.after(async () => {
    cleanup.add(held('first'));
    cleanup.add(held('second'));
    order.push('body');
  });
  expect(order).toEqual(['body', 'second', 'first']);
});
