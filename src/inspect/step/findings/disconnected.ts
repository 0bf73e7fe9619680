/** @file Weights that the gradient doesn't reach. */
import type { Finding, ReportedWeight } from '../reportData.ts';
import { listed, type Rule } from './facts.ts';

export const disconnected: Rule = (facts) => {
  const { weights } = facts.data;
  const missing = weights.filter(({ gradient }) => gradient === 'disconnected');
  const groups = new Map<string, ReportedWeight[]>();
  for (const weight of missing) {
    const { cause = '', first = '', where = '' } = weight.disconnection ?? {};
    const key = JSON.stringify([cause, first, where]);
    groups.set(key, [...(groups.get(key) ?? []), weight]);
  }
  const found = [...groups.values()].map((group): Finding => {
    const names = group.map(({ name }) => name);
    const reason = group[0]?.disconnection;
    const stopped = facts.data.calls.find(
      ({ callSite, op, backward }) =>
        !backward && reason && callSite === reason.where && reason.first.includes(op),
    );
    return {
      kind: 'disconnected',
      severity: 'error',
      title:
        missing.length === weights.length
          ? 'No gradient reaches any weight: the loss is disconnected from the model.'
          : `No gradient reaches ${listed(names)}: ${names.length === 1 ? 'it is' : 'they are'} never trained.`,
      text: reason
        ? `The gradient is connected up to ${reason.last}, and disconnected at ${reason.first}${reason.where ? ` (${reason.where})` : ''}: ${reason.why}`
        : 'The loss was not computed from them by ops that have gradients.',
      hint: reason?.hint ?? 'use a GradientTape, whose explain(loss, weight) says where the gradient ends.',
      weights: names,
      ...facts.at(stopped),
      callSite: reason?.where ?? facts.at(stopped).callSite,
    };
  });
  return [...found, ...unasked(weights)];
};

/** Trainable weights that a step uses, but whose gradients weren't requested, unlike those of others. */
function unasked(weights: readonly ReportedWeight[]): Finding[] {
  const asked = weights.some(({ gradient }) => gradient !== 'not asked for');
  const left = weights.filter(
    ({ gradient, trainable, tensor, update }) =>
      trainable && tensor !== null && gradient === 'not asked for' && (update?.norm ?? 0) === 0,
  );
  if (!asked || left.length === 0) return [];
  const names = left.map(({ name }) => name);
  return [
    {
      kind: 'disconnected',
      severity: 'warning',
      title: `The step uses ${listed(names)}, but asks for no gradient of ${names.length === 1 ? 'it' : 'them'}.`,
      text: 'They are trainable and keep their values, since no gradient was computed for them.',
      hint: 'pass them to tape.gradient(loss, weights), or set trainable to false if they are meant to stay.',
      call: null,
      layer: null,
      callSite: null,
      weights: names,
    },
  ];
}
