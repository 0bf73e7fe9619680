/** @file gatherOnHost: a gather through the host, which loses the history. A function, so that it can be shown and measured. */
import { type OptionNames, optionsOf, type Positions } from '../../core/options.ts';
import type { TypedData } from '../../core/dtype.ts';
import type { Shape } from '../../core/shape.ts';
import { specOf } from '../../core/spec.ts';
import { sourceOf, rememberSource, Tensor } from '../../tensor/tensor.ts';
import { tensor } from '../../tensor/create.ts';
import { requireTensor } from '../../tensor/requireTensor.ts';
import { Call } from '../define/call.ts';
import { gatherTarget, planGather } from './gather.ts';
import { type AxisOptions, checkingOf } from '../define/indices.ts';
import type { TensorLike } from '../define/operands.ts';

/** Gathered values, row-major, as accepted by `freshTensor`. Bools are 0 and 1. */
export type GatheredData = TypedData & { readonly shape: Shape };

const optionNames: OptionNames<AxisOptions> = { axis: true, batchDims: true };

/**
 * Reads `x` and the indices back and gathers on the host. The result is host data: a tensor made of it,
 * `freshTensor(await gatherOnHost(x, indices))`, has no history, and no gradient reaches x through it. Prefer `gather`.
 * Shapes and options: those of `gather`.
 * Errors: IndexOutOfRangeError, ShapeError, DTypeError.
 */
export async function gatherOnHost(
  x: Tensor,
  indices: TensorLike,
  options?: AxisOptions,
): Promise<GatheredData>;
export async function gatherOnHost(
  x: Tensor,
  indices: TensorLike,
  ...settings: Positions<AxisOptions, ['axis', 'batchDims']>
): Promise<GatheredData>;
export async function gatherOnHost(
  x: Tensor,
  indices: TensorLike,
  ...settings: unknown[]
): Promise<GatheredData> {
  requireTensor('gatherOnHost', 'x', x);
  const options: AxisOptions = optionsOf('gatherOnHost', settings, optionNames, ['x', 'indices']);
  const onDevice = indices instanceof Tensor;
  const given = onDevice ? indices : tensor(indices, { dtype: 'int32' });
  try {
    return await gatherRows(x, given, onDevice ? null : indices, options);
  } finally {
    if (!onDevice) given.dispose();
  }
}

async function gatherRows(
  x: Tensor,
  given: Tensor,
  host: TensorLike | null,
  options: AxisOptions,
): Promise<GatheredData> {
  const spec = specOf(given);
  const plan = planGather('gatherOnHost', 'x', x, spec, options);
  const { shape, geometry } = plan;
  const [table, rows] = await Promise.all([x.data(), given.data()]);
  const call = new Call('gatherOnHost', [], [x, host ?? rows], options);
  checkingOf(call, spec, {}, gatherTarget({ x: 'x', indices: 'indices' }, x, plan));
  const { batch, outer, rows: limit, entries, inner } = geometry.indexing;
  const out = new (table.constructor as new (length: number) => typeof table)(
    batch * outer * entries * inner,
  );
  for (let run = 0; run < batch * outer * entries; run++) {
    const block = Math.floor(run / entries);
    const row = rows[Math.floor(block / outer) * entries + (run % entries)] as number;
    const first = (block * limit + row) * inner;
    // `out` is an array of the same type as `table`.
    out.set(table.subarray(first, first + inner) as never, run * inner);
  }
  rememberSource(out, sourceOf(x));
  return Object.assign(out, { shape });
}
