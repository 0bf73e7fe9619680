/** @file Gradients that vanish or explode on their way from the loss: through layers, or through time. */
import type { Finding, ReportedCall, ReportedWeight } from '../reportData.ts';
import { type Facts, listed, type Rule, short } from './facts.ts';
import { stepsLike, type Trend, trendOf } from './growth.ts';

/** Norms that differ by this factor are too far apart for one learning rate. */
const farApart = 1e4;

export const gradientFlow: Rule = (facts) => {
  const overTime = [...throughSteps(facts), ...insideRecurrentOps(facts)];
  return overTime.length > 0 ? overTime : throughLayers(facts);
};

/** Steps of a recurrent layer that are separate calls. */
function throughSteps(facts: Facts): Finding[] {
  const seen = new Set<number>();
  return facts.data.calls
    .flatMap((call) => {
      if (call.backward || seen.has(call.id) || call.layer === null || !call.leadsToLoss) return [];
      const steps = stepsLike(facts, call);
      for (const { id } of steps) seen.add(id);
      // Going backward in time, from the last step to the first.
      const trend = trendOf(steps.toReversed().map((step) => facts.outputsOf(step)[0]?.gradient?.norm));
      return trend ? timeFinding(facts, call, trend) : [];
    })
    .slice(0, 1);
}

/** Ops that run all steps in one call: their gradients over time were measured separately. */
function insideRecurrentOps(facts: Facts): Finding[] {
  return facts.data.calls
    .flatMap((call) => {
      const trend = trendOf(facts.inputsOf(call)[0]?.gradientOverTime?.toReversed() ?? []);
      return trend && !call.backward ? timeFinding(facts, call, trend) : [];
    })
    .slice(0, 1);
}

function timeFinding(facts: Facts, call: ReportedCall, trend: Trend): Finding[] {
  const ratio = trend.last / trend.first;
  if (ratio < farApart && ratio > 1 / farApart) return [];
  const explodes = ratio > 1;
  const layer = facts.layerOf(call);
  const weights = facts.data.weights.filter(({ name }) => layer !== null && isIn(name, layer));
  return [
    {
      kind: explodes ? 'exploding gradient' : 'vanishing gradient',
      severity: explodes ? 'error' : 'warning',
      title: `The gradient ${explodes ? 'explodes' : 'vanishes'} through time in layer '${layer}': a factor of ${short(trend.factor)} per step.`,
      text: `Going back through ${trend.steps} steps, its norm ${explodes ? 'grows' : 'falls'} from ${short(trend.first)} to ${short(trend.last)}. ${
        explodes
          ? 'The first steps decide the whole update, which is far too large: the loss jumps or becomes NaN.'
          : 'What happened early in the sequence has no influence on the update: long dependencies aren’t learned.'
      }`,
      hint: explodes
        ? 'clip gradients (clipnorm in the optimizer), initialize the recurrent kernel orthogonally, use tanh and gated cells (LSTM, GRU), or shorter sequences.'
        : 'use an LSTM or GRU, an orthogonal recurrent kernel, attention, or shorter sequences.',
      weights: weights.map(({ name }) => name),
      ...facts.at(call),
    },
  ];
}

function isIn(weight: string, layer: string): boolean {
  const name = layer.split('/').at(-1) as string;
  return weight.split('/').includes(name);
}

/** From the loss to the first layers. */
function throughLayers(facts: Facts): Finding[] {
  // Only the first weight that the step uses: next to a residual connection, small gradients of others may be harmless.
  const deepest = facts.trained.toSorted((a, b) => firstUse(a) - firstUse(b))[0];
  if (!deepest) return [];
  const trend = trendOf(deepest.path.map(({ norm }) => norm));
  const size = updateSize(facts);
  if (!trend) return size;
  const ratio = trend.last / trend.first;
  // If the loss is nearly flat, as after training, the layers aren't the cause.
  const inLoss = growthInLoss(facts, deepest);
  const layers = deepest.path.flatMap(({ call }) => facts.layerOf(facts.call(call)) ?? []);
  const count = new Set(layers).size;
  if (ratio / inLoss < 1 / farApart && ratio < 1 / farApart) {
    const small = facts.trained.filter(({ path }) => isSmall(path.at(-1)?.norm, trend.first));
    return [
      {
        kind: 'vanishing gradient',
        severity: 'warning',
        title: `The gradient vanishes on its way to '${deepest.name}': ${short(1 / ratio)} times smaller than at the loss.`,
        text: `Its norm falls from ${short(trend.first)} to ${short(trend.last)} through ${count > 0 ? `${count} layers` : `${trend.steps} calls`}, by a factor of ${short(trend.factor)} at each call. ${listed(small.map(({ name }) => name))} hardly ${small.length === 1 ? 'changes' : 'change'}.`,
        hint: 'use relu or gelu instead of sigmoid and tanh, heNormal or glorotUniform initialization, normalization layers, and residual connections.',
        weights: small.map(({ name }) => name),
        ...steepest(facts, deepest, (drop) => drop),
      },
    ];
  }
  if (ratio > farApart) {
    if (inLoss * farApart > ratio) return [largeLoss(facts, deepest, inLoss)];
    return [
      {
        kind: 'exploding gradient',
        severity: 'error',
        title: `The gradient explodes on its way to '${deepest.name}': ${short(ratio)} times larger than at the loss.`,
        text: `Its norm grows from ${short(trend.first)} to ${short(trend.last)} through ${count > 0 ? `${count} layers` : `${trend.steps} calls`}, by a factor of ${short(trend.factor)} at each call.`,
        hint: 'scale the initialization down (glorotUniform, heNormal), add normalization layers, lower the learning rate, or clip gradients (clipnorm).',
        weights: [deepest.name],
        ...steepest(facts, deepest, (drop) => 1 / drop),
      },
    ];
  }
  return size;
}

/**
 * Returns the factor by which the gradient grows from the loss to the predictions, which the outermost layer gives; 1 without
 * layers.
 */
function growthInLoss(facts: Facts, { path }: ReportedWeight): number {
  const loss = path.find(({ norm }) => norm)?.norm;
  const predictions = path.find(({ call, norm }) => norm && facts.layerOf(facts.call(call)) !== null)?.norm;
  return loss && predictions ? predictions / loss : 1;
}

function largeLoss(facts: Facts, { name, path }: ReportedWeight, factor: number): Finding {
  const first = path.find(({ call }) => facts.layerOf(facts.call(call)) !== null);
  return {
    kind: 'exploding gradient',
    severity: 'error',
    title: `The gradient explodes in the loss: it is ${short(factor)} times larger at the predictions than at the loss.`,
    text: 'The layers behind it pass it on as they should. Predictions and targets are far apart, or the loss is steep where they are: the first steps jump.',
    hint: 'scale the targets to a size of about one (subtract the mean, divide by the standard deviation), check that the loss suits the last activation, or clip gradients (clipnorm).',
    weights: [name],
    ...facts.at(facts.call(first?.call ?? null)),
  };
}

/** Returns the call on the path to the loss that reads a weight. */
function firstUse({ path }: ReportedWeight): number {
  return path.at(-1)?.call ?? Number.POSITIVE_INFINITY;
}

function isSmall(norm: number | null | undefined, first: number): boolean {
  return typeof norm === 'number' && norm < first / farApart;
}

/** Returns the call at which the norm changes most. */
function steepest(facts: Facts, { path }: ReportedWeight, score: (ratio: number) => number) {
  let best: ReportedCall | undefined;
  let min = Number.POSITIVE_INFINITY;
  for (let i = 1; i < path.length; i++) {
    const [before, after] = [path[i - 1]?.norm, path[i]?.norm];
    if (!before || !after) continue;
    const value = score(after / before);
    if (value >= min) continue;
    min = value;
    best = facts.call(path[i - 1]?.call ?? null);
  }
  return facts.at(best);
}

/** Gradients that are large overall. */
const hugeNorm = 1e6;

function updateSize(facts: Facts): Finding[] {
  const norm = facts.data.gradientNorm;
  if (norm === null || norm < hugeNorm) return [];
  const largest = facts.trained.toSorted(
    (a, b) => (b.gradientValues?.norm ?? 0) - (a.gradientValues?.norm ?? 0),
  )[0];
  const path = largest?.path.at(-1);
  return [
    {
      kind: 'exploding gradient',
      severity: 'error',
      title: `The gradient is huge: its norm is ${short(norm)}.`,
      text: `The largest part is that of '${largest?.name}', ${short(largest?.gradientValues?.norm)}. A step along it leaves the range in which the gradient means something.`,
      hint: 'scale inputs and targets, lower the learning rate, or clip gradients (clipnorm in the optimizer).',
      weights: largest ? [largest.name] : [],
      ...facts.at(facts.call(path?.call ?? null)),
    },
  ];
}
