/** @file Finds the tensor in a PyTorch file for each weight of a model, and converts it to the layout of the weight. */
import { FormatError, ValueError } from '../../../core/errors.ts';
import type { Pieces } from '../../../core/pieces.ts';
import { describe, sameShape } from '../../../core/shape.ts';
import { formatSpec } from '../../../core/spec.ts';
import type { StoredTensor } from '../../../formats/storedTensor.ts';
import { modelClassOf } from '../../json/writtenModel.ts';
import type { AnyLayer } from '../../layers/base/layer.ts';
import type { ModuleNaming } from '../fileOptions.ts';
import type { FitOptions } from '../fit.ts';
import { findSaveables } from '../saveables.ts';
import { Matching, type StoredModel, type StoredWeight } from '../storedWeights.ts';
import { type TorchParameter, torchParameter } from './layouts.ts';
import { type ModuleNames, torchvisionModules } from './torchvision.ts';

/** Batch counts of normalization layers, which aren't needed here. */
const counter = /(^|\.)num_batches_tracked$/;

/** Prefixes that wrappers add to every name. */
const wrappers = ['module.', '_orig_mod.'];

/** Errors: FormatError for weights that are missing, left over, or have another shape. */
export function* matchTorch(
  model: StoredModel,
  tensors: ReadonlyMap<string, StoredTensor>,
  options: FitOptions,
  naming?: ModuleNaming,
): Pieces<StoredWeight[]> {
  const left = withoutWrappers(new Map([...tensors].filter(([name]) => !counter.test(name))));
  const matching = new Matching(options);
  const saveables = yield* findSaveables(model as unknown as AnyLayer);
  const layers = saveables.filter(({ variables }) => variables.length > 0);
  const modules = modulesOf(
    model,
    layers.map(({ layer }) => layer),
    [...left.keys()],
    options,
    naming,
  );
  let unfit: FormatError | null = null;
  for (const { layer, variables } of layers) {
    const module = modules.get(layer.name);
    for (const variable of variables) {
      const parameter = torchParameter(layer, variable);
      const name = parameter && module !== undefined ? joined(module, parameter.name) : null;
      const stored = name === null ? undefined : left.get(name);
      if (!parameter || name === null || !stored) {
        matching.pair(variable, null);
        continue;
      }
      left.delete(name);
      if (!sameShape(parameter.shape, stored.shape))
        unfit ??= otherShape(options, variable.path, name, parameter, stored);
      matching.pair(variable, inLayout(stored, parameter));
    }
    yield;
  }
  for (const name of left.keys()) matching.leave(name);
  const matched = matching.finish();
  if (unfit) throw unfit;
  return matched;
}

/**
 * Gives a tensor of the wrong shape the right one: `finish` then reports missing weights, and wrong shapes are reported
 * afterwards.
 */
function inLayout(stored: StoredTensor, { shape, layout }: TorchParameter): StoredTensor {
  return layout ? { ...stored, layout, shape: layout.to } : { ...stored, shape };
}

function withoutWrappers(tensors: ReadonlyMap<string, StoredTensor>): Map<string, StoredTensor> {
  const names = [...tensors.keys()];
  const wrapper = wrappers.find(
    (prefix) => names.length > 0 && names.every((name) => name.startsWith(prefix)),
  );
  if (wrapper === undefined) return new Map(tensors);
  return withoutWrappers(new Map([...tensors].map(([name, stored]) => [name.slice(wrapper.length), stored])));
}

function joined(module: string, name: string): string {
  return module === '' ? name : `${module}.${name}`;
}

/** Returns the module of each layer: as given by the app, as in torchvision, by name, or in the order of two Sequentials. */
function modulesOf(
  model: StoredModel,
  layers: readonly AnyLayer[],
  tensors: readonly string[],
  { op }: FitOptions,
  naming: ModuleNaming | undefined,
): ModuleNames {
  const modules = [...new Set(tensors.map((name) => name.slice(0, Math.max(0, name.lastIndexOf('.')))))];
  // The first one of a name counts.
  const byPlainName = new Map(modules.toReversed().map((module) => [plain(module), module]));
  const byName = new Map(
    layers.flatMap(({ name }) => {
      const found = byPlainName.get(plain(name));
      return found === undefined ? [] : [[name, found] as const];
    }),
  );
  if (naming) return givenModules(op, layers, naming, byName);
  const known = torchvisionModules(op, layers);
  if (known) return known;
  const isNumbered = modules.every((module) => /^\d+(\.\d+)*$/.test(module));
  const isStack = modelClassOf(model) === 'Sequential';
  const inOrder = isStack && isNumbered && modules.length === layers.length;
  return inOrder ? new Map(layers.map(({ name }, i) => [name, modules[i] as string])) : byName;
}

/** `layer1.0.conv1` and `layer1_0_conv1` are the same. */
function plain(name: string): string {
  return name.replace(/[./]/g, '_');
}

function givenModules(
  op: string,
  layers: readonly AnyLayer[],
  naming: ModuleNaming,
  byName: ReadonlyMap<string, string>,
): ModuleNames {
  const moduleOf =
    typeof naming === 'function'
      ? naming
      : (name: string) => (Object.hasOwn(naming, name) ? naming[name] : undefined);
  const given = layers.map(({ name }) => [name, moduleOf(name) ?? byName.get(name)] as const);
  const wrong = given.find(([, module]) => module !== undefined && typeof module !== 'string');
  if (!wrong) return new Map(given.filter((entry): entry is [string, string] => entry[1] !== undefined));
  throw new ValueError({
    op,
    rule: '`modules` gives the name of a module for the name of a layer.',
    received: `${describe(wrong[1])} for '${wrong[0]}'`,
    hint: "pass { conv1: 'features.0' }, or a function (layer) => module.",
  });
}

function otherShape(
  { op, model }: FitOptions,
  path: string,
  name: string,
  { shape }: TorchParameter,
  stored: StoredTensor,
): FormatError {
  return new FormatError({
    op,
    rule: `'${name}' is ${formatSpec({ shape, dtype: 'float32' })}, for weight '${path}' of '${model}'.`,
    received: formatSpec(stored),
    hint: 'create the layer with the options of the module, or load the file of this network.',
  });
}
