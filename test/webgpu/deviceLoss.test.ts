import { expect, test } from 'vitest';
import { installNodeGpu } from '../support/gpu.ts';
import { loseDevices } from '../support/deviceLoss.ts';

test('a device that is lost during training: one typed error, and the same curve on the next device', async () => {
  await installNodeGpu();
  expect(await loseDevices(0, 4)).toEqual([]);
});
