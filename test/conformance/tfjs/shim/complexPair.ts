/** @file Complex tensors, as far as Fourier transforms need them: pairs of real tensors, as the library has them. */
import type { Tensor } from '../../../../src/index.ts';
import { notOffered } from './notOffered.ts';

/** A pair that looks like TF.js's tensor, as far as it goes. */
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

  /** Real and imaginary parts in turn. */
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

/** A pair, of which everything else that TF.js does with complex tensors isn't offered. */
export function complexPair(real: Tensor, imaginary: Tensor): ComplexPair {
  return new Proxy(new ComplexPair(real, imaginary), {
    get: (target, key) => {
      if (typeof key === 'symbol' || key in target || key === 'then' || key === 'toJSON')
        return Reflect.get(target, key);
      return notOffered('complex64 tensors');
    },
  });
}
