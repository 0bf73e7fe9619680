/** @file The tiny networks of `test/fixtures/hub`, and what transformers says of them. */
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { gradients, mul, sum, type Tensor, tensor } from '../../src/index.ts';
import { type HostTensor, readSafetensors } from '../../src/io/index.ts';
import { familyOf } from '../../src/hub/checkpoints/families.ts';
import { parametersOf, prefixed } from '../../src/hub/checkpoints/modules.ts';
import { backboneOf, modulesOf, prefixOf } from '../../src/hub/checkpoints/namesOf.ts';
import {
  CLIPBackbone,
  type CLIPInputs,
  type CLIPOutputs,
  type PretrainedModel,
  type Task,
  type TextRecord,
  WhisperBackbone,
  type WhisperInputs,
} from '../../src/hub/index.ts';

const root = fileURLToPath(new URL('../fixtures/hub/', import.meta.url));

export const folderOf = (name: string) => path.join(root, name);

/** The names of all networks. */
export const networks = fs
  .readdirSync(root, { withFileTypes: true })
  .filter((entry) => fs.existsSync(path.join(root, entry.name, 'config.json')))
  .map((entry) => entry.name);

/** The files of a network, as they are dropped on a page. */
export function filesOf(name: string): Record<string, File> {
  const names = fs.readdirSync(folderOf(name)).filter((file) => file !== 'expected.safetensors');
  return Object.fromEntries(
    names.map((file) => [file, new File([fs.readFileSync(path.join(folderOf(name), file))], file)]),
  );
}

/** What transformers computed. */
export class Expected {
  readonly #tensors: ReadonlyMap<string, HostTensor>;

  /** `name` is that of a network, or the path of a file. */
  constructor(name: string) {
    const file = path.isAbsolute(name) ? name : path.join(folderOf(name), 'expected.safetensors');
    const bytes = fs.readFileSync(file);
    this.#tensors = readSafetensors(bytes).tensors;
  }

  names(prefix: string): string[] {
    return [...this.#tensors.keys()].filter((name) => name.startsWith(prefix));
  }

  has(name: string): boolean {
    return this.#tensors.has(name);
  }

  values(name: string): number[] {
    return Array.from(this.#host(name).data);
  }

  tensor(name: string): Tensor {
    const { data, shape, dtype } = this.#host(name);
    return tensor(data, { shape, dtype });
  }

  #host(name: string): HostTensor {
    return this.#tensors.get(name) as HostTensor;
  }
}

/** Checks values against the expected ones, relative to the largest, which counts as `atLeast`. */
export async function expectClose(
  found: Tensor,
  expected: readonly number[],
  tolerance: number,
  { shown = null, atLeast = 0 }: { shown?: readonly boolean[] | null; atLeast?: number } = {},
) {
  const values = await found.data();
  expect(values.length).toBe(expected.length);
  const scale = Math.max(atLeast, ...expected.map(Math.abs));
  const isShown = (i: number) => shown === null || shown[Math.floor((i * shown.length) / expected.length)];
  const worst = expected.reduce(
    (most, value, i) => (isShown(i) ? Math.max(most, Math.abs(value - (values[i] as number))) : most),
    0,
  );
  expect(worst / scale).toBeLessThan(tolerance);
}

/** The weights of a model by their names in a checkpoint, with the prefix. */
export async function parameters(model: PretrainedModel, modelType: string, task: Task) {
  const family = await familyOf(modelType, 'test');
  const { backbone, head } = modulesOf(family, task, model);
  return parametersOf({ ...prefixed(prefixOf(family, task), backbone), ...head });
}

type AnyInputs = Tensor & TextRecord & CLIPInputs & WhisperInputs;

/** The inputs of a network, whichever it is. */
export function inputsOf(expected: Expected): AnyInputs {
  const images = expected.has('pixels') ? expected.tensor('pixels') : null;
  if (images && !expected.has('ids')) return images as AnyInputs;
  return {
    ...(images && { images }),
    ...(expected.has('frames') ? { encoderFeatures: expected.tensor('frames') } : {}),
    tokenIds: expected.tensor('ids'),
    ...(expected.has('mask') ? { paddingMask: expected.tensor('mask') } : {}),
    ...(expected.has('segments') ? { segmentIds: expected.tensor('segments') } : {}),
  } as AnyInputs;
}

/** What a network makes of its inputs. */
export function logitsOf(model: PretrainedModel, expected: Expected): Tensor {
  const made = (model as CLIPBackbone).apply(inputsOf(expected)) as CLIPOutputs | Tensor;
  return 'visionLogits' in made ? made.visionLogits : made;
}

/** The features after each layer, by their names among what is expected: for each tower, if there are two. */
export function statesOf(model: PretrainedModel, expected: Expected): Readonly<Record<string, Tensor[]>> {
  const inputs = inputsOf(expected);
  const net = backboneOf(model);
  if (net instanceof WhisperBackbone) {
    const { encoderFeatures, tokenIds } = inputs;
    const text = { tokenIds, encoderSequence: net.encoder.apply(encoderFeatures) };
    return { hidden: net.encoder.hiddenStates(encoderFeatures), text: net.decoder.hiddenStates(text) };
  }
  if (!(net instanceof CLIPBackbone)) return { hidden: net.hiddenStates(inputs) };
  const { images, ...text } = inputs;
  return { hidden: net.visionEncoder.hiddenStates(images), text: net.textEncoder.hiddenStates(text) };
}

/** The gradients of Σ logits · weights, by name in the checkpoint. */
export async function gradientsOf(model: PretrainedModel, expected: Expected, modelType: string, task: Task) {
  const named = await parameters(model, modelType, task);
  const all = named.filter(({ variable }) => variable.trainable);
  const weights = expected.tensor('weights');
  const { gradients: found } = gradients(
    () => sum(mul(logitsOf(model, expected), weights)),
    all.map(({ variable }) => variable as Tensor),
  );
  return new Map(
    all.map((parameter, i) => [parameter.name, { parameter, gradient: found[i] as unknown as Tensor }]),
  );
}

export { backboneOf };
