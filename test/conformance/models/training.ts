/** @file A training run against that of `train.json`: every value of its history, its evaluation, its final weights. */
import type { Tensor } from '../../../src/index.ts';
import type { losses, metrics } from '../../../src/keras/index.ts';
import type { Tolerance } from '../compare.ts';
import { readSafetensors } from '../safetensors.ts';
import { type AnyModel, type Check, compareTo, type ModelUnderTest, nameFor, single } from './underTest.ts';

interface Train {
  optimizer: { class: string; config: Record<string, unknown> };
  loss: losses.LossName | losses.LossName[];
  lossWeights: number[] | null;
  metrics: metrics.MetricName[] | null;
  fit: { epochs: number; batchSize: number; shuffle: boolean; validationSplit: number };
  overrides: Record<string, Record<string, unknown>>;
  history: Record<string, number[]>;
  evaluate: Record<string, number>;
  unchangedWeights: string[];
  tolerance: Tolerance & { weightsAtol: number };
}

export const checkTraining: Check = async (test) => {
  if (test.files.train === null) return null;
  const train = JSON.parse(test.files.train) as Train;
  const model = test.build(withOverrides(test.files.config, train.overrides));
  const before = await valuesOf(model);
  model.compile({
    optimizer: { className: train.optimizer.class, config: inCamelCase(train.optimizer.config) },
    loss: train.loss,
    lossWeights: train.lossWeights,
    metrics: train.metrics,
  });
  const [x, y] = [single(test.inputs()) as Tensor, single(test.targets()) as Tensor];
  const { history } = await model.fit(x, y, train.fit);
  const evaluated = await model.evaluate(x, y, { batchSize: train.fit.batchSize });
  return [
    ...compareLogs('history', history, train.history, train.tolerance),
    ...compareLogs('evaluate', asLists(evaluated), asLists(train.evaluate), train.tolerance),
    ...(await compareWeights(test, model, train)),
    ...(await changedWeights(model, before, train.unchangedWeights)),
  ];
};

/** Returns the description with some options of layers replaced. */
function withOverrides(text: string, overrides: Train['overrides']): object {
  const description = JSON.parse(text) as { config: { layers: { config: { name: string } }[] } };
  for (const { config } of description.config.layers) Object.assign(config, overrides[config.name]);
  return description;
}

/** Keras writes a null where an option isn't set. */
function inCamelCase(config: Record<string, unknown>): Record<string, unknown> {
  const camel = (key: string) => key.replace(/_([a-z0-9])/g, (_, char: string) => char.toUpperCase());
  return Object.fromEntries(Object.entries(config).map(([key, value]) => [camel(key), value]));
}

type Logs = Readonly<Record<string, readonly number[]>>;

function compareLogs(what: string, given: Logs, expected: Logs, { rtol, atol }: Tolerance): string[] {
  const extra = Object.keys(given).filter((key) => !Object.hasOwn(expected, key));
  return [
    ...extra.map((key) => `${what} has '${key}', which Keras's has not`),
    ...Object.entries(expected).flatMap(([key, values]) => {
      const found = given[key];
      if (found?.length !== values.length)
        return [
          `${what} of '${key}': ${found ? `${found.length} values` : 'none'}, expected ${values.length}`,
        ];
      return values.flatMap((value, i) => {
        const off = Math.abs((found[i] as number) - value);
        if (off <= atol + rtol * Math.abs(value)) return [];
        return [`${what} of '${key}' [${i}]: ${found[i]}, expected ${value}, off by ${off}`];
      });
    }),
  ];
}

function asLists(logs: Readonly<Record<string, number>>): Logs {
  return Object.fromEntries(Object.entries(logs).map(([key, value]) => [key, [value]]));
}

async function compareWeights(
  test: ModelUnderTest,
  model: AnyModel,
  { tolerance }: Train,
): Promise<string[]> {
  if (test.files.final === null) return [];
  const final = readSafetensors(test.files.final);
  const faults: string[] = [];
  for (const weight of model.weights) {
    const name = nameFor(weight.name as string, final.keys());
    const expected = name === null ? undefined : final.get(name);
    if (!expected) faults.push(`final.safetensors has no weight '${weight.name}'`);
    else {
      const allowed = { rtol: tolerance.rtol, atol: tolerance.weightsAtol };
      faults.push(...(await compareTo(`final weight '${weight.name}'`, weight, expected, allowed)));
    }
  }
  return faults;
}

async function valuesOf(model: AnyModel): Promise<Map<string, ArrayLike<number>>> {
  const entries = model.weights.map(async (weight) => [weight.name as string, await weight.data()] as const);
  return new Map(await Promise.all(entries));
}

/** Returns the weights of frozen layers that have changed. */
async function changedWeights(
  model: AnyModel,
  before: ReadonlyMap<string, ArrayLike<number>>,
  frozen: readonly string[],
): Promise<string[]> {
  const after = await valuesOf(model);
  return frozen.flatMap((name) => {
    const path = [...before.keys()].find((key) => key === name || key.endsWith(`/${name}`));
    const [first, last] = [before.get(path ?? ''), after.get(path ?? '')];
    if (!first || !last) return [`there is no weight '${name}', which should be unchanged`];
    return Array.from(first).every((value, i) => Object.is(value, last[i]))
      ? []
      : [`weight '${name}' was changed`];
  });
}
