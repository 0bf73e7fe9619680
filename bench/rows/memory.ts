/** @file The most bytes that live on the device at once during training steps: parameters, temporaries, pools and all. */
import type { AdapterClass, Family, Row } from '../row.ts';
import { perceptualFamily } from './perceptual.ts';
import { stepFamily } from './steps.ts';

/** A page for each, so that no pool holds what another row left. */
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
    ].map(peakOf),
};
