/** @file Finds the tensor of a checkpoint for each weight of a model, and says everything that doesn't fit at once. */
import { FormatError } from '../../core/errors.ts';
import { formatShape, sameShape, type Shape } from '../../core/shape.ts';
import type { StoredTensor } from '../../formats/storedTensor.ts';
import { ReversibleEmbedding } from '../../keras/layers/core/reversibleEmbedding.ts';
import type { StoredWeight } from '../../keras/saving/storedWeights.ts';
import type { PretrainedModel, Task } from '../models/heads.ts';
import type { AnyFamily } from './family.ts';
import type { Parameter } from './modules.ts';
import { namesOf, prefixesOf } from './namesOf.ts';
import { narrowStored } from './narrowStored.ts';

export interface Matched {
  /** In the order of the file. */
  readonly weights: readonly StoredWeight[];
  /** Weights of a head that the checkpoint doesn't have: they keep their initial values. */
  readonly initialized: readonly string[];
  /** Tensors of another head. */
  readonly unused: readonly string[];
  /** The vectors of tokens that logits are products with, too. */
  readonly vectors?: StoredTensor | undefined;
}

export interface MatchOptions {
  readonly family: AnyFamily;
  readonly task: Task;
  readonly model: PretrainedModel;
  /** Whether the checkpoint is of a model for the same task. */
  readonly isSameTask: boolean;
  readonly file: string;
}

/** Tensors that copy the vectors of tokens, in checkpoints that tie both. */
const tied = /(^|\.)(lm_head|cls\.predictions\.decoder|vocab_projector)\.weight$/;
/** Tables that are computed, which older versions saved. */
const computed = /(rotary_emb\.inv_freq|embeddings\.position_ids)$/;

/**
 * Errors: FormatError that names all tensors that are missing, left over, of another shape or not of floats. A head that was made for another task
 * than the checkpoint's may be missing, and those of that task are left over.
 */
export function matchTensors(
  tensors: ReadonlyMap<string, StoredTensor>,
  { family, task, model, isSameTask, file }: MatchOptions,
): Matched {
  const isBelow = (module: string) => [...tensors.keys()].some((name) => name.startsWith(`${module}.`));
  const prefix = prefixesOf(family).find(isBelow) ?? '';
  const isPrefixed = prefix !== '';
  const { backbone, head } = namesOf(family, task, model, prefix);
  const left = new Set(tensors.keys());
  const faults: string[] = [];
  const missing: string[] = [];
  const found = new Map<string, StoredWeight>();
  for (const parameter of [...backbone, ...head]) {
    const stored = tensors.get(parameter.name);
    left.delete(parameter.name);
    if (!stored) missing.push(parameter.name);
    else if (stored.dtype !== 'float32')
      faults.push(`'${parameter.name}' is of ${stored.dtype} instead of floats`);
    else if (sameShape(stored.shape, shapeIn(parameter)))
      found.set(parameter.name, weightOf(parameter, stored));
    else
      faults.push(
        `'${parameter.name}' is ${formatShape(stored.shape)} instead of ${formatShape(shapeIn(parameter))}`,
      );
  }
  const ofHead = new Set(head.map(({ name }) => name));
  const isNewHead = !isSameTask && [...ofHead].every((name) => missing.includes(name));
  const needed = missing.filter((name) => !(isNewHead && ofHead.has(name)));
  const extra = [...left].filter(
    (name) => !tied.test(name) && !computed.test(name) && !family.leftOut?.test(name),
  );
  const isOfOther = (name: string) => !isSameTask && isPrefixed && !name.startsWith(`${prefix}.`);
  const unknown = extra.filter((name) => !isOfOther(name));
  if (needed.length > 0) faults.push(`missing: ${quoted(needed)}`);
  if (unknown.length > 0) faults.push(`left over: ${quoted(unknown)}`);
  if (faults.length > 0) throw unfit(file, model, faults);
  return {
    weights: [...tensors.keys()].flatMap((name) => found.get(name) ?? []),
    initialized: isNewHead ? [...ofHead] : [],
    unused: extra,
    vectors: tensors.get(backbone.find(({ layer }) => isTied(layer))?.name ?? ''),
  };
}

const isTied = (layer: unknown) => layer instanceof ReversibleEmbedding && layer.tieWeights;

/** The shape of a parameter in a checkpoint. */
export function shapeIn({ variable, matrix, perm, shape: own }: Parameter): Shape {
  const shape = matrix ? [matrix.channels, matrix.length] : variable.shape;
  return own ?? (perm ? inverse(perm).map((axis) => shape[axis] as number) : shape);
}

/** The order of axes that undoes `perm`. */
export function inverse(perm: readonly number[]): number[] {
  return perm.map((_, axis) => perm.indexOf(axis));
}

function weightOf({ variable, matrix, perm }: Parameter, stored: StoredTensor): StoredWeight {
  const { path, shape } = variable;
  if (matrix) return { path, variable, stored: narrowStored(stored, matrix, perm !== null) };
  const layout = perm && { from: stored.shape, perm, to: shape };
  return { path, variable, stored: { ...stored, shape, ...(layout && { layout }) } };
}

function unfit(file: string, { name }: PretrainedModel, faults: readonly string[]): FormatError {
  return new FormatError({
    op: `fromPretrained ${file}`,
    rule: `the checkpoint has each weight of '${name}', in its shape, and no others.`,
    received: faults.join('; '),
    hint: 'config.json and the weights are of different networks, or a file is missing: fetch all of them again.',
  });
}

function quoted(names: readonly string[]): string {
  return names.map((name) => `'${name}'`).join(', ');
}
