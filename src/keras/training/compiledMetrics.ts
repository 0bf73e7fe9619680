/** @file CompiledMetrics: applies `compile({ metrics, weightedMetrics })` to the outputs of a model. */
import { runAll } from '../../core/cleanup.ts';
import { ValueError } from '../../core/errors.ts';
import { describe } from '../../core/shape.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { Loss } from '../losses/loss.ts';
import { type MetricConfig, type MetricLike, metricOf } from '../metrics/get.ts';
import { Metric } from '../metrics/metric.ts';
import type { Predicted } from './batch.ts';
import { inOutputOrder, isRecord, outputNamesOf } from './perOutput.ts';
import { sampleWeightsByOutput, targetsByOutput } from './compiledLoss.ts';

type OneOrMore = MetricLike | null | readonly (MetricLike | null)[];

/**
 * For one output: a metric or an array of metrics. For several outputs: an array with one entry per output, or a record by
 * name; each entry is a metric or an array of metrics.
 */
export type MetricsArgument = OneOrMore | readonly OneOrMore[] | MetricsRecord;

/** Metrics by output; those of outputs inside a record are nested as they are. */
export interface MetricsRecord {
  readonly [output: string]: OneOrMore | readonly OneOrMore[] | MetricsRecord;
}

interface Measured {
  /** Index of the output. */
  readonly index: number;
  readonly metric: Metric;
  /** The name in logs. */
  readonly key: string;
  readonly weighted: boolean;
}

export class CompiledMetrics {
  #measured: Measured[] | null = null;
  #names: readonly string[] = [];

  constructor(
    private readonly plain: MetricsArgument | null,
    private readonly weighted: MetricsArgument | null,
    private readonly known: readonly string[] | null,
  ) {
    if (!known) return;
    // If the outputs are known, errors are thrown by `compile`.
    requireKinds('metrics', metricsByOutput('metrics', plain, known));
    requireKinds('weightedMetrics', metricsByOutput('weightedMetrics', weighted, known));
  }

  /** Whether there are no metrics. */
  get empty(): boolean {
    return this.plain === null && this.weighted === null;
  }

  /** The metrics with their names in logs; empty before the first batch. */
  get entries(): readonly { readonly key: string; readonly metric: Metric }[] {
    return this.#measured ?? [];
  }

  /** Creates the metrics, some of which depend on the shapes of targets and predictions. */
  build({ y, yPred }: Predicted): void {
    if (this.#measured || this.empty) return;
    const names = outputNamesOf(yPred, this.known);
    const predictions = inOutputOrder<Tensor>('compile', 'yPred', yPred, names);
    const targets = targetsByOutput(y, names);
    const make = (what: string, given: MetricsArgument | null, weighted: boolean) =>
      metricsByOutput(what, given, names).flatMap((list, index) =>
        list.map((identifier) => {
          const yTrue = requireTarget(names[index] as string, targets[index]);
          const yPred = predictions[index] as Tensor;
          const metric = metricOf(identifier, { yTrue, yPred });
          metric.build(yTrue, yPred);
          return { index, metric, weighted };
        }),
      );
    const found = [...make('metrics', this.plain, false), ...make('weightedMetrics', this.weighted, true)];
    this.#names = names;
    this.#measured = withKeys(found, names);
  }

  updateState(predicted: Predicted): void {
    this.build(predicted);
    if (!this.#measured) return;
    const { y, yPred, sampleWeight = null } = predicted;
    const names = this.#names;
    const predictions = inOutputOrder<Tensor>('compile', 'yPred', yPred, names);
    const targets = targetsByOutput(y, names);
    const weights = sampleWeightsByOutput(sampleWeight, names);
    for (const { index, metric, weighted } of this.#measured) {
      const target = requireTarget(names[index] as string, targets[index]);
      const weight = weighted ? (weights[index] ?? null) : null;
      metric.updateState(target, predictions[index] as Tensor, { sampleWeight: weight });
    }
  }

  /** Frees the metrics created here. Metrics passed as objects belong to the caller. */
  dispose(): void {
    const given = new Set(flat(this.plain).concat(flat(this.weighted)));
    const own = (this.#measured ?? []).filter(({ metric }) => !given.has(metric));
    runAll(
      own.map(
        ({ metric }) =>
          () =>
            metric.dispose(),
      ),
    );
  }
}

function flat(given: unknown): unknown[] {
  if (Array.isArray(given)) return given.flatMap(flat);
  return isRecord(given) ? Object.values(given).flatMap(flat) : [given];
}

/**
 * Returns the names in logs; `<output>_<metric>` if there are several outputs. As in Keras, a weighted metric whose name is
 * taken is prefixed with `weighted_`, and otherwise a number is appended.
 */
function withKeys(found: readonly Omit<Measured, 'key'>[], names: readonly string[]): Measured[] {
  const counts = new Map<string, number>();
  return found.map((entry) => {
    const { metric, index, weighted } = entry;
    const prefix = names.length > 1 ? `${names[index]}_` : '';
    let key = prefix + metric.name;
    if (counts.has(key) && weighted) key = `${prefix}weighted_${metric.name}`;
    const count = counts.get(key) ?? 0;
    counts.set(key, count + 1);
    return { ...entry, key: count === 0 ? key : `${key}_${count}` };
  });
}

/** Returns the metrics of each output. */
function metricsByOutput(
  what: string,
  given: MetricsArgument | null,
  names: readonly string[],
): MetricLike[][] {
  if (given === null) return names.map(() => []);
  if (isRecord(given) && !isConfig(given)) {
    return inOutputOrder<OneOrMore>('compile', what, given as never, names).map((one) => listOf(one ?? null));
  }
  if (names.length === 1) {
    const only = Array.isArray(given) && given.length === 1 && Array.isArray(given[0]) ? given[0] : given;
    return [listOf(only as OneOrMore)];
  }
  if (Array.isArray(given) && given.length === names.length) return given.map((one) => listOf(one));
  throw new ValueError({
    op: 'compile',
    rule: `with several outputs \`${what}\` is an array with an entry for each of them, or a record by name.`,
    received: `${what}: ${describe(given)} for ${names.length} outputs: ${names.join(', ')}`,
    hint: `pass { ${names[0]}: ['accuracy'] }; other outputs have no metrics.`,
  });
}

function listOf(given: OneOrMore): MetricLike[] {
  const list = (Array.isArray(given) ? given : [given]) as (MetricLike | null)[];
  return list.filter((metric) => metric !== null && metric !== undefined);
}

function isConfig(given: object): given is MetricConfig {
  return typeof (given as Partial<MetricConfig>).className === 'string';
}

/** Throws for invalid metrics and unknown names. Metrics created for the check are freed. */
function requireKinds(what: string, lists: readonly MetricLike[][]): void {
  for (const identifier of lists.flat()) {
    if (identifier instanceof Metric || identifier instanceof Loss) continue;
    const isNamed =
      typeof identifier === 'string' || (typeof identifier === 'object' && isConfig(identifier));
    if (isNamed) metricOf(identifier).dispose();
    else if (typeof identifier !== 'object' && typeof identifier !== 'function')
      throw new ValueError({
        op: 'compile',
        rule: `\`${what}\` takes names, metrics, losses or functions of yTrue and yPred.`,
        received: `${what}: ${describe(identifier)}`,
        hint: "pass a name such as 'accuracy'.",
      });
  }
}

function requireTarget(output: string, target: Tensor | undefined): Tensor {
  if (target) return target;
  throw new ValueError({
    op: 'compile',
    rule: 'an output with metrics needs targets.',
    received: `no targets for output '${output}'`,
    hint: 'pass y, or omit this output from `metrics`.',
  });
}
