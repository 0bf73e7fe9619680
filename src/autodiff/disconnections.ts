/** @file The texts of `tape.explain`: what connects a gradient, or where and why it is disconnected, and what to do. */
import { isFloating } from '../core/dtype.ts';
import { formatSpec } from '../core/spec.ts';
import { nameSource } from '../history/explain.ts';
import type { Node } from '../history/node.ts';
import type { SourceTensor } from '../history/origin.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { Variable } from '../tensor/variable.ts';
import type {
  DisconnectionCause,
  ExplainedTape,
  PathExplanation,
  PathStep,
  TracedCall,
} from './pathExplanation.ts';

/** An op inside a layer is also found by the layer's name. */
export function nameOf(node: Node): string {
  return node.parent ? `${node.parent.operation.name} › ${node.operation.name}` : node.operation.name;
}

export const show = (tensor: Tensor) => `${formatSpec(tensor)}${tensor.name ? ` '${tensor.name}'` : ''}`;

export function connected(target: Tensor, source: Tensor, path: PathStep[]): PathExplanation {
  const steps = path.map(({ operation }) => operation).join(' → ');
  return {
    connected: true,
    path,
    disconnectedAt: null,
    text: `connected: the gradient of ${show(target)} reaches ${show(source)}${steps ? ` through ${steps}` : ': they are the same tensor'}.`,
  };
}

export interface Disconnection {
  cause: DisconnectionCause;
  first: string;
  where?: string | undefined;
  why: string;
  hint: string;
}

export function disconnected(
  target: Tensor,
  source: Tensor,
  path: PathStep[],
  { where, ...rest }: Disconnection & { last: string },
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

export function unwatched(tape: ExplainedTape, target: Tensor, source: Tensor): PathExplanation {
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

/** Returns the operation that made `source` outside of `tape`; null if there is none or the tape recorded it. */
function makerOf(tape: ExplainedTape, { origin }: Tensor): string | null {
  if (origin.kind === 'unrecorded') return origin.op;
  if (origin.kind !== 'recorded' || origin.history.node.recording === tape.recording) return null;
  return origin.history.operation.name;
}

/**
 * Returns the disconnection between the result `made` of a call and an input that the gradient reaches, so that it is a float.
 */
export function disconnectionByCall({ op, node, outputIds }: TracedCall, made: number): Disconnection {
  const first = `'${nameOf(node)}'`;
  const output = node.outputs[outputIds.indexOf(made)];
  if (op.name === 'stopGradient') return detachedDisconnection('stopGradient', node.callSite);
  if (op.backward !== null && output && !isFloating(output.dtype)) {
    return {
      cause: 'integers',
      first,
      where: node.callSite,
      why: `${first} gives ${output.dtype}, and gradients don’t pass through integers or bools.`,
      hint: 'stay in floating point: drop the cast, or use a smooth substitute for the rounding.',
    };
  }
  if (op.backward !== null) {
    return {
      cause: 'unwatched',
      first,
      where: node.callSite,
      why: `${first} ran before the tape watched its input, which was a constant to it.`,
      hint: 'call tape.watch(x) before computing with x.',
    };
  }
  return {
    cause: 'notDifferentiable',
    first,
    where: node.callSite,
    why: `${first} has no gradient: its result jumps or stays constant where its input moves.`,
    hint: 'use a differentiable substitute (softmax for argMax, sigmoid for a comparison), or customGradient.',
  };
}

export function readBackDisconnection(
  by: string,
  from: SourceTensor,
  where: string | undefined,
): Disconnection {
  return {
    cause: 'readBack',
    first: `${by}()`,
    where,
    why: `the values of ${nameSource(from)} were read back to the host, and ${by}() made a fresh tensor of them.`,
    hint: 'pass the tensor itself instead of its data(); an identity layer can’t reconnect what a readback disconnected.',
  };
}

export function detachedDisconnection(by: string, where: string | undefined): Disconnection {
  return {
    cause: 'detached',
    first: `'${by}'`,
    where,
    why: `${by} stops the gradient on purpose.`,
    hint: `use the tensor from before ${by} where the gradient should pass.`,
  };
}

export function variableDisconnection(from: SourceTensor): Disconnection {
  return {
    cause: 'variable',
    first: 'a variable',
    why: `a variable took the values of ${nameSource(from)}, and a variable is a leaf: it holds values, not histories.`,
    hint: 'compute with the tensor itself, or take the gradient with respect to the variable.',
  };
}

export function unrecordedDisconnection(op: string, where: string | undefined): Disconnection {
  return {
    cause: 'unrecorded',
    first: `'${op}'`,
    where,
    why: `'${op}' ran while this tape was not recording.`,
    hint: 'run it after the tape is opened, and outside stopRecording.',
  };
}

export function foreignDisconnection(op: string, where: string | undefined): Disconnection {
  return {
    cause: 'foreign',
    first: `'${op}'`,
    where,
    why: `'${op}' was recorded on another tape, and only that tape differentiates it.`,
    hint: 'compute everything on one tape, or nest this tape inside the other.',
  };
}
