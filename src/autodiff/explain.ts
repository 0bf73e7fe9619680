/**
 * @file Implements `tape.explain(target, source)`: the path of a gradient, or the call at which it is disconnected.
 *
 * Searches forward from the source, through differentiable calls, for what the gradient reaches; and backward from the
 * target, through everything that is known of values (calls, readbacks, detachments), for what it was made from. Where
 * the second search meets the first, the gradient is disconnected.
 */
import { isFloating } from '../core/dtype.ts';
import { formatSpec, type OpenSpec } from '../core/spec.ts';
import type { KerasHistory, Node } from '../history/node.ts';
import type { Origin } from '../history/origin.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { Variable } from '../tensor/variable.ts';
import {
  connected,
  detachedDisconnection,
  disconnected,
  type Disconnection,
  disconnectionByCall,
  foreignDisconnection,
  nameOf,
  readBackDisconnection,
  show,
  unrecordedDisconnection,
  unwatched,
  variableDisconnection,
} from './disconnections.ts';
import type {
  DisconnectionCause,
  ExplainedTape,
  PathExplanation,
  PathStep,
  TracedCall,
} from './pathExplanation.ts';

export function explainPath(tape: ExplainedTape, target: Tensor, source: Tensor): PathExplanation {
  const reached = reach(tape, source);
  if (reached.has(target.id)) return connected(target, source, pathTo(target.id, tape, reached));
  if (!tape.isWatched(source.id)) return outsideTape(tape, target, source) ?? unwatched(tape, target, source);
  return findDisconnection(tape, reached, target, source);
}

/** Causes that lie outside of the recorded calls. */
const outside: ReadonlySet<DisconnectionCause> = new Set([
  'readBack',
  'detached',
  'variable',
  'unrecorded',
  'foreign',
]);

/** Returns the disconnection of a variable that was used only by calls this tape didn't record, so that it was never watched. */
function outsideTape(tape: ExplainedTape, target: Tensor, source: Tensor): PathExplanation | null {
  if (!(source instanceof Variable && source.trainable)) return null;
  const found = findDisconnection(tape, new Set([source.id]), target, source);
  return found.disconnectedAt && outside.has(found.disconnectedAt.cause) ? found : null;
}

/** Returns the ids that the gradient of `source` flows through, its own included; none if it isn't watched. */
function reach(tape: ExplainedTape, source: Tensor): Set<number> {
  if (!isFloating(source.dtype) || !tape.isWatched(source.id)) return new Set();
  const reached = new Set([source.id]);
  for (const { gradientIds, outputIds, node } of tape.trace) {
    if (!gradientIds.some((id) => id !== null && reached.has(id))) continue;
    outputIds.forEach((id, i) => {
      if (isFloating((node.outputs[i] as OpenSpec).dtype)) reached.add(id);
    });
  }
  return reached;
}

/** Returns the calls that lead to tensor `id`: back from the newest one, each to its first input that the gradient reaches. */
function pathTo(id: number, { trace }: ExplainedTape, reached: ReadonlySet<number>): PathStep[] {
  const path: PathStep[] = [];
  let at = id;
  for (let i = trace.length - 1; i >= 0; i--) {
    const { gradientIds, outputIds, node } = trace[i] as TracedCall;
    const output = outputIds.indexOf(at);
    const from = output < 0 ? undefined : gradientIds.find((id) => id !== null && reached.has(id));
    if (typeof from !== 'number') continue;
    path.push({
      operation: nameOf(node),
      spec: formatSpec(node.outputs[output] as Tensor),
      callSite: node.callSite,
    });
    at = from;
  }
  return path.reverse();
}

/** A step from a tensor back to one it was made from. */
interface Edge {
  to: number;
  disconnection: Disconnection;
}

function findDisconnection(
  tape: ExplainedTape,
  reached: ReadonlySet<number>,
  target: Tensor,
  source: Tensor,
): PathExplanation {
  const calls = new Map<number, TracedCall>();
  for (const call of tape.trace) for (const id of call.outputIds) calls.set(id, call);
  const histories = new Map<number, KerasHistory>();
  const seen = new Set<number>([target.id]);
  const endsAt: string[] = [];
  for (const id of seen) {
    const edges = edgesOf(tape, calls, histories, id, id === target.id ? target : null);
    if (edges.length === 0) endsAt.push(describeLeaf(tape, calls, id, target));
    for (const { to, disconnection: found } of edges) {
      if (reached.has(to)) {
        const path = pathTo(to, tape, reached);
        const lastStep = path.at(-1);
        const last = lastStep ? `'${lastStep.operation}' (${lastStep.spec})` : `the source ${show(source)}`;
        return disconnected(target, source, path, { ...found, last });
      }
      seen.add(to);
    }
  }
  return disconnected(target, source, [], {
    cause: 'independent',
    last: `the source ${show(source)}`,
    first: 'nothing that leads to the target',
    why: `as far as was recorded, the target was made from ${endsAt.join(', ')}, not from the source.`,
    hint: 'compute the target from the source by ops while the tape records.',
  });
}

/**
 * Returns all edges back from tensor `id`, each with the disconnection to report if the gradient reaches the tensor behind it.
 * `histories` are those of tensors that the tape itself doesn't know; what the edges lead to is added.
 */
function edgesOf(
  tape: ExplainedTape,
  calls: ReadonlyMap<number, TracedCall>,
  histories: Map<number, KerasHistory>,
  id: number,
  target: Tensor | null,
): Edge[] {
  const call = calls.get(id);
  if (call)
    return call.inputIds
      .filter((input) => input !== null)
      .map((to) => ({ to, disconnection: disconnectionByCall(call, id) }));
  const history = histories.get(id);
  const origin = target?.origin ?? tape.leaves.get(id)?.origin ?? (history && { kind: 'recorded', history });
  return origin ? edgesOfOrigin(tape, histories, origin) : [];
}

function edgesOfOrigin(tape: ExplainedTape, histories: Map<number, KerasHistory>, origin: Origin): Edge[] {
  switch (origin.kind) {
    case 'fresh':
      return origin.readBackFrom
        ? [
            {
              to: origin.readBackFrom.id,
              disconnection: readBackDisconnection(origin.by, origin.readBackFrom, origin.callSite),
            },
          ]
        : [];
    case 'detached':
      return [{ to: origin.from.id, disconnection: detachedDisconnection(origin.by, origin.callSite) }];
    case 'variable':
      return origin.from ? [{ to: origin.from.id, disconnection: variableDisconnection(origin.from) }] : [];
    case 'unrecorded':
      return (origin.inputs ?? []).map((to) => ({
        to,
        disconnection: unrecordedDisconnection(origin.op, origin.callSite),
      }));
    case 'recorded': {
      const { node, operation } = origin.history;
      if (node.recording === tape.recording) return [];
      // A layer's call has a node even if no tape recorded it.
      const disconnection = node.recording === 0 ? unrecordedDisconnection : foreignDisconnection;
      return [...readIn(node)].map(([to, history]) => {
        if (history) histories.set(to, history);
        return { to, disconnection: disconnection(operation.name, node.callSite) };
      });
    }
    case 'loaded':
      return [];
  }
}

/**
 * Returns the ids and histories of the tensors a call read: its inputs and, for a layer, those of the calls inside it, weights
 * included.
 */
function readIn(call: Node): ReadonlyMap<number, KerasHistory | null> {
  const read = new Map<number, KerasHistory | null>();
  const seen = new Set<Node>([call]);
  for (const node of seen) {
    for (const { id, history } of node.inputs) {
      read.set(id, history);
      if (node !== call && history) seen.add(history.node);
    }
    for (const { node: inner } of node.inside) seen.add(inner);
  }
  return read;
}

function describeLeaf(
  tape: ExplainedTape,
  calls: ReadonlyMap<number, TracedCall>,
  id: number,
  target: Tensor,
): string {
  if (id === target.id && !calls.has(id)) return `${show(target)} (${target.origin.kind})`;
  const leaf = tape.leaves.get(id);
  return leaf
    ? `${leaf.spec}${leaf.name ? ` '${leaf.name}'` : ''} (${leaf.origin.kind})`
    : 'something unknown';
}
