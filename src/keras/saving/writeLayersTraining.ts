/** @file Writes how a model was compiled in the form of TF.js, with the state of its optimizer as weights. */
import type { NewWeight } from '../../formats/tfjs/index.ts';
import type { Variable } from '../../tensor/variable.ts';
import { isObject, type Json, type JsonObject } from '../json/document.ts';
import { optimizerOf } from '../optimizers/get.ts';
import type { Optimizer } from '../optimizers/optimizer.ts';
import { type LayersOptimizer, layersOptimizers, renamed } from './layersOptimizers.ts';

export interface WrittenTraining {
  readonly config: JsonObject;
  readonly weights: readonly NewWeight[];
}

/** The reason why TF.js can't continue training. */
export interface Unfit {
  readonly unfit: string;
}

/** `compiled`: how the model was compiled, in Keras's form. `names`: the weights of the model by their names in TF.js. */
export async function writeLayersTraining(
  compiled: JsonObject,
  optimizer: Optimizer,
  names: ReadonlyMap<string, Variable>,
): Promise<WrittenTraining | Unfit> {
  if (!compiled.optimizer) return { unfit: 'losses or metrics that are functions' };
  const {
    loss = null,
    metrics: measured = null,
    loss_weights: lossWeights,
    weighted_metrics: weighted,
  } = compiled;
  const [losses, metrics] = [renamed('losses', 'tfjs', loss), renamed('metrics', 'tfjs', measured)];
  if (losses === undefined) return { unfit: `the loss ${JSON.stringify(loss)}` };
  if (metrics === undefined) return { unfit: `the metrics ${JSON.stringify(measured)}` };
  if (lossWeights !== null || weighted !== null) return { unfit: 'weights of losses, or weighted metrics' };
  const { config: options } = compiled.optimizer as { config: JsonObject };
  const rule = layersOptimizers.find(
    ({ keras, fits }) => keras === optimizer.className && (fits?.(options) ?? true),
  );
  if (!rule || optimizer.schedule)
    return { unfit: `${optimizer.className}${rule ? ' with a schedule' : ''}` };
  const other = otherOptions(rule, options);
  if (other) return { unfit: `${optimizer.className} with ${other}` };
  const config = Object.fromEntries(
    Object.entries(rule.options).map(([name, key]) => [name, options[key] as Json]),
  );
  const optimizerConfig = {
    class_name: rule.className,
    config: { ...config, ...(isRms(rule) && { centered: false }) },
  };
  return {
    config: { loss: losses, metrics: metrics ?? [], optimizer_config: optimizerConfig },
    weights: await stateOf(rule, optimizer, names),
  };
}

const isRms = ({ className }: LayersOptimizer) => className === 'RMSProp';

/** Returns an option that TF.js doesn't have, with a value that isn't its default. */
function otherOptions({ keras, options: known }: LayersOptimizer, options: JsonObject): string | undefined {
  const plain = optimizerOf(keras);
  const defaults = plain.getConfig();
  plain.dispose();
  const names = new Set(['name', ...Object.values(known)]);
  // An optimizer with a momentum of 0 has another class in TF.js.
  const isDefault = (key: string, value: Json) =>
    isObject(value)
      ? false
      : value === (defaults[camel(key)] ?? null) || (key === 'nesterov' && options.momentum === 0);
  const found = Object.entries(options).find(([key, value]) => !names.has(key) && !isDefault(key, value));
  return found && `${found[0]}: ${JSON.stringify(found[1])}`;
}

const camel = (key: string) => key.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());

/** As TF.js's `getWeights`: steps, and each slot of all variables. Reading begins before this returns. */
async function stateOf(
  rule: LayersOptimizer,
  optimizer: Optimizer,
  names: ReadonlyMap<string, Variable>,
): Promise<NewWeight[]> {
  const steps = { name: 'iter', shape: [], dtype: 'int32' as const, group: 'optimizer' as const };
  const first: NewWeight = { ...steps, bytes: bytesOf(Int32Array.of(optimizer.iterations)) };
  if (!optimizer.built) return [first];
  const { trainableVariables: variables, learningRate } = optimizer;
  const nameOf = new Map([...names].map(([name, variable]) => [variable, name]));
  // The number of steps and the learning rate come first.
  const slots = optimizer.variables.slice(2);
  const factor = rule.scale?.(learningRate) || 1;
  const write = async (variable: Variable, slot: string, place: number | null): Promise<NewWeight> => ({
    name: `${nameOf.get(variable) ?? variable.path}/${slot}`,
    shape: variable.shape,
    dtype: 'float32',
    group: 'optimizer',
    bytes: bytesOf(
      place === null
        ? new Float32Array(variable.size)
        : Float32Array.from((await slots[place]?.data()) as Float32Array, (value) => value / factor),
    ),
  });
  const placeOf = (slot: number, variable: number) =>
    rule.isByVariable ? variable * rule.slots.length + slot : slot * variables.length + variable;
  const kept = rule.slots.flatMap((slot, i) =>
    variables.map((variable, j) => write(variable, slot, placeOf(i, j))),
  );
  const unused = (rule.unused ?? []).flatMap((slot) =>
    variables.map((variable) => write(variable, slot, null)),
  );
  return [first, ...(await Promise.all([...kept, ...unused]))];
}

function bytesOf({ buffer }: Float32Array<ArrayBuffer> | Int32Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  return new Uint8Array(buffer);
}
