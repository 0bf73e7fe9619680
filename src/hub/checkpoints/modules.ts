/**
 * @file The weights of a model by the names of a checkpoint: a table of PyTorch's modules, and the names and layouts of the tensors
 * in each.
 */
import type { Shape } from '../../core/shape.ts';
import { Layer } from '../../keras/layers/base/layer.ts';
import type { Dense } from '../../keras/layers/core/dense.ts';
import { ReversibleEmbedding } from '../../keras/layers/core/reversibleEmbedding.ts';
import { type NarrowMatrix, narrowMatrixIn } from '../../keras/layers/quantized/narrowMatrix.ts';
import type { PositionEmbedding } from '../layers/positionEmbedding.ts';
import type { Variable } from '../../tensor/variable.ts';

/** A tensor of a checkpoint. */
export interface Parameter {
  readonly name: string;
  readonly variable: Variable;
  /** The layer that the weight is of, if an adapter may be added to it. */
  readonly layer?: Layer;
  /** The matrix that the variable has the words of, if it is in 16 bits. */
  readonly matrix?: NarrowMatrix | null;
  /** For each axis of the weight, which one it is in the checkpoint; null where the order is the same. */
  readonly perm: readonly number[] | null;
  /** The shape in the checkpoint, if it has axes of length 1 that the weight hasn't, or the other way round. */
  readonly shape?: Shape;
}

/** A dense layer whose matrix a checkpoint has as Keras does, [in, out]. */
interface Conv1D {
  readonly conv1d: Dense;
}

/** What the parameters of a module are: the weights of a layer, or weights listed by name. Null: there is no such module. */
export type Module = Layer | Conv1D | readonly Parameter[] | null;

/** Layers by the names of their modules; '' is the model itself. */
export type Modules = Readonly<Record<string, Module>>;

/** PyTorch's names of parameters, by the roles of weights. */
const roles: Readonly<Record<string, string>> = {
  kernel: 'weight',
  embeddings: 'weight',
  gamma: 'weight',
  scale: 'weight',
  bias: 'bias',
  beta: 'bias',
};

/** The modules of a list of layers: `${name}.${index}.` before the names that `of` gives. */
export function each<T>(
  name: string,
  layers: readonly T[],
  of: (layer: T, index: number) => Modules,
): Modules {
  return Object.fromEntries(
    layers.flatMap((layer, i) => Object.entries(prefixed(`${name}.${i}`, of(layer, i)))),
  );
}

/** The modules inside a module called `prefix`. */
export function prefixed(prefix: string, modules: Modules): Modules {
  if (prefix === '') return modules;
  return Object.fromEntries(Object.entries(modules).map(([name, module]) => [`${prefix}.${name}`, module]));
}

/** A dense layer that a checkpoint has as GPT-2's Conv1D, whose matrix is [in, out]. */
export function conv1d(dense: Dense | null | undefined): Module {
  return dense ? { conv1d: dense } : null;
}

/** The matrix of an output layer that isn't tied to the embeddings. */
export function reverseWeights({ reverseEmbeddings }: ReversibleEmbedding): Module {
  if (!reverseEmbeddings) return null;
  const matrix = narrowMatrixIn(reverseEmbeddings);
  return [{ name: 'weight', variable: reverseEmbeddings, matrix, perm: matrix ? null : [1, 0] }];
}

/** One weight under a name of its own, of another `shape` in the checkpoint. */
export function only(name: string, variable: Variable | null, shape?: Shape): readonly Parameter[] {
  return variable ? [{ name, variable, perm: null, ...(shape && { shape }) }] : [];
}

/** The vectors of positions under a name of their own, where PEFT has no adapters for them. */
export function onlyPositions(name: string, layer: PositionEmbedding, shape?: Shape): readonly Parameter[] {
  return only(name, layer.positionEmbeddings, shape).map((parameter) => ({ ...parameter, layer }));
}

/** All parameters, by their whole names. */
export function parametersOf(modules: Modules): readonly Parameter[] {
  return Object.entries(modules).flatMap(([module, found]) =>
    parametersIn(found).map((parameter) => ({
      ...parameter,
      name: module === '' ? parameter.name : `${module}.${parameter.name}`,
    })),
  );
}

/** The layers of the modules that are one. */
export function layersOf(modules: Modules): ReadonlyMap<string, Layer> {
  const layers = Object.entries(modules).flatMap(([name, module]) => {
    const layer = module && 'conv1d' in module ? module.conv1d : module;
    return layer instanceof Layer ? [[name, layer] as const] : [];
  });
  return new Map(layers);
}

function parametersIn(module: Module): readonly Parameter[] {
  if (module === null) return [];
  if (module instanceof Layer) return weightsOf(module);
  if ('conv1d' in module)
    // Lines of a matrix in 16 bits are those of units.
    return weightsOf(module.conv1d).map((weight) => ({ ...weight, perm: weight.matrix ? [1, 0] : null }));
  return module;
}

/** The parameters of a layer: not those of an adapter, nor a matrix of logits, which checkpoints have elsewhere. */
function weightsOf(layer: Layer): readonly Parameter[] {
  const elsewhere = layer instanceof ReversibleEmbedding ? layer.reverseEmbeddings : null;
  return layer.weights.flatMap((variable) => {
    const name = roles[roleOf(variable)];
    if (name === undefined || variable === elsewhere) return [];
    const matrix = narrowMatrixIn(variable);
    const perm = roleOf(variable) === 'kernel' && !matrix ? kernelAxes(variable) : null;
    return [{ name, variable, layer, matrix, perm }];
  });
}

/** PyTorch has the channels of kernels first, and those of the output before those of the input. */
function kernelAxes({ shape: { length } }: Variable): readonly number[] {
  const window = Array.from({ length: length - 2 }, (_, axis) => axis + 2);
  return [...window, 1, 0];
}

function roleOf({ path }: Variable): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
