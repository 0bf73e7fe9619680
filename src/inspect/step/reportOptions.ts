/** @file Options of reports, of one step or of recorded ones. */
import { ValueError } from '../../core/errors.ts';
import { describe, requireInteger } from '../../core/shape.ts';
import type { Device } from '../../webgpu/device.ts';

/** Options of `inspector`. */
export interface InspectOptions {
  /** Name of the step in the report. Default: the name of the function or the model. */
  name?: string;
  /** Channels of each layer's feature maps to show as pictures; 0 for none. Default 8. */
  featureMaps?: number;
  /** The device whose work is inspected. Default: the current device. */
  device?: Device;
}

/** Errors: ValueError for values that aren't what an option takes. */
export function requireReportOptions(op: string, { name, featureMaps = 0 }: InspectOptions): void {
  requireInteger(op, 'featureMaps', featureMaps, 0);
  if (name === undefined || typeof name === 'string') return;
  throw new ValueError({
    op,
    rule: '`name` is a string.',
    received: `name: ${describe(name)}`,
    hint: "pass the label of the step in the report, such as 'epoch 3'.",
  });
}
