/** @file What the classes of quantized layers have in common: their state, and how their frozen weights are made. */
import { type Shape, sizeOf } from '../../../core/shape.ts';
import { unrecorded } from '../../../ops/define/recorders.ts';
import { tidy } from '../../../tensor/scope.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import type { Variable } from '../../../tensor/variable.ts';
import type { AdaptedLayer } from '../base/adapter.ts';
import { besidesFile } from '../base/layerWeights.ts';
import type { FileForm } from './fileForm.ts';
import type { Quantization } from './quantization.ts';
import type { FileValues } from './quantizer.ts';
import type { Add, Sizes, Weights } from './weights.ts';

/** The axes of a kernel as those of a matrix: letters that are summed over, and those of the result. */
export interface Matrix {
  readonly summed: string;
  readonly kept: string;
}

/** What a built layer has. Not in its fields: a layer that is quantized becomes one of these classes. */
export interface State {
  readonly weights: Weights;
  readonly sizes: Sizes;
  /** The axes of the inputs that are summed over. */
  readonly summed: readonly number[];
  readonly matrix: Matrix | null;
}

export const states = new WeakMap<object, State>();

export function stateOf(layer: object): State {
  return states.get(layer) as State;
}

/** Reads what `compute` computes. */
async function valuesOf(compute: () => Tensor): Promise<Float32Array> {
  const [made] = unrecorded(() => tidy(() => [compute()])) as [Tensor];
  try {
    return (await made.data()) as Float32Array;
  } finally {
    made.dispose();
  }
}

/** What the quantized layers have in common. */
export interface Quantized {
  quantization: Quantization | null;
  /** The variables of the layer, in the order of files. */
  savedVariables: readonly Variable[];
  /** Element types in files, where they aren't the variables' own. */
  readonly elementTypes: Map<Variable, 'int8' | 'uint8'>;
  /** Weights in another layout than in files. */
  readonly fileForms: Map<Variable, FileForm>;
  /** The values of a file: those of the sum of the weight and its adapter. */
  mergedValues(): Promise<FileValues>;
  /** Values of the weight as those of a file. */
  requantized(values: Float32Array): FileValues;
  addFrozen(name: string, shape: Shape, dtype: 'int32' | 'uint32' | 'float32'): Variable;
}

/** The class `Base` with what the quantized layers have in common. */
export function quantized<A extends readonly unknown[], L extends AdaptedLayer>(
  Base: (new (...args: A) => L) & { readonly className: string },
) {
  abstract class QuantizedLayer extends (Base as unknown as abstract new (options: never) => AdaptedLayer) {
    static readonly builtIn = Base;
    quantization: Quantization | null = null;
    savedVariables: readonly Variable[] = [];
    readonly elementTypes = new Map<Variable, 'int8' | 'uint8'>();
    readonly fileForms = new Map<Variable, FileForm>();

    override get isMergeable(): boolean {
      return false;
    }

    async mergedValues(): Promise<FileValues> {
      return this.requantized(await valuesOf(() => this.adapted()));
    }

    abstract requantized(values: Float32Array): FileValues;

    addFrozen(name: string, shape: Shape, dtype: 'int32' | 'uint32' | 'float32'): Variable {
      return this.addWeight(name, { shape, dtype, initializer: 'zeros', trainable: false });
    }
  }
  return QuantizedLayer as unknown as (new (
    ...args: A
  ) => L & Omit<Quantized, 'requantized'>) & { readonly className: string };
}

/** Returns what creates the weights of `layer`, all of them frozen. */
export function adder(layer: Quantized & { name: string }): Add {
  return {
    layer: layer.name,
    plain: (name, shape, type) => {
      const made = layer.addFrozen(name, shape, type === 'float32' ? type : 'int32');
      if (type !== 'float32') layer.elementTypes.set(made, type);
      return made;
    },
    formed: (name, shape, dtype, form) => {
      const make = () => layer.addFrozen(name, shape, dtype);
      // Lines are padded, so that it may have more elements than the file.
      const made = sizeOf(shape) > sizeOf(form.shape) ? besidesFile(make) : make();
      layer.fileForms.set(made, form);
      return made;
    },
  };
}
