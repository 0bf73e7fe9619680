/**
 * @file Logits that are products with the vectors of tokens, in PEFT's files. There they are a module of their own, such as `lm_head`,
 * with a matrix of its own, or with that of the embeddings: then PEFT's adapters and trained copies are of one of both, unless
 * `ensure_weight_tying` keeps them equal.
 */
import { FormatError } from '../../../core/errors.ts';
import type { HostTensor } from '../../../formats/hostTensor.ts';
import { readWhole, type StoredTensor } from '../../../formats/storedTensor.ts';
import { unrecorded } from '../../../ops/define/recorders.ts';
import { keep, tidy } from '../../../tensor/scope.ts';
import type { Variable } from '../../../tensor/variable.ts';
import { narrowMatrixIn } from '../../layers/quantized/narrowMatrix.ts';
import type { ReversibleEmbedding } from '../../layers/core/reversibleEmbedding.ts';
import { permuted } from './matrices.ts';
import type { Pair } from './fileWeights.ts';
import type { LayerOfModule, LayersOfModule } from './modules.ts';

/** The module of logits. */
export interface Reverse {
  readonly name: string;
  /** The module of the vectors. */
  readonly module: string;
  readonly layer: ReversibleEmbedding;
}

/** Whether an embedding gives logits with the same vectors. */
export const isTiedEmbedding = ({ layer, reverse }: LayerOfModule) =>
  reverse !== undefined && (layer as unknown as ReversibleEmbedding).tieWeights;

/** The modules of logits, by their names. */
export function reversesIn(layers: LayersOfModule): ReadonlyMap<string, Reverse> {
  const found = [...layers].flatMap(([module, [placed]]) => {
    if (placed?.reverse === undefined) return [];
    const layer = placed.layer as unknown as ReversibleEmbedding;
    return [[placed.reverse, { name: placed.reverse, module, layer }] as const];
  });
  return new Map(found);
}

/** Errors: FormatError unless an adapter of logits is that of the vectors, transposed. */
export async function requireTied(
  file: string,
  { name, module, layer }: Reverse,
  logits: Readonly<Pair>,
  vectors: Readonly<Pair> | undefined,
): Promise<void> {
  const isTied =
    layer.tieWeights &&
    vectors &&
    // The lengths of lines of logits, and their biases, which vectors have none for.
    !logits.magnitude &&
    !logits.bias &&
    (await isTransposed(logits.a, vectors.b)) &&
    (await isTransposed(logits.b, vectors.a));
  if (isTied) return;
  throw new FormatError({
    op: file,
    rule: `logits have the vectors of '${module}', or a matrix without an adapter.`,
    received: `an adapter of '${name}' by itself`,
    hint: `train it as a whole (modules_to_save), or with '${module}' and ensure_weight_tying.`,
  });
}

/** Errors: FormatError unless the weights of logits, trained as a whole, are those of the vectors. */
export async function requireSame(
  file: string,
  { name, module }: Reverse,
  logits: StoredTensor,
  vectors: StoredTensor | undefined,
): Promise<void> {
  if (vectors && isEqual((await readWhole(logits)).data, (await readWhole(vectors)).data)) return;
  throw new FormatError({
    op: file,
    rule: `logits of this network have the vectors of '${module}'.`,
    received: `other weights of '${name}'`,
    hint: 'train both in PEFT with ensure_weight_tying, or load a network whose logits have a matrix of their own.',
  });
}

/** The weight that an embedding has its vectors in; null for other layers. */
export function embeddingsIn(layer: { readonly weights: readonly Variable[] }): Variable | null {
  return layer.weights.find(({ path }) => /(^|\/)embeddings$/.test(path)) ?? null;
}

/** The vectors of an embedding. */
export async function vectorsOf(embeddings: Variable): Promise<HostTensor> {
  const matrix = narrowMatrixIn(embeddings);
  if (!matrix)
    return { shape: embeddings.shape, dtype: 'float32', data: (await embeddings.data()) as Float32Array };
  const wide = unrecorded(() => tidy(() => keep(matrix.widened())));
  try {
    return { shape: wide.shape, dtype: 'float32', data: (await wide.data()) as Float32Array };
  } finally {
    wide.dispose();
  }
}

type Numbers = HostTensor['data'];

export const isEqual = (a: Numbers, b: Numbers) =>
  a.length === b.length && a.every((value, i) => Object.is(value, b[i]));

async function isTransposed(one: StoredTensor | null, other: StoredTensor | null): Promise<boolean> {
  if (!one || !other || one.shape.length !== 2) return false;
  const { data, shape } = await readWhole(one);
  return isEqual(permuted(data as Float32Array, shape, [1, 0]), (await readWhole(other)).data);
}
