/** @file Indices and labels outside of their range, and steps that failed. */
import { IndexOutOfRangeError, NonFiniteError, RetrogradError } from '../../../core/errors.ts';
import { Node } from '../../../history/node.ts';
import type { Finding, ReportedCall } from '../reportData.ts';
import { type Facts, type Rule, short, specOf } from './facts.ts';

/** Losses whose index is a label. */
const labelOps = /crossentropy/i;

export const faults: Rule = (facts, errors) => [
  ...errors.map((error) =>
    error instanceof IndexOutOfRangeError ? indexFault(facts, error) : failure(facts, error),
  ),
  ...silentIndices(facts),
];

function indexFault(facts: Facts, error: IndexOutOfRangeError): Finding {
  const { op, index, limit, position, hint = '' } = error;
  const call = callOf(facts, error);
  const isLabel = labelOps.test(op);
  const range = indexRange(facts, call);
  const where = `at position [${position.join(', ')}]`;
  return {
    kind: 'fault',
    severity: 'error',
    title: isLabel
      ? `Label ${index} is out of range: the model has ${limit} classes, 0 to ${limit - 1}.`
      : `Index ${index} of '${op}' is out of range: the axis has ${limit} elements.`,
    text:
      `${error.rule}\n` +
      (range ? `The ${isLabel ? 'labels' : 'indices'} of this step lie between ${range}. ` : '') +
      (isLabel
        ? `The sample ${where} has no prediction that its label could pick, so it contributes no gradient, and the loss can't be read.`
        : `The row ${where} is not defined, and no gradient flows through it.`),
    hint: isLabel
      ? `${hint} With labels from 1 to ${limit}, subtract 1; with more classes, widen the last layer.`
      : hint,
    weights: [],
    ...facts.at(call),
    layer: facts.layerOf(call) ?? error.layer ?? null,
  };
}

function failure(facts: Facts, error: Error): Finding {
  const last = facts.data.calls.at(-1);
  const isOurs = error instanceof RetrogradError;
  return {
    kind: 'failure',
    severity: 'error',
    title: `The step failed: ${error.name}${isOurs && error.op ? ` in ${error.op}` : ''}.`,
    text: isOurs
      ? [error.rule, error.received && `received: ${error.received}`].filter(Boolean).join('\n')
      : error.message,
    hint: (isOurs && error.hint) || 'look at the error and at the calls before it.',
    weights: [],
    ...facts.at(error instanceof NonFiniteError ? undefined : last),
  };
}

function callOf(facts: Facts, { op, history, layer }: IndexOutOfRangeError): ReportedCall | undefined {
  const candidates = facts.data.calls.filter((call) => call.op === op && !call.backward);
  const spec = history instanceof Node ? history.outputs.map(specText).join() : null;
  return (
    candidates.find((call) => {
      const path = facts.layerOf(call);
      const outputs = facts.outputsOf(call).map(specOf).join();
      return (
        (spec === null || outputs === spec) && (layer === undefined || path?.split('/').at(-1) === layer)
      );
    }) ?? candidates[0]
  );
}

const specText = ({ dtype, shape }: { dtype: string; shape: readonly (number | null)[] }) =>
  `${dtype}[${shape.join(', ')}]`;

/** `0 and 12`: the values of the integer operand. */
function indexRange(facts: Facts, call: ReportedCall | undefined): string | null {
  const indices = call && facts.inputsOf(call).find(({ dtype }) => dtype === 'int32' || dtype === 'uint32');
  return indices?.values ? `${short(indices.values.min)} and ${short(indices.values.max)}` : null;
}

/** Out-of-range indices that no op reports: those of oneHot, which give empty rows, and of gathers without validation. */
function silentIndices(facts: Facts): Finding[] {
  return facts.data.calls.flatMap((call): Finding[] => {
    if (call.backward) return [];
    const [first, second] = call.inputs.map((id) => facts.tensor(id));
    if (call.op === 'oneHot' && first?.values) {
      const depth = Number(/\bdepth: (\d+)/.exec(call.options)?.[1]);
      if (!isOutside(first.values, depth)) return [];
      const { min, max } = first.values;
      return [
        {
          kind: 'fault',
          severity: 'warning',
          title: `Labels outside of 0 to ${depth - 1} become rows of zeros.`,
          text: `oneHot has depth ${depth}, and its indices ${specOf(first)} lie between ${short(min)} and ${short(max)}. A row of zeros is no class: its sample contributes nothing to a crossentropy, so the model doesn't learn from it.`,
          hint: 'number the classes from 0, or raise depth to the number of classes.',
          weights: [],
          ...facts.at(call),
        },
      ];
    }
    const isUnchecked = /validateIndices: false/.test(call.options);
    if (!isUnchecked || !first || !second?.values) return [];
    const axis = Number(/\baxis: (-?\d+)/.exec(call.options)?.[1] ?? 0);
    const limit = first.shape.at(axis) ?? 0;
    if (!isOutside(second.values, limit)) return [];
    return [
      {
        kind: 'fault',
        severity: 'error',
        title: `Unchecked indices of '${call.op}' are out of range: the axis has ${limit} elements.`,
        text: `The indices ${specOf(second)} lie between ${short(second.values.min)} and ${short(second.values.max)}. With validateIndices: false such rows read as zeros, and their gradient is dropped.`,
        hint: 'leave validateIndices on, which costs one comparison, and repair the indices.',
        weights: [],
        ...facts.at(call),
      },
    ];
  });
}

function isOutside({ min, max }: { min: number | null; max: number | null }, limit: number): boolean {
  return min !== null && max !== null && limit > 0 && (min < 0 || max >= limit);
}
