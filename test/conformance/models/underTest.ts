/** @file The files of a model, and the model that the library creates from them. */
import { type Tensor, tensor } from '../../../src/index.ts';
import { loadWeights } from '../../../src/io/index.ts';
import { type Model, modelFromJSON } from '../../../src/keras/index.ts';
import type { Nest } from '../../../src/keras/tensorNest.ts';
import { mismatch, type Tolerance } from '../compare.ts';
import { type HostTensor, readSafetensors } from '../safetensors.ts';
import { lambdaOf } from './lambda.ts';

/** The contents of a model's folder. */
export interface ModelFiles {
  name: string;
  config: string;
  meta: string;
  io: ArrayBuffer;
  weights: ArrayBuffer;
  summary: string | null;
  train: string | null;
  final: ArrayBuffer | null;
}

export type Reference = [operation: string, nodeIndex: number, tensorIndex: number];

export interface Meta {
  name: string;
  class: string;
  inputs: { name: string; array: string; shape: (number | null)[]; dtype: string }[];
  outputs: { layer: string; array: string; shape: (number | null)[] }[];
  loss: string | string[];
  lossWeights: number[] | null;
  lossValue: number;
  tolerance: Tolerance;
  note?: string;
  layers: { name: string; class: string; outputShape: unknown; params: number }[];
  totalParams: number;
  trainableParams: number;
  nonTrainableParams: number;
  weights: { path: string; shape: number[]; dtype: string; trainable: boolean }[];
  nodes: Record<string, Reference[][]>;
  perceptual?: { layers: string[]; value: number; parts: number[] };
}

export type AnyModel = Model<Nest<Tensor>, Nest<Tensor>>;

/** The faults; null if the model has nothing to check. */
export type Check = (test: ModelUnderTest) => Promise<string[] | null>;

export class ModelUnderTest {
  readonly meta: Meta;
  readonly io: ReadonlyMap<string, HostTensor>;
  readonly #made: { dispose(): void }[] = [];

  constructor(readonly files: ModelFiles) {
    this.meta = JSON.parse(files.meta) as Meta;
    this.io = readSafetensors(files.io);
  }

  /** Returns the model of `config`, with its weights; Lambda layers compute what theirs compute. */
  build(config: string | object = this.files.config): AnyModel {
    const model = modelFromJSON(config, {
      file: `${this.files.name}/config.json`,
      lambdas: lambdaOf(this.files.config),
    });
    this.#made.push(model);
    loadWeights(model, this.files.weights, { file: `${this.files.name}/weights.safetensors` });
    return model;
  }

  host(name: string): HostTensor {
    const found = this.io.get(name);
    if (!found) throw new Error(`io.safetensors has no tensor '${name}'`);
    return found;
  }

  /** Returns a tensor of io.safetensors on the device, freed with this test. */
  tensor(name: string): Tensor {
    const { data, shape, dtype } = this.host(name);
    const made = tensor(data, { shape, dtype });
    this.#made.push(made);
    return made;
  }

  /** Returns the inputs, in order. */
  inputs(): Tensor[] {
    return this.meta.inputs.map(({ array }) => this.tensor(array));
  }

  /** Returns the targets, in order. */
  targets(): Tensor[] {
    return this.meta.outputs.map((_, i) => this.tensor(`y${i}`));
  }

  /** Describes how `value` differs from tensor `name` of io.safetensors. */
  async compare(what: string, value: Tensor, name: string): Promise<string[]> {
    return compareTo(what, value, this.host(name), this.meta.tolerance);
  }

  keep<T extends { dispose(): void }>(made: T): T {
    this.#made.push(made);
    return made;
  }

  dispose(): void {
    for (const made of this.#made.splice(0).reverse()) made.dispose();
  }
}

export async function compareTo(
  what: string,
  value: Tensor,
  expected: HostTensor,
  tolerance: Tolerance,
): Promise<string[]> {
  const { shape, dtype } = value;
  const fault = mismatch({ shape, dtype, data: await value.data() }, expected, tolerance);
  return fault ? [`${what} ${fault}`] : [];
}

/** Returns a single tensor itself, several as a list, as models take them. */
export function single<T>(values: readonly T[]): T | readonly T[] {
  return values.length === 1 ? (values[0] as T) : values;
}

/**
 * Returns the name that `path` has in a file of weights. Keras names weights of inner layers by all layers around them in a
 * model that it made, by fewer in one that it loaded.
 */
export function nameFor(path: string, names: Iterable<string>): string | null {
  const all = [...names];
  if (all.includes(path)) return path;
  const found = all.filter((name) => path.endsWith(`/${name}`));
  return found.length === 1 ? (found[0] as string) : null;
}
