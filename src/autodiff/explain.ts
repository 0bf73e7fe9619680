/**
 * @file The answer of `tape.explain(target, source)`: the path of a gradient, or the call at which it is disconnected.
 *
 * From the source forward, through differentiable calls, goes what the gradient reaches. From the target backward,
 * through everything that is known of values (calls, readbacks, detachments), goes what it was made from. Where the
 * second search meets the first, the gradient is disconnected.
 */
import { isFloating } from '../core/dtype.ts';
import { formatSpec } from '../core/spec.ts';
import { nameSource } from '../history/explain.ts';
import type { OpDefinition } from '../ops/define.ts';
import type { Node } from '../history/node.ts';
import type { SourceTensor, Origin } from '../history/origin.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { Variable } from '../tensor/variable.ts';

/** Why no gradient reaches a source. */
export type DisconnectionCause =
  /** An operation that has no gradient: argMax, a comparison, rounding to integers. */
  | 'notDifferentiable'
  /** Values went through integers or bools. */
  | 'integers'
  /** stopGradient. */
  | 'detached'
  /** Values were read back to the host and uploaded again. */
  | 'readBack'
  /** An operation ran while this tape didn't record. */
  | 'unrecorded'
  /** Recorded on another tape. */
  | 'foreign'
  /** Values were copied into a variable. */
  | 'variable'
  /** The tape doesn't watch the source. */
  | 'unwatched'
  /** The target wasn't made from the source, as far as anything is known of it. */
  | 'independent';

/** One call on the path of a gradient, in the order of the forward computation. */
export interface PathStep {
  operation: string;
  /** Spec of the output that the path goes through. */
  spec: string;
  callSite: string | undefined;
}

/** What `tape.explain` says. */
export interface PathExplanation {
  connected: boolean;
  /** The calls from source to target; where it is disconnected, those up to that point. */
  path: PathStep[];
  /** Null where connected. */
  disconnectedAt: {
    cause: DisconnectionCause;
    /** The last thing that the gradient of the source reaches: an operation, or the source itself. */
    last: string;
    /** The first thing beyond the disconnection. */
    first: string;
    where: string | undefined;
    why: string;
    hint: string;
  } | null;
  text: string;
}

/** A call without its values, for `explain`. */
export interface TracedCall {
  readonly op: OpDefinition;
  readonly node: Node;
  readonly inputIds: readonly (number | null)[];
  readonly outputIds: readonly number[];
  /** Whether the gradient passes through this call. */
  readonly connected: boolean;
}

/** What the explanation needs of a tape. */
export interface ExplainedTape {
  readonly recording: number;
  readonly trace: readonly TracedCall[];
  /** Origins of tensors that entered the tape's calls from outside. */
  readonly leaves: ReadonlyMap<number, Leaf>;
  isWatched(id: number): boolean;
}

export interface Leaf {
  readonly spec: string;
  readonly name: string | undefined;
  readonly origin: Origin;
}

export function explainPath(tape: ExplainedTape, target: Tensor, source: Tensor): PathExplanation {
  const calls = new Map<number, TracedCall>();
  for (const call of tape.trace) for (const id of call.outputIds) calls.set(id, call);
  const reached = reach(tape, source);
  if (reached.has(target.id)) return connected(reached, calls, target, source);
  if (!tape.isWatched(source.id))
    return outsideTape(tape, calls, target, source) ?? unwatched(tape, target, source);
  return findDisconnection(tape, calls, reached, target, source);
}

/** Causes that lie outside of the recorded calls. */
const outside: ReadonlySet<DisconnectionCause> = new Set([
  'readBack',
  'detached',
  'variable',
  'unrecorded',
  'foreign',
]);

/** Where a variable was used, but by nothing that the tape recorded, so that it was never watched: the gradient is disconnected there. */
function outsideTape(
  tape: ExplainedTape,
  calls: ReadonlyMap<number, TracedCall>,
  target: Tensor,
  source: Tensor,
): PathExplanation | null {
  if (!(source instanceof Variable && source.trainable)) return null;
  const found = findDisconnection(tape, calls, new Map([[source.id, null]]), target, source);
  return found.disconnectedAt && outside.has(found.disconnectedAt.cause) ? found : null;
}

/** Ids that the gradient of `source` flows through, each with the id before it. */
function reach(tape: ExplainedTape, source: Tensor): Map<number, number | null> {
  const reached = new Map<number, number | null>([[source.id, null]]);
  if (!isFloating(source.dtype) || !tape.isWatched(source.id)) return new Map();
  for (const { inputIds, outputIds, node, connected } of tape.trace) {
    if (!connected) continue;
    const from = inputIds.find((id) => id !== null && reached.has(id));
    if (from === undefined || from === null) continue;
    outputIds.forEach((id, i) => {
      if (!reached.has(id) && isFloating(node.outputs[i]?.dtype ?? 'float32')) reached.set(id, from);
    });
  }
  return reached;
}

function pathTo(
  id: number,
  reached: ReadonlyMap<number, number | null>,
  calls: ReadonlyMap<number, TracedCall>,
): PathStep[] {
  const path: PathStep[] = [];
  for (let at: number | null = id; at !== null; at = reached.get(at) ?? null) {
    const call = calls.get(at);
    if (!call) break;
    path.push({
      operation: nameOf(call.node),
      spec: formatSpec(call.node.outputs[call.outputIds.indexOf(at)] as Tensor),
      callSite: call.node.callSite,
    });
  }
  return path.reverse();
}

/** An op inside a layer goes by the layer's name as well. */
function nameOf(node: Node): string {
  return node.parent ? `${node.parent.operation.name} › ${node.operation.name}` : node.operation.name;
}

const show = (tensor: Tensor) => `${formatSpec(tensor)}${tensor.name ? ` '${tensor.name}'` : ''}`;

function connected(
  reached: ReadonlyMap<number, number | null>,
  calls: ReadonlyMap<number, TracedCall>,
  target: Tensor,
  source: Tensor,
): PathExplanation {
  const path = pathTo(target.id, reached, calls);
  const steps = path.map(({ operation }) => operation).join(' → ');
  return {
    connected: true,
    path,
    disconnectedAt: null,
    text: `connected: the gradient of ${show(target)} reaches ${show(source)}${steps ? ` through ${steps}` : ': they are the same tensor'}.`,
  };
}

interface Disconnection {
  cause: DisconnectionCause;
  last: string;
  first: string;
  where?: string | undefined;
  why: string;
  hint: string;
}

function disconnected(
  target: Tensor,
  source: Tensor,
  path: PathStep[],
  { where, ...rest }: Disconnection,
): PathExplanation {
  const { last, first, why, hint } = rest;
  const lines = [
    `disconnected: no gradient flows from ${show(target)} to ${show(source)}.`,
    `  connected up to ${last}; disconnected at ${first}${where ? `, ${where}` : ''}.`,
    `  why: ${why}`,
    `  hint: ${hint}`,
  ];
  return { connected: false, path, disconnectedAt: { ...rest, where }, text: lines.join('\n') };
}

function unwatched(tape: ExplainedTape, target: Tensor, source: Tensor): PathExplanation {
  const common = { cause: 'unwatched', last: `the source ${show(source)}`, first: 'its first use' } as const;
  if (!isFloating(source.dtype)) {
    return disconnected(target, source, [], {
      ...common,
      cause: 'integers',
      why: `the source is ${source.dtype}, and gradients are defined for floating-point tensors alone.`,
      hint: "take the gradient with respect to a float tensor: cast(x, 'float32') before the computation.",
    });
  }
  if (source instanceof Variable) {
    return disconnected(target, source, [], {
      ...common,
      why: source.trainable
        ? 'no recorded call used this variable, or the tape was made with watchAccessedVariables: false.'
        : 'the variable is not trainable, so the tape doesn’t watch it. Gradients still pass through the calls that use it.',
      hint: source.trainable
        ? 'use it while the tape records, or tape.watch(variable).'
        : 'set variable.trainable = true, or tape.watch(variable).',
    });
  }
  const maker = makerOf(tape, source);
  return disconnected(target, source, [], {
    ...common,
    why: `the tape doesn’t watch this tensor${maker ? `, which '${maker}' made while this tape was not recording: to the tape it is a constant` : ''}. Only trainable variables are watched automatically.`,
    hint: maker
      ? 'call tape.watch(x) before computing with x, or compute x while the tape records.'
      : 'call tape.watch(x) before computing with x.',
  });
}

/** The operation that made `source` outside of `tape`; null where none did, or the tape recorded it. */
function makerOf(tape: ExplainedTape, { origin }: Tensor): string | null {
  if (origin.kind === 'unrecorded') return origin.op;
  if (origin.kind !== 'recorded' || origin.history.node.recording === tape.recording) return null;
  return origin.history.operation.name;
}

/** A step from a tensor back to what it was made from. */
interface Edge {
  to: number;
  disconnection: Disconnection;
}

function findDisconnection(
  tape: ExplainedTape,
  calls: ReadonlyMap<number, TracedCall>,
  reached: ReadonlyMap<number, number | null>,
  target: Tensor,
  source: Tensor,
): PathExplanation {
  const seen = new Set<number>([target.id]);
  const queue = [target.id];
  const endsAt: string[] = [];
  for (let id = queue.shift(); id !== undefined; id = queue.shift()) {
    const edges = edgesOf(tape, calls, id, id === target.id ? target : null);
    if (edges.length === 0) endsAt.push(describeLeaf(tape, calls, id, target));
    for (const { to, disconnection: found } of edges) {
      if (reached.has(to)) {
        const path = pathTo(to, reached, calls);
        const lastStep = path.at(-1);
        const last = lastStep ? `'${lastStep.operation}' (${lastStep.spec})` : `the source ${show(source)}`;
        return disconnected(target, source, path, { ...found, last });
      }
      if (!seen.has(to)) {
        seen.add(to);
        queue.push(to);
      }
    }
  }
  return disconnected(target, source, [], {
    cause: 'independent',
    last: `the source ${show(source)}`,
    first: 'nothing that leads to the target',
    why: `as far as was recorded, the target was made from ${endsAt.join(', ') || 'nothing'}, not from the source.`,
    hint: 'compute the target from the source by ops while the tape records.',
  });
}

/** Every way back from tensor `id`, with what the disconnection would be if the gradient's reach began right behind it. */
function edgesOf(
  tape: ExplainedTape,
  calls: ReadonlyMap<number, TracedCall>,
  id: number,
  target: Tensor | null,
): Edge[] {
  const call = calls.get(id);
  if (call)
    return call.inputIds
      .filter((input) => input !== null)
      .map((to) => ({ to, disconnection: disconnectionByCall(call, to) }));
  const origin = target?.origin ?? tape.leaves.get(id)?.origin;
  return origin ? edgesOfOrigin(tape, origin) : [];
}

function edgesOfOrigin(tape: ExplainedTape, origin: Origin): Edge[] {
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
      // A layer's call has a node without any tape, too.
      const disconnection = node.recording === 0 ? unrecordedDisconnection : foreignDisconnection;
      return [...readIn(node)].map((to) => ({
        to,
        disconnection: disconnection(operation.name, node.callSite),
      }));
    }
    case 'loaded':
      return [];
  }
}

/** Ids of what a call read: its inputs, and those of the calls inside a layer, the weights among them. */
function readIn(call: Node): Set<number> {
  const ids = new Set<number>();
  const seen = new Set<Node>([call]);
  for (const node of seen) {
    for (const { id, history } of node.inputs) {
      ids.add(id);
      if (node !== call && history) seen.add(history.node);
    }
    for (const { node: inner } of node.inside) seen.add(inner);
  }
  return ids;
}

function disconnectionByCall({ op, node, inputIds }: TracedCall, from: number): Disconnection {
  const first = `'${nameOf(node)}'`;
  const input = node.inputs.find(({ id }) => id === from) ?? node.inputs[inputIds.indexOf(from)];
  const output = node.outputs[0];
  if (op.name === 'stopGradient') return detachedDisconnection('stopGradient', node.callSite);
  if (
    op.backward !== null &&
    ((input && !isFloating(input.dtype)) || (output && !isFloating(output.dtype)))
  ) {
    return {
      cause: 'integers',
      last: '',
      first,
      where: node.callSite,
      why: `${first} gives ${output?.dtype}, and gradients don’t pass through integers or bools.`,
      hint: 'stay in floating point: drop the cast, or use a smooth substitute for the rounding.',
    };
  }
  return {
    cause: 'notDifferentiable',
    last: '',
    first,
    where: node.callSite,
    why: `${first} has no gradient: its result jumps or stays constant where its input moves.`,
    hint: 'use a differentiable substitute (softmax for argMax, sigmoid for a comparison), or customGradient.',
  };
}

function readBackDisconnection(by: string, from: SourceTensor, where: string | undefined): Disconnection {
  return {
    cause: 'readBack',
    last: '',
    first: `${by}()`,
    where,
    why: `the values of ${nameSource(from)} were read back to the host, and ${by}() made a fresh tensor of them.`,
    hint: 'pass the tensor itself instead of its data(); an identity layer can’t reconnect what a readback disconnected.',
  };
}

function detachedDisconnection(by: string, where: string | undefined): Disconnection {
  return {
    cause: 'detached',
    last: '',
    first: `'${by}'`,
    where,
    why: `${by} stops the gradient on purpose.`,
    hint: `use the tensor from before ${by} where the gradient should pass.`,
  };
}

function variableDisconnection(from: SourceTensor): Disconnection {
  return {
    cause: 'variable',
    last: '',
    first: 'a variable',
    why: `a variable took the values of ${nameSource(from)}, and a variable is a leaf: it holds values, not histories.`,
    hint: 'compute with the tensor itself, or take the gradient with respect to the variable.',
  };
}

function unrecordedDisconnection(op: string, where: string | undefined): Disconnection {
  return {
    cause: 'unrecorded',
    last: '',
    first: `'${op}'`,
    where,
    why: `'${op}' ran while this tape was not recording.`,
    hint: 'run it after the tape is opened, and outside stopRecording.',
  };
}

function foreignDisconnection(op: string, where: string | undefined): Disconnection {
  return {
    cause: 'foreign',
    last: '',
    first: `'${op}'`,
    where,
    why: `'${op}' was recorded on another tape, which alone can walk back through it.`,
    hint: 'compute everything on one tape, or nest this tape inside the other.',
  };
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
