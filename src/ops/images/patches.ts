/** @file patches and patchesSum: overlapping patches of images, and their sum. Each is the gradient of the other. */
import type { Shape } from '../../core/shape.ts';
import type { TensorSpec } from '../../core/spec.ts';
import type { WindowAxis } from '../../core/windows.ts';
import { patchesKernel, patchSumKernel } from '../../kernels/images/patches.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { noFlops, perInput } from '../define/cost.ts';
import { defineOp, type Op } from '../define/define.ts';
import { pad } from '../arrangement/pad.ts';

interface PatchOptions {
  /** The patches along the height and the width of an image. None has padding. */
  windows: readonly [WindowAxis, WindowAxis];
}

interface PatchSumOptions extends PatchOptions {
  /** Shape of the images. */
  shape: Shape;
}

/** The patches of images inside the images. Shapes: x [n, h, w, c] → [n, patches down, patches across, rows · columns · c]. */
const patches: Op<[x: Tensor], PatchOptions> = /* @__PURE__ */ defineOp({
  name: 'patches',
  inputs: ['x'],
  save: { inputs: [] },
  infer: (inputs, options) => planPatches(inputs[0], options),
  forward: ([x], plan, { op }) => patchesKernel(op, x, plan.geometry, plan),
  backward: ([dy], { inputSpecs: [{ shape }], options }) => [patchesSum(dy, { ...options, shape })],
  cost: noFlops,
});

/** Sums patches into images of `shape`: the adjoint of `patches`. */
const patchesSum: Op<[dy: Tensor], PatchSumOptions> = /* @__PURE__ */ defineOp({
  name: 'patchesSum',
  inputs: ['dy'],
  save: { inputs: [] },
  infer: ([{ dtype }], { shape, windows }) => {
    const { geometry } = planPatches({ shape, dtype }, { windows });
    return { shape, dtype, geometry };
  },
  forward: ([dy], plan, { op }) => patchSumKernel(op, dy, plan.geometry, plan),
  backward: ([ddx], { options: { windows } }) => [patches(ddx, { windows })],
  cost: perInput,
});

function planPatches({ shape, dtype }: TensorSpec, { windows: [rows, columns] }: PatchOptions) {
  const [batch, , , channels] = shape as [number, number, number, number];
  const size = rows.window * columns.window * channels;
  return {
    shape: [batch, rows.output, columns.output, size],
    dtype,
    geometry: { batch, channels, rows, columns },
  };
}

/**
 * The patches of images that `windows` describe, with zeros around the images. Any dtype.
 * Shapes: x [n, h, w, c] → [n, patches down, patches across, rows · columns · c].
 */
export function windowPatches(x: Tensor, windows: readonly [WindowAxis, WindowAxis]): Tensor {
  const around = windows.map(addedAround);
  const isPadded = around.some(([before, after]) => before > 0 || after > 0);
  const padded = isPadded ? pad(x, { paddings: [[0, 0], ...around, [0, 0]] }) : x;
  const inside = (axis: WindowAxis, i: number): WindowAxis => ({
    ...axis,
    input: padded.shape[i + 1] as number,
    before: 0,
  });
  return patches(padded, { windows: [inside(windows[0], 0), inside(windows[1], 1)] });
}

/** The padding of an axis that makes room for all windows. */
function addedAround({ input, output, window, stride, dilation, before }: WindowAxis): [number, number] {
  const covered = (output - 1) * stride + (window - 1) * dilation + 1;
  return [before, Math.max(0, covered - input - before)];
}
