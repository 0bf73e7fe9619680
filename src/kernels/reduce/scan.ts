/** @file Launches running sums and products: one launch for short lines, three for long ones (more if there are many tiles). */
import { cooperativeTile, scan, type ScanOptions, scanWorkgroup } from '../../../shaders/scan.ts';
import { wgslType } from '../../core/dtype.ts';
import { type Bindings, defineKernel } from '../../webgpu/kernel.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import type { AdapterProfile } from '../selection/adapterProfile.ts';
import { profileOf } from '../selection/deviceProfile.ts';
import { type Lines, linesAlong, orderOf, widthFor } from '../selection/lanes.ts';
import { output } from '../launch/output.ts';

const kernel = defineKernel({
  name: 'scan',
  bindings: ({ type, job, continued, order, width }: ScanOptions): Bindings => {
    const value = width === 4 ? `vec4<${type}>` : type;
    const sum = order === 'columns' ? value : type;
    return {
      x: `read ${value}`,
      ...(continued ? { before: `read ${sum}` } : {}),
      out: `write ${job === 'totals' ? sum : value}`,
    };
  },
  params: { count: 'u32', n: 'u32', inner: 'u32', tiles: 'u32', tile: 'u32' },
  source: scan,
});

export interface ScanDirection {
  /** Excludes each element from its own sum. */
  exclusive: boolean;
  /** Sums from the end. */
  reverse: boolean;
}

/** Elements of a tile that one invocation sums. */
const serialTile = 256;

/** The ops that are scans, and how they combine elements. */
const folds = { cumsum: 'sum', cumprod: 'product' } as const;
type ScanOp = keyof typeof folds;

/** Running sums or products of `x` along `axis`. */
export function scanKernel(op: ScanOp, x: Tensor, axis: number, direction: ScanDirection): Tensor {
  const out = output(x.device, x, op);
  if (out.size > 0) scanInto(op, out, x, linesAlong(x.shape, axis), direction);
  return out;
}

function scanInto(
  op: ScanOp,
  out: Tensor,
  x: Tensor,
  lines: Lines,
  { exclusive, reverse }: ScanDirection,
): void {
  const { device } = x;
  const { strategy, tile } = selectScan(lines, profileOf(device));
  const { count, n, inner } = lines;
  const tiles = Math.ceil(n / tile);
  const [order, width] = [orderOf(lines), widthFor(x, lines)];
  // Sizes in units of one read.
  const [along, across] = order === 'rows' ? [width, 1] : [1, width];
  const launch = (job: ScanOptions['job'], before: Tensor | null, target: Tensor) => {
    const continued = before !== null;
    const units = (count / across) * tiles;
    device.launch(kernel, {
      options: {
        type: wgslType(x.dtype),
        fold: folds[op],
        job,
        continued,
        exclusive: exclusive && job === 'scan',
        reverse,
        strategy,
        order,
        width,
      },
      bindings: { x: x.storage, ...(before ? { before: before.storage } : {}), out: target.storage },
      params: { count: units, n: n / along, inner: inner / across, tiles, tile: Math.ceil(tile / along) },
      workgroups: strategy === 'serial' ? Math.ceil(units / scanWorkgroup.serial) : units,
    });
  };
  if (tiles === 1) {
    launch('scan', null, out);
    return;
  }
  const spec = { shape: [count, tiles], dtype: x.dtype };
  const [totals, before] = [output(device, spec, op), output(device, spec, op)];
  launch('totals', null, totals);
  scanInto(op, before, totals, { count, n: tiles, inner }, { exclusive: true, reverse: false });
  launch('scan', before, out);
}

/** How the elements of a line are scanned, and how many form a tile. */
export interface ScanAlgorithm {
  readonly strategy: ScanOptions['strategy'];
  readonly tile: number;
}

function selectScan({ count, n, inner }: Lines, { lines, scan }: AdapterProfile): ScanAlgorithm {
  const isBusy = count >= scan.busyInvocations;
  // Sharing a tile only pays if the invocations of a workgroup read adjacent elements along the axis.
  if (lines.shared && inner === 1 && n > 64) return { strategy: 'cooperative', tile: cooperativeTile };
  if (n <= 2 * serialTile || (isBusy && n <= 16 * serialTile)) return { strategy: 'serial', tile: n };
  return { strategy: 'serial', tile: serialTile };
}
