/** @file A layer call on tensors: one node of history, which can be expanded to the ops inside. */
import { requireResult } from '../../graph/callResult.ts';
import { formatSpec, type OpenSpec } from '../../../core/spec.ts';
import { callSite } from '../../../history/callSite.ts';
import { currentParent, insideCall } from '../../../history/frames.ts';
import { type KerasHistory, Node, type Operation } from '../../../history/node.ts';
import { inputRecord } from '../../../ops/define/recordCall.ts';
import { identity } from '../../../ops/arrangement/identity.ts';
import { activeRecorders } from '../../../ops/define/recorders.ts';
import { tidy } from '../../../tensor/scope.ts';
import { Tensor } from '../../../tensor/tensor.ts';
import { leavesOf, mapNest, type Nest } from '../../tensorNest.ts';

export interface EagerCall {
  /** Identifies the layer's eager calls in history. */
  operation: Operation;
  inputs: Nest<Tensor>;
  options: object;
  /** Computes the outputs. */
  run(): Nest<Tensor>;
  /** Called on the outputs before the call ends, to attach masks. */
  finish(outputs: Nest<Tensor>): void;
}

/** Runs a call. Everything but its outputs is freed. */
export function runEagerly({ operation, inputs, options, run, finish }: EagerCall): Nest<Tensor> {
  const recording = activeRecorders()[0]?.recording ?? 0;
  const parent = currentParent();
  const given = [...leavesOf<unknown>(inputs), ...leavesOf(options as Nest<unknown>, 'options')].filter(
    (leaf) => leaf instanceof Tensor,
  );
  const made: OpenSpec[] = [];
  const node = new Node({
    operation,
    inputs: given.map((input) => inputRecord(input, recording, parent)),
    outputs: made,
    options: metadataOf(options),
    parent,
    callSite: callSite(),
    recording,
  });
  return tidy(() => {
    const outputs = insideCall(node, () => {
      const own = mapNest(run(), (output) => ownOutput(output, node), 'the result of call');
      finish(own);
      return own;
    });
    const inside: KerasHistory[] = [];
    leavesOf(outputs).forEach((output, i) => {
      made.push({ shape: output.shape, dtype: output.dtype });
      if (output.origin.kind !== 'recorded') return;
      inside.push(output.origin.history);
      output.origin = { kind: 'recorded', history: node.historyOf(i) };
    });
    node.inside = inside;
    return outputs;
  });
}

/** Options for history: tensors are replaced by their specs. */
function metadataOf(options: object): Record<string, unknown> {
  return mapNest(
    options as Nest<unknown>,
    (leaf) => (leaf instanceof Tensor ? formatSpec(leaf) : leaf),
    'options',
  ) as Record<string, unknown>;
}

/**
 * Returns an output that belongs to this call. A tensor from elsewhere (an input passed through, a kept tensor) is copied by
 * `identity`, so that its own history is unchanged; a detached tensor stays detached.
 */
function ownOutput(output: Tensor, node: Node): Tensor {
  requireResult(node.operation.name, output);
  const { origin } = output;
  if (origin.kind === 'detached') return output;
  return origin.kind === 'recorded' && origin.history.node.parent === node ? output : identity(output);
}
