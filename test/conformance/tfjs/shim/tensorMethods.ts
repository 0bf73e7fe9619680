/**
 * @file TF.js's tensors have every op as a method. Here the library's own tensors get those methods, in the tests alone:
 * TF.js's tests work on the library's tensors, not on wrappers.
 */
import { Tensor } from '../../../../src/index.ts';
import type { Loose } from './call.ts';
import { notOffered } from './notOffered.ts';

type Functions = Readonly<Record<string, Loose>>;

/** Methods whose names differ from the op's, or that make other calls. */
function special(tf: Functions): Record<string, (this: Loose, ...args: Loose[]) => Loose> {
  const asRank = (rank: number) =>
    function (this: Loose, ...shape: number[]): Loose {
      if (shape.length !== rank) throw new Error(`as${rank}D() takes ${rank} sizes`);
      return tf.reshape(this, shape);
    };
  return {
    as1D() {
      return tf.reshape(this, [this.size]);
    },
    as2D: asRank(2),
    as3D: asRank(3),
    as4D: asRank(4),
    as5D: asRank(5),
    asScalar() {
      if (this.size !== 1) throw new Error('The array must have only 1 element.');
      return tf.reshape(this, []);
    },
    asType(dtype) {
      return tf.cast(this, dtype);
    },
    clone() {
      return tf.clone(this);
    },
    toFloat() {
      return tf.cast(this, 'float32');
    },
    toInt() {
      return tf.cast(this, 'int32');
    },
    toBool() {
      return tf.cast(this, 'bool');
    },
    flatten() {
      return tf.reshape(this, [this.size]);
    },
    reshapeAs(x) {
      return tf.reshape(this, x.shape);
    },
    concat(others, axis) {
      return tf.concat([this, ...(others instanceof Tensor ? [others] : others)], axis);
    },
    stack(others, axis) {
      return tf.stack([this, ...(others instanceof Tensor ? [others] : others)], axis);
    },
    where(condition, other) {
      return tf.where(condition, this, other);
    },
    resizeBilinear(...args) {
      return tf.image.resizeBilinear(this, ...args);
    },
    resizeNearestNeighbor(...args) {
      return tf.image.resizeNearestNeighbor(this, ...args);
    },
    variable(...args) {
      return tf.variable(this, ...args);
    },
    dataSync: () => notOffered('synchronous readback'),
    arraySync: () => notOffered('synchronous readback'),
    async buffer() {
      return tf.buffer(this.shape, this.dtype, await this.data());
    },
    bufferSync: () => notOffered('synchronous readback'),
    dataToGPU: () => notOffered('dataToGPU'),
    print: () => notOffered('tf.print'),
    throwIfDisposed() {
      void this.storage;
    },
  };
}

const getters: Record<string, (this: Loose) => Loose> = {
  isDisposed() {
    return this.disposed;
  },
  rankType() {
    return String(this.rank);
  },
};

/** Adds the methods named `names`, and the special ones, to the library's tensors. */
export function addMethods(tf: Functions, names: readonly string[]): void {
  const methods = special(tf);
  for (const name of new Set([...names, ...Object.keys(methods)])) {
    if (name in Tensor.prototype && name !== 'buffer') continue;
    const method =
      methods[name] ??
      function (this: Loose, ...args: Loose[]) {
        return tf[name](this, ...args);
      };
    Object.defineProperty(Tensor.prototype, name, { value: method, configurable: true, writable: true });
  }
  for (const [name, get] of Object.entries(getters))
    Object.defineProperty(Tensor.prototype, name, { get, configurable: true });
}
