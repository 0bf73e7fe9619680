/** @file The peak of bytes on the device during training steps, including parameters, temporaries and pools. */
import type { AdapterClass, Family, Row } from '../row.ts';
import { perceptualFamily } from './perceptual.ts';
import { stepFamily } from './steps.ts';

/** Each runs on its own page, so that pools don't contain what another row left. */
const peakOf = (row: Row): Row => ({
  ...row,
  name: `peak bytes, ${row.name}`,
  family: `peak bytes, ${row.name}`,
  bytes: true,
});

export const memoryFamily: Family = {
  name: 'memory',
  rows: (adapter: AdapterClass) =>
    [
      ...stepFamily.rows(adapter).filter(({ name }) => name.startsWith('CNN')),
      ...perceptualFamily.rows(adapter),
    ]
      .filter(({ name }) => !name.endsWith(', float16'))
      .map(peakOf),
};
