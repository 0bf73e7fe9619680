/** @file Complex tensors for Fourier transforms: pairs of real tensors, as in the library. */
import type { Tensor } from '../../../../src/index.ts';
import { notOffered } from './notOffered.ts';

/** A pair with a part of the interface of TF.js's tensor. */
export class ComplexPair {
  readonly dtype = 'complex64';

  constructor(
    readonly real: Tensor,
    readonly imaginary: Tensor,
  ) {}

  get shape(): readonly number[] {
    return this.real.shape;
  }

  get rank(): number {
    return this.real.shape.length;
  }

  /** Real and imaginary parts, interleaved. */
  async data(): Promise<Float32Array> {
    const [real, imaginary] = await Promise.all([this.real.data(), this.imaginary.data()]);
    return Float32Array.from({ length: 2 * real.length }, (_, i) => {
      const part = i % 2 === 0 ? real : imaginary;
      return Number(part[Math.floor(i / 2)]);
    });
  }

  dispose(): void {
    this.real.dispose();
    this.imaginary.dispose();
  }
}

/** Returns a pair; other operations of TF.js on complex tensors aren't offered. */
export function complexPair(real: Tensor, imaginary: Tensor): ComplexPair {
  return new Proxy(new ComplexPair(real, imaginary), {
    get: (target, key) => {
      if (typeof key === 'symbol' || key in target || key === 'then' || key === 'toJSON')
        return Reflect.get(target, key);
      return notOffered('complex64 tensors');
    },
  });
}
