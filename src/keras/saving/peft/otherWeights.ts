/** @file The weights besides those of adapters in a file of PEFT: of layers that are trained as a whole, and below adapters. */
import { FormatError } from '../../../core/errors.ts';
import { formatShape, sameShape } from '../../../core/shape.ts';
import type { HostTensor } from '../../../formats/hostTensor.ts';
import { readWhole, type StoredTensor } from '../../../formats/storedTensor.ts';
import type { Variable } from '../../../tensor/variable.ts';
import type { AnyLayer } from '../../layers/base/layer.ts';
import { narrowMatrixIn } from '../../layers/quantized/narrowMatrix.ts';
import { torchParameter } from '../torch/layouts.ts';
import { biasesFrom, isTrainedBias } from './biases.ts';
import type { AdapterConfig } from './config.ts';
import type { OtherWeight } from './fileWeights.ts';
import { permuted } from './matrices.ts';
import { misfit, unknownModule } from './misfits.ts';
import type { LayersOfModule } from './modules.ts';
import { embeddingsIn, isEqual, type Reverse, requireSame, vectorsOf } from './reverse.ts';

/** Layers that are trained as a whole, and values of weights. */
export interface TrainedWhole {
  readonly whole: ReadonlySet<AnyLayer>;
  readonly assigned: readonly (readonly [Variable, HostTensor])[];
}

/** Reads the weights of a file besides those of adapters. Errors: FormatError for those that don't fit. */
export async function readOtherWeights(
  others: readonly OtherWeight[],
  given: {
    readonly layers: LayersOfModule;
    readonly reverses: ReadonlyMap<string, Reverse>;
    readonly config: AdapterConfig;
    readonly file: string;
    readonly extra: 'reject' | 'ignore';
  },
): Promise<TrainedWhole> {
  const { layers, reverses, config, file, extra } = given;
  const whole = new Set<AnyLayer>();
  const assigned: (readonly [Variable, HostTensor])[] = [];
  for (const weight of others) {
    const reverse = isBiasOfLogits(weight, layers) ? undefined : reverses.get(weight.module);
    if (reverse?.layer.tieWeights && weight.parameter === 'bias') {
      await requireCopy(weight, others, file);
      continue;
    }
    if (reverse?.layer.tieWeights) {
      const same = others.find(
        ({ module, parameter }) => module === reverse.module && parameter === 'weight',
      );
      await requireSame(file, reverse, weight.stored, same?.stored);
      continue;
    }
    if (reverse) {
      whole.add(reverse.layer as unknown as AnyLayer);
      assigned.push(await logitsFor(weight, reverse, file));
      continue;
    }
    const placed = layers.get(weight.module) ?? [];
    const [layer] = placed.map((each) => each.layer);
    if (!layer && extra === 'ignore') continue;
    if (!layer) throw unknownModule(file, weight.module, [...layers.keys()]);
    if (isTrainedBias(config, weight)) {
      assigned.push(...(await biasesFrom(weight, placed, file)));
      continue;
    }
    if (!weight.isBase) whole.add(layer);
    else if (await isWrittenNarrow(layer, weight.stored)) continue;
    assigned.push(await weightFor(weight, layer, file));
  }
  return { whole, assigned };
}

/** Whether logits with the vectors of tokens have a bias of their own in this module. */
function isBiasOfLogits({ module, parameter }: OtherWeight, layers: LayersOfModule): boolean {
  return parameter === 'bias' && layers.has(module);
}

/** Errors: FormatError unless the bias of a module is that of the module around it, which PEFT writes, too. */
async function requireCopy(
  { module, stored }: OtherWeight,
  others: readonly OtherWeight[],
  file: string,
): Promise<void> {
  const around = module.slice(0, Math.max(0, module.lastIndexOf('.')));
  const same = others.find((other) => other.module === around && other.parameter === 'bias');
  if (same && isEqual((await readWhole(stored)).data, (await readWhole(same.stored)).data)) return;
  throw misfit(file, `the bias of '${module}' is that of '${around}'.`, same ? 'other values' : 'none');
}

/** Returns the matrix of logits, and its value. */
async function logitsFor(
  { parameter, stored }: OtherWeight,
  { name, layer }: Reverse,
  file: string,
): Promise<readonly [Variable, HostTensor]> {
  const variable = layer.reverseEmbeddings as Variable;
  requireWide(file, name, variable);
  const wanted = [...variable.shape].reverse();
  if (parameter !== 'weight' || !sameShape(wanted, stored.shape)) {
    const rule = `'${name}.weight' is float32${formatShape(wanted)}.`;
    throw misfit(file, rule, `'${name}.${parameter}' ${stored.dtype}${formatShape(stored.shape)}`);
  }
  const data = permuted((await readWhole(stored)).data as Float32Array, stored.shape, [1, 0]);
  return [variable, { shape: variable.shape, dtype: 'float32', data }];
}

/** Whether vectors in 16 bits are those of the file already. */
async function isWrittenNarrow(layer: AnyLayer, stored: StoredTensor): Promise<boolean> {
  const embeddings = embeddingsIn(layer);
  if (!embeddings || !narrowMatrixIn(embeddings)) return false;
  return isEqual((await vectorsOf(embeddings)).data, (await readWhole(stored)).data);
}

/** Errors: FormatError for a weight that is kept in 16 bits. */
function requireWide(file: string, module: string, { dtype }: Variable): void {
  if (dtype === 'float32') return;
  throw new FormatError({
    op: file,
    rule: 'layers that are trained as a whole have weights of float32.',
    received: `'${module}', which is kept in 16 bits`,
    hint: "load the network with { dtype: 'float32' }.",
  });
}

/** Returns the weight that a parameter is for, and its value. */
async function weightFor(
  { module, parameter, stored }: OtherWeight,
  layer: AnyLayer,
  file: string,
): Promise<readonly [Variable, HostTensor]> {
  for (const variable of layer.weights) {
    const found = torchParameter(layer, variable);
    if (found?.name !== parameter) continue;
    requireWide(file, module, variable);
    if (!sameShape(found.shape, stored.shape)) {
      const rule = `'${module}.${parameter}' is float32${formatShape(found.shape)}.`;
      throw misfit(file, rule, `${stored.dtype}${formatShape(stored.shape)}`);
    }
    const { layout } = found;
    const values = (await readWhole(stored)).data as Float32Array;
    const data = layout ? permuted(values, layout.from, layout.perm) : values;
    return [variable, { shape: variable.shape, dtype: 'float32', data }];
  }
  throw misfit(file, `'${module}.${parameter}' is a weight of its layer.`, String(layer));
}
