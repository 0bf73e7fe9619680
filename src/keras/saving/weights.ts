/** @file Saves and loads the weights of models by path, as safetensors. Loading sets all weights or none. */
import { isListOf } from '../../core/lists.ts';
import { ValueError } from '../../core/errors.ts';
import { describe } from '../../core/shape.ts';
import { withDevice } from '../../webgpu/current.ts';
import { type Assignment, assignAll } from '../../tensor/assignAll.ts';
import { tidy } from '../../tensor/scope.ts';
import { Variable } from '../../tensor/variable.ts';
import { countNotFinite, type HostTensor, hostTensorOf, uploadLoaded } from '../../formats/hostTensor.ts';
import { optimizerPrefix } from './checkpointMetadata.ts';
import type { LoadReport } from './fileOptions.ts';
import { requireFit } from './fit.ts';
import { matchPaths } from './matchPaths.ts';
import {
  type FileBytes,
  type ReadOptions,
  readSafetensors,
  writeSafetensors,
} from '../../formats/safetensors/index.ts';

/** A model or a layer. */
export interface WithWeights {
  readonly name: string;
  readonly weights: readonly Variable[];
}

/**
 * Reads back the weights of a model and saves them as a safetensors file, by path (`encoder/lstm_cell/kernel`).
 * Errors: ValueError if two weights have the same path.
 */
export async function saveWeights(model: WithWeights): Promise<Uint8Array<ArrayBuffer>> {
  const byPath = weightsByPath('saveWeights', model);
  const values = await Promise.all([...byPath.values()].map(hostTensorOf));
  return writeSafetensors(new Map([...byPath.keys()].map((path, i) => [path, values[i] as HostTensor])));
}

/**
 * Sets the weights of a model to those of a safetensors file, by path. If a weight is missing, left over or has another
 * shape, nothing changes. Automatically named layers may have other numbers, in the same order. A path in the file may
 * have fewer or more outer layers if the match is unique, because Keras names weights differently in a model that it
 * loaded than in one that it built.
 * Errors: FormatError for an invalid file or other weights; ValueError if two weights have the same path.
 */
export function loadWeights(model: WithWeights, file: FileBytes, options: ReadOptions = {}): LoadReport {
  const { tensors } = readSafetensors(file, options);
  // A checkpoint has the optimizer's state, too.
  const weights = new Map([...tensors].filter(([name]) => !name.startsWith(optimizerPrefix)));
  return tidy(() => {
    const { assignments, report } = uploadByPath(model, weights, {
      op: 'loadWeights',
      file: options.file ?? 'file',
    });
    assignAll(assignments);
    return report;
  });
}

/**
 * Checks and uploads the values of all weights of `model`, for assignment. The current scope frees them.
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
  requireFit({ op: `${op} ${file}`, model: model.name }, byPath, given, extra);
  const assignments = [...byPath].map(([path, variable]): Assignment => {
    const value = given.get(path) as HostTensor;
    return [variable, withDevice(variable.device, () => uploadLoaded(value, file))];
  });
  for (const [variable, value] of assignments) variable.requireAssignable(value);
  const notFinite = [...given]
    .map(([weight, value]) => ({ weight, notFinite: countNotFinite(value) }))
    .filter((entry) => entry.notFinite > 0);
  return { assignments, report: { loaded: [...byPath.keys()], notFinite, naming: 'keras' } };
}

/** Errors: ValueError if two weights have the same path, and for objects without weights. */
export function weightsByPath(op: string, model: WithWeights): Map<string, Variable> {
  requireWeights(op, model);
  const { name, weights } = model;
  const byPath = new Map<string, Variable>();
  for (const weight of weights) {
    const path = weight.name as string;
    if (byPath.has(path)) {
      throw new ValueError({
        op,
        rule: 'every weight must have a unique path.',
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
  if (isListOf(weights, (weight) => weight instanceof Variable)) return;
  throw new ValueError({
    op,
    rule: 'it takes a model or a layer: what has weights.',
    received: describe(model),
    hint: `call ${op}(model, …).`,
  });
}
