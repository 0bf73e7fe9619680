/** @file Runs the JavaScript of a piece of work without launching anything, when only its shapes or commands matter. */
import { kernels } from '../../kernels/loading/loadKernels.ts';
import { openedDevice } from '../../webgpu/current.ts';
import { SeedNotes } from './seeds.ts';

/**
 * Runs `body` dry. Its tensors have no values, and variables are restored afterwards. Weights that layers create in it are
 * kept, with their seeds.
 */
export function withoutLaunching<T>(body: () => T): T {
  if (!openedDevice()) return body();
  const { LaunchSurvey } = kernels();
  const dry = new LaunchSurvey();
  const seeds = new SeedNotes();
  try {
    return seeds.observe(() => dry.run(body));
  } finally {
    dry.end();
    if (dry.disturbed) seeds.rewindGiven();
    else seeds.rewind();
  }
}
