/** @file Launches gathers. */
import { gather, type GatherOptions, gatherWorkgroup, isGrouped } from '../../../shaders/gather.ts';
import { indexParams } from '../../../shaders/lib/indices.ts';
import type { TensorSpec } from '../../core/spec.ts';
import { type Bindings, defineKernel } from '../../webgpu/kernel.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { profileOf } from '../selection/deviceProfile.ts';
import { launchChecked } from '../launch/checkedKernel.ts';
import { type IndexChecking, type Indexing, indexOptions, indexValues, unchecked } from './indexing.ts';
import { bindsAsVectors, output } from '../launch/output.ts';
import { checkIndicesKernel, rowsKernel } from './rows.ts';
import { elementsPerInvocation } from '../launch/strided.ts';

const parameters = {
  count: 'u32',
  inner: 'u32',
  groups: 'u32',
  entries: 'u32',
  outer: 'u32',
  rows: 'u32',
  fill: 'u32',
  ...indexParams,
} as const;
const parameterNames = Object.keys(parameters) as (keyof typeof parameters)[];

const definition = {
  bindings: ({ index, width }: GatherOptions): Bindings => {
    const element = width === 4 ? 'vec4<u32>' : 'u32';
    return { indices: `read ${index}`, x: `read ${element}`, out: `write ${element}` };
  },
  params: parameters,
  source: gather,
} as const;
const silent = defineKernel({
  name: 'gather',
  ...definition,
  reads: (options: GatherOptions) => parameterNames.filter((name) => name !== 'groups' || isGrouped(options)),
});
const reporting = defineKernel({ name: 'gather checked', ...definition, faults: true });

/**
 * Returns whether `perInvocation` consecutive elements along an axis are in at most two slabs and two lines, or in lines of one element.
 */
function isStepwise({ addressing, span = 1, slab = 1 }: Indexing, perInvocation: number): boolean {
  return (
    addressing === 'along' &&
    perInvocation > 1 &&
    slab >= perInvocation &&
    (span === 1 || span >= perInvocation)
  );
}

/** Gathers rows of `x` as `spec`; an out-of-range index reads as the bits `fill`. */
export function gatherKernel(
  op: string,
  x: Tensor,
  indices: Tensor,
  spec: TensorSpec,
  indexing: Indexing,
  checking: IndexChecking,
  fill: number,
): Tensor {
  const { batch, outer, entries, rows } = indexing;
  const out = output(x.device, spec, op);
  if (out.size === 0) {
    // Rows without elements move nothing, but an out-of-range index is still reported.
    if (checking.check !== 'none') rowsKernel(op, indices, indexing, checking);
    return out;
  }
  // Values move as words of 32 bits.
  const perWord = x.dtype === 'float16' ? 2 : 1;
  const words = indexing.inner / perWord;
  const width = words % 4 === 0 && x.size > 0 && bindsAsVectors(x) ? 4 : 1;
  const inner = words / width;
  const count = out.size / (perWord * width);
  const flat = batch === 1 && outer === 1;
  const single = inner === 1 && rows > 0;
  const profile = profileOf(x.device);
  const perInvocation = elementsPerInvocation(profile, count, (n) =>
    single ? flat || entries % n === 0 : n <= inner,
  );
  const groups = Math.ceil(inner / perInvocation);
  const invocations = single ? count / perInvocation : (count / inner) * groups;
  const reads = single ? count : invocations;
  const separate = reads >= profile.indices.checkedSeparately && checking.check !== 'none';
  if (separate) checkIndicesKernel(indices, indexing, checking);
  const inside = separate ? unchecked : checking;
  const launch = {
    options: Object.assign(indexOptions(indexing, indices, inside), {
      flat,
      width,
      perInvocation,
      single,
      stepwise: single && flat && isStepwise(indexing, perInvocation),
    } as const),
    bindings: { indices: indices.storage, x: x.storage, out: out.storage },
    params: Object.assign(indexValues(indexing, indices), {
      count,
      inner,
      groups,
      entries,
      outer,
      rows,
      fill,
    }),
    workgroups: Math.ceil(invocations / gatherWorkgroup),
  };
  launchChecked(x.device, [silent, reporting], launch, inside);
  return out;
}
