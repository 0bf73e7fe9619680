/** @file The weights of a model by their places in KerasHub's files: the group of their layer, and their number in it. */
import type { Shape } from '../../core/shape.ts';
import type { Layer } from '../../keras/layers/base/layer.ts';
import type { Dense } from '../../keras/layers/core/dense.ts';
import { type NarrowMatrix, narrowMatrixIn } from '../../keras/layers/quantized/narrowMatrix.ts';
import type { Variable } from '../../tensor/variable.ts';
import type { CachedMultiHeadAttention } from '../layers/cachedMultiHeadAttention.ts';

/** A variable here, and the variables of the file that it is made of. */
export interface PresetWeight {
  /** Their places, such as 'layers/dense/0'; several are joined along their last axis. */
  readonly places: readonly string[];
  /** Their shapes. */
  readonly shapes: readonly Shape[];
  readonly variable: Variable;
  /** The layer that the weight is of, if an adapter may be added to it. */
  readonly layer: Layer | null;
  /** The matrix that the variable has the words of, if it is in 16 bits. */
  readonly matrix: NarrowMatrix | null;
  /** Whether the axis of heads is the first in the file, instead of the second. */
  readonly headsFirst: boolean;
}

/** The weights of a layer with the same variables as that at `group`. */
export function weightsAt(group: string, layer: Layer | null): PresetWeight[] {
  return ownWeights(layer).map(([number, variable]) =>
    weightAt(variable, `${group}/${number}`, shapeOf(variable), { layer }),
  );
}

/** A variable by itself; `shape` is that in the file. */
export function variableAt(place: string, variable: Variable | null, shape?: Shape): PresetWeight[] {
  return variable ? [weightAt(variable, place, shape ?? variable.shape, {})] : [];
}

/** A dense layer that is a projection onto heads in the file, or from them: `kernel` and `bias` are the shapes there. */
function projectionAt(
  group: string,
  layer: Dense | null,
  shapes: { readonly kernel: Shape; readonly bias: Shape },
  headsFirst = false,
): PresetWeight[] {
  return ownWeights(layer).map(([number, variable]) =>
    number === 0
      ? weightAt(variable, `${group}/0`, shapes.kernel, { layer, headsFirst })
      : weightAt(variable, `${group}/1`, shapes.bias, { layer }),
  );
}

/** How the layers of attention are called, in front of and after 'query', 'key', 'value' and 'output'. */
export interface AttentionNames {
  /** The beginning of the names of properties: '' or '_'. */
  readonly before?: string;
  /** Whether kernels of queries, keys and values are [heads, features, size], as Gemma's are. */
  readonly headsFirst?: boolean;
}

/** The weights of attention at `group`: kernels are [features, heads, size], that of the output [heads, size, features]. */
export function attentionAt(
  group: string,
  attention: CachedMultiHeadAttention | null,
  { before = '', headsFirst = false }: AttentionNames = {},
): PresetWeight[] {
  if (!attention) return [];
  const { numHeads, keyDim, queryKeyValueDense, outputDense } = attention;
  const keyHeads = attention.numKeyValueHeads ?? numHeads;
  const at = (name: string) => `${group}/${before}${name}_dense`;
  const features = featuresOf(attention);
  const onto = (heads: number) => ({
    kernel: headsFirst ? [heads, features, keyDim] : [features, heads, keyDim],
    bias: [heads, keyDim],
  });
  const output = projectionAt(at('output'), outputDense, {
    kernel: [numHeads, keyDim, features],
    bias: [features],
  });
  const three = ['query', 'key', 'value'].map((name) => at(name)) as [string, string, string];
  if (queryKeyValueDense) return [...fusedAt(three, queryKeyValueDense, onto(numHeads)), ...output];
  const [query, key, value] = three;
  return [
    ...projectionAt(query, attention.queryDense, onto(numHeads), headsFirst),
    ...projectionAt(key, attention.keyDense, onto(keyHeads), headsFirst),
    ...projectionAt(value, attention.valueDense, onto(keyHeads), headsFirst),
    ...output,
  ];
}

/** A dense layer that is several of one size in the file. */
function fusedAt(
  groups: readonly string[],
  layer: Dense,
  { kernel, bias }: { readonly kernel: Shape; readonly bias: Shape },
): PresetWeight[] {
  return ownWeights(layer).map(([number, variable]) => ({
    ...weightAt(variable, '', [], { layer }),
    places: groups.map((group) => `${group}/${number}`),
    shapes: groups.map(() => (number === 0 ? kernel : bias)),
  }));
}

/** The number of features of the input, which the projection of outputs ends with. */
function featuresOf({ outputDense }: CachedMultiHeadAttention): number {
  return (outputDense as Dense).units;
}

function weightAt(
  variable: Variable,
  place: string,
  shape: Shape,
  { layer = null, headsFirst = false }: { layer?: Layer | null; headsFirst?: boolean },
): PresetWeight {
  const matrix = narrowMatrixIn(variable);
  return { places: [place], shapes: [shape], variable, layer, matrix, headsFirst };
}

/** The shape of a weight in float32. */
function shapeOf(variable: Variable): Shape {
  const matrix = narrowMatrixIn(variable);
  if (!matrix) return variable.shape;
  const { channels, length } = matrix;
  return isByColumns(variable) ? [length, channels] : [channels, length];
}

/** Whether the lines of a matrix in 16 bits are the columns of the weight: they are the rows of embeddings only. */
export function isByColumns({ path }: Variable): boolean {
  return !path.endsWith('/embeddings');
}

/** The weights of a layer with their numbers in the file, without those of an adapter. */
function ownWeights(layer: Layer | null): readonly (readonly [number: number, variable: Variable])[] {
  return (
    layer?.weights.flatMap((variable) => {
      const number = numbers[variable.path.slice(variable.path.lastIndexOf('/') + 1)];
      return number === undefined ? [] : [[number, variable] as const];
    }) ?? []
  );
}

/** The numbers of variables in the files of Keras, by their names. */
const numbers: Readonly<Record<string, 0 | 1>> = {
  kernel: 0,
  embeddings: 0,
  gamma: 0,
  scale: 0,
  bias: 1,
  beta: 1,
  reverse_embeddings: 1,
};

/** The groups of a list of blocks: Keras numbers all but the first. */
export function numbered<T>(
  group: string,
  layers: readonly T[],
  of: (layer: T, group: string) => readonly PresetWeight[],
): PresetWeight[] {
  return layers.flatMap((layer, i) => of(layer, i === 0 ? group : `${group}_${i}`));
}
