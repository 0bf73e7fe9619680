/**
 * @file Quantizes the layers of a model in place, as Keras 3.15's `model.quantize`: their weights become integers with scales, or floats
 * of 16 bits. A layer of a graph stays the object that it is, and becomes one of the quantized classes.
 */
import { isNarrowFloat } from '../../core/packedWeights.ts';
import { ValueError } from '../../core/errors.ts';
import { checkOptions, type OptionNames } from '../../core/options.ts';
import { describe, requireInteger } from '../../core/shape.ts';
import { suggestionFor } from '../../core/suggest.ts';
import { type LayerTargets, layersFor, type PlacedLayer, placedLayers } from '../adapters/targets.ts';
import type { JsonObject } from '../json/document.ts';
import { rememberQuantization } from '../json/quantization.ts';
import { rememberPolicies } from '../json/storedPolicies.ts';
import { isModel } from '../json/writtenModel.ts';
import type { AnyLayer } from '../layers/base/layer.ts';
import { narrowQuantization, type Quantization } from '../layers/quantized/quantization.ts';
import type { QuantizedDense } from '../layers/quantized/quantizedDense.ts';
import { becomeQuantized, classFor, quantizationOf } from '../layers/quantized/quantizedLayers.ts';
import { tidy } from '../../tensor/scope.ts';
import { tensor } from '../../tensor/create.ts';
import type { Variable } from '../../tensor/variable.ts';

/** Options of `model.quantize`. */
export interface QuantizeOptions {
  /** Number of weights with a common scale in int4; null for one scale for each output. Default 128. */
  blockSize?: number | null;
  /** The layers that are quantized: names, ends of paths or patterns. Default: all that can be. */
  filters?: LayerTargets;
}

const optionNames: OptionNames<QuantizeOptions> = { blockSize: false, filters: false };
const modes = ['int8', 'int4', 'float16', 'bfloat16'] as const;

/** What weights are rounded to: integers with scales, as in Keras, or floats of 16 bits. */
export type QuantizationMode = (typeof modes)[number];

/** As `Model.quantize`. */
export async function quantizeModel(model: AnyLayer, mode: unknown, options: QuantizeOptions): Promise<void> {
  const op = 'quantize';
  checkOptions(op, options, optionNames);
  if (!isMode(mode)) throw unknownMode(op, mode);
  const { blockSize = 128, filters } = options;
  if (blockSize !== null) requireInteger(op, 'blockSize', blockSize, 1);
  const own = isNarrowFloat(mode) ? null : layersOfModels(model);
  const placed = filters === undefined ? placedLayers(model) : layersFor(op, 'filters', model, filters);
  const found = placed.filter(({ layer }) => (own?.has(layer) ?? true) && classFor(layer, mode) !== null);
  if (found.length === 0) throw nothingToDo(op, model, mode);
  for (const each of found) requireReady(op, each);
  for (const { layer } of found) await quantizeLayer(layer, mode, mode === 'int4' ? blockSize : null);
}

/** The layers of the model and of models inside it: files have a configuration for each. */
function layersOfModels(model: AnyLayer): ReadonlySet<AnyLayer> {
  const inside = model.sublayers.flatMap((layer) => (isModel(layer) ? [...layersOfModels(layer)] : [layer]));
  return new Set(inside);
}

const isMode = (given: unknown): given is QuantizationMode => modes.includes(given as QuantizationMode);

async function quantizeLayer(layer: AnyLayer, mode: QuantizationMode, block: number | null): Promise<void> {
  const values = await kernelValues(layer);
  const { bias = null, reverseEmbeddings: reverse = null } = layer as Partial<
    Record<'bias' | 'reverseEmbeddings', Variable | null>
  >;
  const [biasValues, reverseValues] = await Promise.all([bias?.data(), reverse?.data()]);
  const { buildShape, trainable } = layer;
  const type = classFor(layer, mode);
  layer.releaseWeights();
  becomeQuantized(layer, type, quantizationFor(layer, mode, block));
  layer.ensureBuilt(buildShape as never);
  const quantized = layer as unknown as QuantizedDense;
  tidy(() => {
    const assign = (variable: Variable, inFile: ArrayLike<number>) => {
      const own = quantized.fileForms.get(variable)?.fromFile(inFile) ?? inFile;
      variable.assign(tensor(own as never, { shape: variable.shape, dtype: variable.dtype }));
    };
    for (const [variable, inFile] of quantized.requantized(values)) assign(variable, inFile);
    if (biasValues) assign(quantized.bias as Variable, biasValues);
    if (reverseValues) assign(quantized.savedVariables.at(-1) as Variable, reverseValues);
  });
  layer.trainable = trainable;
  // Files have floats of 16 bits as those of an ordinary layer.
  if (!isNarrowFloat(mode)) remember(layer, mode, block);
}

/** The values of a kernel of floats, also of those in 16 bits. */
async function kernelValues(layer: AnyLayer): Promise<Float32Array> {
  if (!quantizationOf(layer)) return (await (layer.weights[0] as Variable).data()) as Float32Array;
  const [values] = (await (layer as unknown as QuantizedDense).mergedValues()).values();
  return values as Float32Array;
}

function quantizationFor(layer: AnyLayer, mode: QuantizationMode, block: number | null): Quantization {
  if (isNarrowFloat(mode)) return narrowQuantization(mode);
  const isTable = layer.className === 'Embedding';
  const inputs = mode === 'int8' && !isTable ? ({ range: [-127, 127], epsilon: 1e-7 } as const) : null;
  return { mode, bits: mode === 'int8' ? 8 : 4, block, history: 1024, inputs };
}

/** Keeps what the configuration in a file says. */
function remember(layer: AnyLayer, mode: 'int8' | 'int4', block: number | null): void {
  const source = layer.dtypePolicy === 'mixedFloat16' ? 'mixed_float16' : 'float32';
  const policy =
    mode === 'int8'
      ? { class_name: 'QuantizedDTypePolicy', config: { mode, source_name: source } }
      : { class_name: 'Int4DTypePolicy', config: { mode: `int4/${block ?? -1}`, source_name: source } };
  const module = 'keras.dtype_policies';
  const dtype = { module, ...policy, registered_name: null } as unknown as JsonObject;
  rememberPolicies(layer, { dtype } as JsonObject, [layer.name]);
  rememberQuantization(layer, { quantization_config: configOf(mode, block) } as unknown as JsonObject);
}

function configOf(mode: 'int8' | 'int4', block: number | null): object {
  const module = 'keras.quantizers';
  const rounding = {
    module,
    class_name: 'AbsMaxQuantizer',
    config: { value_range: [-127, 127], epsilon: 1e-7, output_dtype: 'int8' },
    registered_name: null,
  };
  return {
    module,
    class_name: mode === 'int8' ? 'Int8QuantizationConfig' : 'Int4QuantizationConfig',
    config: {
      weight_quantizer: null,
      activation_quantizer: mode === 'int8' ? rounding : null,
      ...(mode === 'int4' && { block_size: block }),
    },
    registered_name: null,
  };
}

function requireReady(op: string, { path, layer }: PlacedLayer): void {
  const hasAdapter = ((layer as { adapters?: ReadonlyMap<string, unknown> }).adapters?.size ?? 0) > 0;
  if (layer.built && !hasAdapter) return;
  throw new ValueError({
    op,
    rule: 'a layer is quantized once it is built, and before it has an adapter.',
    received: `'${path}', ${layer.built ? 'which has an adapter' : "which isn't built"}`,
    hint: layer.built
      ? 'merge or remove the adapter first; add one again afterwards.'
      : 'call the model first.',
  });
}

function unknownMode(op: string, mode: unknown): ValueError {
  return new ValueError({
    op,
    rule: "a model is quantized to 'int8', 'int4', 'float16' or 'bfloat16'.",
    received: describe(mode),
    hint: suggestionFor(mode, modes, 'other modes are read from files of Keras.'),
  });
}

function nothingToDo(op: string, model: AnyLayer, mode: QuantizationMode): ValueError {
  return new ValueError({
    op,
    rule: isNarrowFloat(mode)
      ? 'weights of dense, einsumDense and embedding layers are rounded to 16 bits.'
      : 'dense, einsumDense and embedding layers are quantized, where they are layers of a model and not of another layer.',
    received: `'${model.name}' without any that is left`,
    hint: 'a model that was quantized stays so.',
  });
}
