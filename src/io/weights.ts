/** @file Weights of models by their paths: saved as safetensors, and loaded again, all or none. */
import { FormatError, ValueError } from '../core/errors.ts';
import { describe, sameShape } from '../core/shape.ts';
import { formatSpec } from '../core/spec.ts';
import { withDevice } from '../webgpu/device.ts';
import { type Assignment, assignAll } from '../tensor/assignAll.ts';
import { tidy } from '../tensor/scope.ts';
import { Variable } from '../tensor/variable.ts';
import { countNotFinite, type HostTensor, hostTensorOf, uploadLoaded } from './hostTensor.ts';
import { matchPaths } from './matchPaths.ts';
import { type FileBytes, type ReadOptions, readSafetensors, writeSafetensors } from './safetensors/index.ts';

/** What has weights: a model, a layer. */
export interface WithWeights {
  readonly name: string;
  readonly weights: readonly Variable[];
}

/** What was found while weights were loaded. */
export interface LoadReport {
  /** Paths of the weights that were set. */
  readonly loaded: readonly string[];
  /** Weights that hold NaN or infinities, and how many. */
  readonly notFinite: readonly { readonly weight: string; readonly notFinite: number }[];
}

/**
 * The weights of a model as a safetensors file, by their paths (`encoder/lstm_cell/kernel`). Reads them back.
 * Errors: ValueError where two weights have one path.
 */
export async function saveWeights(model: WithWeights): Promise<Uint8Array<ArrayBuffer>> {
  const byPath = weightsByPath('saveWeights', model);
  const values = await Promise.all([...byPath.values()].map(hostTensorOf));
  return writeSafetensors(new Map([...byPath.keys()].map((path, i) => [path, values[i] as HostTensor])));
}

/**
 * Sets the weights of a model to those of a safetensors file, by their paths. All are there, none is left over, and
 * shapes are the same, or nothing is changed. The weights' history says that they were loaded. Layers that nobody named may
 * have other numbers, in the order in which they were made. The file may name a
 * weight without the layers around its own, or with more of them, where only one can be meant: Keras names weights
 * otherwise in a model that it made than in one that it loaded.
 * Errors: FormatError for a file that isn't sound or has other weights; ValueError where two weights have one path.
 */
export function loadWeights(model: WithWeights, file: FileBytes, options: ReadOptions = {}): LoadReport {
  const { tensors } = readSafetensors(file, options);
  return tidy(() => {
    const { assignments, report } = uploadByPath(model, tensors, {
      op: 'loadWeights',
      file: options.file ?? 'file',
    });
    assignAll(assignments);
    return report;
  });
}

/**
 * The values for all weights of `model`, checked and uploaded, to be assigned. They belong to the scope around.
 * Errors: as `loadWeights`.
 */
export function uploadByPath(
  model: WithWeights,
  values: ReadonlyMap<string, HostTensor>,
  { op, file }: { op: string; file: string },
): { assignments: Assignment[]; report: LoadReport } {
  const byPath = weightsByPath(op, model);
  const matched = matchPaths([...byPath.keys()], [...values.keys()]);
  const given = new Map([...matched].map(([path, name]) => [path, values.get(name) as HostTensor]));
  const names = new Set(matched.values());
  const extra = [...values.keys()].filter((name) => !names.has(name));
  requireFit(`${op} ${file}`, model.name, byPath, given, extra);
  const assignments = [...byPath].map(([path, variable]): Assignment => {
    const value = given.get(path) as HostTensor;
    return [variable, withDevice(variable.device, () => uploadLoaded(value, file))];
  });
  for (const [variable, value] of assignments) variable.requireAssignable(value);
  const notFinite = [...given]
    .map(([weight, value]) => ({ weight, notFinite: countNotFinite(value) }))
    .filter((entry) => entry.notFinite > 0);
  return { assignments, report: { loaded: [...byPath.keys()], notFinite } };
}

/** Errors: ValueError where two weights have one path. */
export function weightsByPath(op: string, model: WithWeights): Map<string, Variable> {
  requireWeights(op, model);
  const { name, weights } = model;
  const byPath = new Map<string, Variable>();
  for (const weight of weights) {
    const path = weight.name as string;
    if (byPath.has(path)) {
      throw new ValueError({
        op,
        rule: 'every weight has a path of its own.',
        received: `'${path}' twice in '${name}'`,
        hint: 'give the layers different names.',
      });
    }
    byPath.set(path, weight);
  }
  return byPath;
}

function requireWeights(op: string, model: unknown): void {
  const { weights } = (model ?? {}) as Partial<WithWeights>;
  if (Array.isArray(weights) && weights.every((weight) => weight instanceof Variable)) return;
  throw new ValueError({
    op,
    rule: 'it takes a model or a layer: what has weights.',
    received: describe(model),
    hint: `call ${op}(model, …).`,
  });
}

function requireFit(
  op: string,
  model: string,
  byPath: ReadonlyMap<string, Variable>,
  given: ReadonlyMap<string, HostTensor>,
  extra: readonly string[],
): void {
  const refuse = (rule: string, received: string, hint: string) =>
    new FormatError({ op, rule, received, hint });
  const missing = [...byPath.keys()].filter((path) => !given.has(path));
  if (missing.length > 0) {
    throw refuse(
      `a file of weights for '${model}' has a value for each of its ${byPath.size}.`,
      `none for ${listed(missing)}${extra.length > 0 ? `; but ${listed(extra)}` : ''}`,
      'load a file that was saved from this model; weights are named by the layers that hold them.',
    );
  }
  if (extra.length > 0) {
    throw refuse(
      `a file of weights for '${model}' has no others.`,
      listed(extra),
      'load it into the model that it was saved from.',
    );
  }
  for (const [path, variable] of byPath) {
    const value = given.get(path) as HostTensor;
    if (sameShape(value.shape, variable.shape) && value.dtype === variable.dtype) continue;
    throw refuse(
      `weight '${path}' of '${model}' is ${formatSpec(variable)}.`,
      formatSpec(value),
      'make the layer with the options that it had when the file was saved.',
    );
  }
}

function listed(paths: readonly string[]): string {
  const shown = paths.slice(0, 5).map((path) => `'${path}'`);
  return paths.length > 5 ? `${shown.join(', ')} and ${paths.length - 5} more` : shown.join(', ');
}
