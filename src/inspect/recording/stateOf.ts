/** @file The state of recorded steps: reported by a model, or listed by the caller. */
import { describe } from '../../core/describe.ts';
import { ValueError } from '../../core/errors.ts';
import { Tensor } from '../../tensor/tensor.ts';
import { Variable } from '../../tensor/variable.ts';
import type { InspectedStep, StateNumber, StepState } from '../step/inspectedStep.ts';

/** State that steps of a function may change: a variable, an optimizer or a metric, a layer. */
export type Stateful =
  | Variable
  | { readonly variables: readonly (Variable | { value: number })[]; readonly built?: boolean }
  | { readonly weights: readonly Variable[] };

/** Errors: ValueError for a function without `state`, and for an optimizer that has no variables yet. */
export async function stateOf(
  step: InspectedStep,
  named: readonly Stateful[] | undefined,
): Promise<StepState> {
  if (!step.state && named === undefined) throw unnamed(step.name);
  const own = await step.state?.();
  const variables = new Set(own?.variables);
  const numbers = [...(own?.numbers ?? [])];
  for (const part of (named ?? []).flatMap(partsOf)) {
    if (part instanceof Variable) variables.add(part);
    else numbers.push(numberOf(part));
  }
  return {
    variables: [...variables],
    numbers,
    accumulators: own?.accumulators ?? [],
    prepare: () => own?.prepare?.(),
    requireIdle: (op) => own?.requireIdle?.(op),
  };
}

/** Errors: ValueError where `states` isn't a list of what may be a state. */
export function requireStates(states: readonly Stateful[] | undefined): void {
  if (states === undefined) return;
  if (!Array.isArray(states)) throw notAState(states);
  for (const state of states as readonly unknown[]) if (!isStateful(state)) throw notAState(state);
}

function isStateful(value: unknown): value is Stateful {
  if (typeof value !== 'object' || value === null) return false;
  return value instanceof Variable || 'variables' in value || 'weights' in value;
}

function partsOf(stateful: Stateful): readonly (Variable | { value: number })[] {
  if (stateful instanceof Variable) return [stateful];
  if ('variables' in stateful && stateful.built !== false) return stateful.variables;
  if ('weights' in stateful) return stateful.weights;
  throw new ValueError({
    op: 'recordSteps',
    rule: stateRule,
    received: 'an optimizer without variables',
    hint: 'call optimizer.build(weights) before.',
  });
}

const stateRule = '`state` lists variables, layers, and optimizers that are built.';

function notAState(received: unknown): ValueError {
  return new ValueError({
    op: 'recordSteps',
    rule: stateRule,
    received: received instanceof Tensor ? String(received) : describe(received),
    hint: 'name what the step assigns: { state: [w, optimizer] }.',
  });
}

function numberOf(variable: { value: number }): StateNumber {
  return {
    get: () => variable.value,
    set: (value) => {
      variable.value = value;
    },
  };
}

function unnamed(name: string): ValueError {
  return new ValueError({
    op: 'recordSteps',
    rule: 'a function says what its steps change, so that they can be replayed.',
    received: `'${name}' without \`state\``,
    hint: 'pass { state: [w, optimizer] }; { state: [] } where it changes nothing.',
  });
}
