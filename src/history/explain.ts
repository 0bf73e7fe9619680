/**
 * @file Explains why a tensor has no Keras history: what it is, why, where, and a hint.
 */
import { MissingHistoryError } from '../core/errors.ts';
import { checkOptions } from '../core/options.ts';
import { describe, formatShape } from '../core/shape.ts';
import type { KerasHistory } from './node.ts';
import type { SourceTensor, Origin } from './origin.ts';

/** The properties that `explainHistory` reads, as tensors, variables and symbolic tensors have them. */
export interface Explainable {
  readonly shape: readonly (number | null)[];
  readonly dtype: string;
  readonly name?: string | undefined;
  readonly kerasHistory: KerasHistory | null;
  /** Absent on symbolic tensors, which always have a history. */
  readonly origin?: Origin;
  readonly device?: unknown;
}

export type HistoryCause =
  | 'recorded'
  | 'fresh'
  | 'unrecorded'
  | 'detached'
  | 'foreign'
  | 'variable'
  | 'loaded';

/** The result of `explainHistory`. */
export interface HistoryExplanation {
  cause: HistoryCause;
  /** What the tensor is. */
  what: string;
  /** Why it has a history, or has none. */
  why: string;
  /** File and line, if debug mode recorded them. */
  where: string | undefined;
  /** What to do about it; undefined if nothing is wrong. */
  hint: string | undefined;
  /** All of it, as an error shows it. */
  text: string;
}

/** The tape (or other recorder) and the device that a history may not belong to. */
export interface ExplainOptions {
  /** The tape whose recording is explained. Default: none. */
  tape?: { hasRecorded(history: KerasHistory): boolean };
  /** The device on which the tensor is used. Default: its own. */
  device?: unknown;
}

/** Objects that are often mistaken for a tensor's history provide an explanation through this property. */
export const notHistory: unique symbol = Symbol('retrograd not a tensor’s history');

interface Mistakable {
  readonly [notHistory]: { readonly why: string; readonly hint: string };
}

function wordsOf(value: unknown): Mistakable[typeof notHistory] | null {
  if (typeof value !== 'object' || value === null) return null;
  return (value as Partial<Mistakable>)[notHistory] ?? null;
}

/** Wraps a value that isn’t a tensor, so that it gets an explanation instead of an error. */
export function asExplainable(value: unknown): Explainable {
  return isTensor(value) ? value : { shape: [], dtype: describe(value), kerasHistory: null };
}

function isTensor(value: unknown): value is Explainable {
  return (
    typeof value === 'object' &&
    value !== null &&
    'kerasHistory' in value &&
    Array.isArray((value as Partial<Explainable>).shape)
  );
}

/**
 * Says where a tensor came from, or why it has no history; for any other value, what it is instead. With `tape` or
 * `device`, a history that belongs to another one is foreign.
 */
export function explainHistory(tensor: unknown, options: ExplainOptions = {}): HistoryExplanation {
  checkOptions('explainHistory', options, ['tape', 'device']);
  const { shape, dtype, name, kerasHistory, origin, device } = asExplainable(tensor);
  const what = isTensor(tensor)
    ? `${dtype}[${shape.map((n) => n ?? '?').join(', ')}]${name ? ` '${name}'` : ''}`
    : describe(tensor);
  if (options.device !== undefined && device !== undefined && options.device !== device) {
    return explanation('foreign', what, {
      why: 'it lives on another device: histories and gradients don’t cross devices.',
      hint: 'compute on one device, or upload the values again, which starts a new history.',
    });
  }
  if (kerasHistory) {
    const { node, nodeIndex, tensorIndex, operation } = kerasHistory;
    if (options.tape && !options.tape.hasRecorded(kerasHistory)) {
      if (node.recording === 0) {
        return explanation('unrecorded', what, {
          why: `'${operation.name}' made it while no tape was recording.`,
          where: node.callSite,
          hint: unrecordedHint,
        });
      }
      return explanation('foreign', what, {
        why: `the call of '${operation.name}' that made it was recorded on another tape, and only that tape differentiates it.`,
        where: node.callSite,
        hint: 'compute it while this tape records, or nest this tape inside the other.',
      });
    }
    return explanation('recorded', what, {
      why: `output ${tensorIndex} of call ${nodeIndex + 1} of '${operation.name}', from ${listInputs(kerasHistory)}.`,
      where: node.callSite,
    });
  }
  const words = wordsOf(tensor);
  if (words) return explanation('fresh', what, words);
  // A tensor's recorded origin is its history.
  if (!origin || origin.kind === 'recorded') {
    return explanation('fresh', what, {
      why: 'it isn’t a tensor of this library: no operation made it.',
      hint: 'make it a tensor by tensor(values), or start a graph from input({ shape }).',
    });
  }
  return explanation(...causes(what, origin));
}

const unrecordedHint =
  'open the tape before this call: using tape = new GradientTape(); and watch what isn’t a trainable variable.';

type Words = { why: string; where?: string | undefined; hint?: string };

function causes(what: string, origin: Exclude<Origin, { kind: 'recorded' }>): [HistoryCause, string, Words] {
  switch (origin.kind) {
    case 'fresh':
      return ['fresh', what, freshWords(origin)];
    case 'unrecorded':
      return [
        'unrecorded',
        what,
        {
          why: `'${origin.op}' made it while no tape was recording.`,
          where: origin.callSite,
          hint: unrecordedHint,
        },
      ];
    case 'detached':
      return [
        'detached',
        what,
        {
          why: `${origin.by} detached it from ${nameSource(origin.from)} on purpose.`,
          where: origin.callSite,
          hint: `use the tensor from before ${origin.by} where the gradient should pass.`,
        },
      ];
    case 'variable':
      return [
        'variable',
        what,
        {
          why: `a variable is a leaf: it holds values, and no operation made it${origin.from ? ` (its values are those of ${nameSource(origin.from)}, without the history)` : ''}.`,
          hint: 'use the tensor itself where you need its history; gradients end at variables, and reach them.',
        },
      ];
    case 'loaded':
      return [
        'loaded',
        what,
        {
          why: `it was loaded from ${origin.from}: weights have no training history.`,
          hint: 'the metrics of a training run are its History, saved next to the model as JSON.',
        },
      ];
  }
}

function freshWords({ by, readBackFrom, callSite }: Extract<Origin, { kind: 'fresh' }>): Words {
  if (readBackFrom) {
    return {
      why: `${by}() made it from values that were read back from ${nameSource(readBackFrom)}: the history ended at the readback.`,
      where: callSite,
      hint: 'pass that tensor itself instead of its data(): values that stay on the device keep history and gradient.',
    };
  }
  return {
    why: `${by}() made it from data: no operation made it.`,
    where: callSite,
    hint: 'nothing is wrong if it is an input. A model’s inputs come from input({ shape }); gradients reach a tensor that a tape watches.',
  };
}

export function nameSource({ spec, name, operation }: SourceTensor): string {
  return `${spec}${name ? ` '${name}'` : ''}${operation ? ` made by '${operation}'` : ''}`;
}

function listInputs({ node }: KerasHistory): string {
  if (node.inputs.length === 0) return 'no inputs';
  return node.inputs
    .map(({ dtype, shape, name }) => `${dtype}${formatShape(shape)}${name ? ` '${name}'` : ''}`)
    .join(', ');
}

function explanation(cause: HistoryCause, what: string, { why, where, hint }: Words): HistoryExplanation {
  const lines = [
    `${what} ${cause === 'recorded' ? 'has a history' : `has no history here (${cause})`}: ${why}`,
  ];
  if (where) lines.push(`  where: ${where}`);
  if (hint) lines.push(`  hint: ${hint}`);
  return { cause, what, why, where, hint, text: lines.join('\n') };
}

/**
 * Returns the history of `tensor`.
 * Errors: MissingHistoryError with the explanation, if it has none.
 */
export function requireHistory(tensor: Explainable): KerasHistory {
  const history = asExplainable(tensor).kerasHistory;
  if (history) return history;
  const { what, why, where, hint } = explainHistory(tensor);
  throw new MissingHistoryError({
    op: 'requireHistory',
    rule: `a tensor with a Keras history is needed, and this one has none: ${why}`,
    received: where ? `${what}, made at ${where}` : what,
    ...(hint ? { hint } : {}),
  });
}
