/**
 * @file Runs one case of the battery: values drawn by seed, copies of the layer with the same weights, calls on tensors,
 * derivatives by central differences of values summed in float64.
 */
import { isFloating } from '../../../src/core/dtype.ts';
import { GradientTape, type Tensor, tensor } from '../../../src/index.ts';
import { layers } from '../../../src/keras/index.ts';
import type { AnyLayer } from '../../../src/keras/layers/base/layer.ts';
import { leavesOf, type Nest } from '../../../src/keras/tensorNest.ts';
import { drawValues, generator, upload } from '../../ops/samples/draw.ts';
import type { BadLayerCase, InputSample, LayerCase } from './samples/types.ts';

export type Factory = (options?: object) => AnyLayer;

export const factoryOf = (name: string) => (layers as unknown as Record<string, Factory>)[name] as Factory;

const step = 0.01;

/** Values of the inputs, the kwargs and the weights of a call. */
export interface Values {
  readonly inputs: readonly (readonly number[])[];
  readonly weights: readonly (readonly number[])[];
}

/** The arguments of a call, drawn by seed. */
export class Given {
  readonly random: () => number;
  /** Inputs, then kwargs. */
  readonly samples: readonly InputSample[];
  readonly inputValues: readonly (readonly number[])[];

  constructor(
    readonly source: Pick<LayerCase, 'inputs' | 'kwargs' | 'training'>,
    seed: number,
  ) {
    this.random = generator(seed);
    this.samples = [...samplesOf(source.inputs), ...Object.values(source.kwargs ?? {})];
    this.inputValues = this.samples.map((input) => drawValues(input, this.random));
  }

  upload(values: Values['inputs'] = this.inputValues): Tensor[] {
    return this.samples.map((sample, i) => upload(sample, values[i] as number[]));
  }

  call(layer: AnyLayer, given: readonly Tensor[], training = this.source.training): Nest<Tensor> {
    return layer.apply(this.nest(given), {
      ...this.kwargs(given),
      ...(training === undefined ? {} : { training }),
    });
  }

  /** Returns the inputs among `given`, in their nest. */
  nest<T>(given: readonly T[]): Nest<T> {
    const { inputs } = this.source;
    if (isSample(inputs)) return given[0] as T;
    if (Array.isArray(inputs)) return given.slice(0, inputs.length);
    return Object.fromEntries(Object.keys(inputs).map((key, i) => [key, given[i] as T]));
  }

  /** Returns the kwargs among `given`, by name. */
  kwargs<T>(given: readonly T[]): Record<string, T> {
    const names = Object.keys(this.source.kwargs ?? {});
    const first = this.samples.length - names.length;
    return Object.fromEntries(names.map((name, i) => [name, given[first + i] as T]));
  }
}

export class Experiment extends Given {
  readonly values: Values;

  constructor(
    readonly factory: Factory,
    readonly sample: LayerCase,
    seed: number,
  ) {
    super(sample, seed);
    const layer = this.bare();
    this.values = {
      inputs: this.inputValues,
      weights: layer.weights.map((weight) => this.#drawWeight(weight)),
    };
    layer.dispose();
  }

  get options(): object {
    const { options = {} } = this.sample;
    return typeof options === 'function' ? options() : options;
  }

  #drawWeight({ path, shape, dtype }: { path: string; shape: readonly number[]; dtype: string }): number[] {
    const last = path.slice(path.lastIndexOf('/') + 1);
    const usual = last.endsWith('variance') ? { low: 0.5, high: 1.5 } : {};
    if (dtype !== 'float32') return new Array(shape.reduce((n, size) => n * size, 1)).fill(0);
    return drawValues({ shape, ...usual, ...this.sample.weights?.[last] }, this.random);
  }

  /** Returns a built layer with the weights of its initializers. */
  bare(layer = this.factory(this.options)): AnyLayer {
    const inputs = this.upload();
    for (const output of leavesOf(this.call(layer, inputs, false))) output.dispose();
    for (const input of inputs) input.dispose();
    return layer;
  }

  /** Returns a copy of the layer with the weights of the case, or others. */
  layer(weights: Values['weights'] = this.values.weights, layer?: AnyLayer): AnyLayer {
    const built = this.bare(layer);
    const values = built.weights.map(
      ({ shape, dtype }, i) =>
        tensor(Float64Array.from(weights[i] as readonly number[]), { shape, dtype }) as Tensor,
    );
    built.setWeights(values);
    for (const value of values) value.dispose();
    return built;
  }

  /** Returns the outputs for other values, by a copy of the layer. */
  async evaluate({ inputs, weights }: Values): Promise<number[]> {
    const layer = this.layer(weights);
    const given = this.upload(inputs);
    const outputs = leavesOf(this.call(layer, given));
    const values = await flat(outputs);
    for (const owned of [...given, ...outputs]) owned.dispose();
    layer.dispose();
    return values;
  }

  /** Inputs and trained weights that are floats, in the order of `differentiate`. */
  moving(layer: AnyLayer): Values {
    const wiggle = (n: number, moves: boolean) =>
      Array.from({ length: n }, () => (moves ? 2 * this.random() - 1 : 0));
    return {
      inputs: this.samples.map((sample, i) =>
        wiggle(this.values.inputs[i]?.length ?? 0, isFloating(sample.dtype ?? 'float32')),
      ),
      weights: layer.weights.map(({ size, trainable }) => wiggle(size, trainable)),
    };
  }

  /** Returns the derivative of the outputs along `direction`, with one Richardson step. */
  async derivative(direction: Values): Promise<number[]> {
    const central = async (h: number) => {
      const [ahead, behind] = await Promise.all(
        [h, -h].map((by) => this.evaluate(moved(this.values, direction, by))),
      );
      return (ahead as number[]).map((value, i) => (value - (behind?.[i] as number)) / (2 * h));
    };
    // All are read together: waiting for the device takes longer than its work.
    const [coarse, fine] = await Promise.all([central(step), central(step / 2)]);
    return fine.map((value, i) => (4 * value - (coarse[i] as number)) / 3);
  }

  /** Gradients of Σ cotangent · output: those of float inputs, then those of trained weights. */
  differentiate(layer: AnyLayer, given: readonly Tensor[], cotangents: readonly Tensor[]): Tensor[] {
    const tape = new GradientTape();
    const floats = given.filter(({ dtype }) => isFloating(dtype));
    tape.watch(floats);
    const outputs = leavesOf(this.call(layer, given)).filter(({ dtype }) => isFloating(dtype));
    return tape.gradient(outputs, [...floats, ...layer.weights.filter(({ trainable }) => trainable)], {
      outputGradients: [...cotangents],
      unconnectedGradients: 'zero',
    }) as Tensor[];
  }
}

function isSample(value: unknown): value is InputSample {
  return typeof value === 'object' && value !== null && Array.isArray((value as InputSample).shape);
}

export function samplesOf(inputs: LayerCase['inputs'] | BadLayerCase['inputs']): InputSample[] {
  if (inputs === undefined) return [];
  return isSample(inputs) ? [inputs] : (Object.values(inputs) as InputSample[]);
}

function moved(values: Values, direction: Values, by: number): Values {
  const along = (a: Values['inputs'], b: Values['inputs']) =>
    a.map((list, i) => list.map((x, j) => x + by * (b[i]?.[j] as number)));
  return {
    inputs: along(values.inputs, direction.inputs),
    weights: along(values.weights, direction.weights),
  };
}

export async function flat(tensors: readonly Tensor[]): Promise<number[]> {
  const parts = await Promise.all(tensors.map(async (t) => Array.from(await t.data(), Number)));
  return parts.flat();
}

/** Returns the shapes of inputs with an open batch, and further open axes. */
export function openShapes({ samples, sample }: Experiment): (number | null)[][] {
  const { open = [] } = sample;
  return samples.map(({ shape }) =>
    shape.map((size, axis) => (axis === 0 || open.includes(axis) ? null : size)),
  );
}
