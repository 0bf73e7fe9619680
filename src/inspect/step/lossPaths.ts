/** @file The calls between the loss and a weight, with the norms of the gradients on the way. */
import type { ReportedCall, ReportedTensor } from './reportData.ts';

export interface PathPoint {
  readonly call: number;
  readonly norm: number | null;
}

/** For each tensor that the loss depends on, the shortest path of forward calls that leads to it, from the loss on. */
export function lossPaths(
  calls: readonly ReportedCall[],
  tensors: readonly ReportedTensor[],
  loss: number | null,
): (tensor: number | null) => PathPoint[] {
  /** By tensor: the call through which the search reached it, and the output of that call. */
  const cameBy = new Map<number, { call: ReportedCall; output: number } | null>();
  if (loss !== null) cameBy.set(loss, null);
  for (const tensor of cameBy.keys()) {
    const maker = tensors[tensor]?.maker ?? null;
    const call = maker === null ? undefined : calls[maker];
    if (!call || call.backward) continue;
    for (const input of call.inputs)
      if (input !== null && !cameBy.has(input)) cameBy.set(input, { call, output: tensor });
  }
  return (tensor) => {
    const path: PathPoint[] = [];
    for (let at = tensor === null ? null : cameBy.get(tensor); at; at = cameBy.get(at.output))
      path.unshift({ call: at.call.id, norm: tensors[at.output]?.gradient?.norm ?? null });
    return path;
  };
}
