/** @file Waits for submitted work: in Firefox, which looks for finished work when something is submitted, they submit. */
import { afterEach, describe, expect, test, vi } from 'vitest';
import { polled } from '../../src/webgpu/completion.ts';

const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:153.0) Gecko/20100101 Firefox/153.0';
const others = {
  chromium:
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36',
  node: 'Node.js/20',
  'an engine without a user agent': undefined,
};

afterEach(() => {
  vi.unstubAllGlobals();
});

/** A device whose work is found to be done at the given submission. */
function deviceDoneAt(count: number) {
  let found = () => {};
  const done = new Promise<undefined>((resolve) => {
    found = () => resolve(undefined);
  });
  const submit = vi.fn((buffers: readonly GPUCommandBuffer[]) => {
    expect(buffers).toEqual([]);
    if (submit.mock.calls.length === count) found();
  });
  return { device: { queue: { submit } } as unknown as GPUDevice, submit, done, found: () => found() };
}

const later = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

describe('in Firefox', () => {
  test.each([1, 4])('the work is found at submission %i, and no more follow', async (count) => {
    vi.stubGlobal('navigator', { userAgent: firefox });
    const { device, submit, done } = deviceDoneAt(count);
    await polled(device, done);
    await later(50);
    expect(submit).toHaveBeenCalledTimes(count);
  });

  test('the value and the error of the wait are passed on', async () => {
    vi.stubGlobal('navigator', { userAgent: firefox });
    const { device, submit } = deviceDoneAt(1);
    expect(await polled(device, Promise.resolve(3))).toBe(3);
    await expect(polled(device, Promise.reject(new Error('lost')))).rejects.toThrow('lost');
    await later(20);
    expect(submit).not.toHaveBeenCalled();
  });
});

test.each(Object.entries(others))('nothing is submitted in %s', async (_, userAgent) => {
  vi.stubGlobal('navigator', userAgent === undefined ? undefined : { userAgent });
  const { device, submit, done, found } = deviceDoneAt(1);
  const wait = polled(device, done);
  await later(50);
  expect(submit).not.toHaveBeenCalled();
  found();
  await wait;
});
