/** @file HostVariable: a number of an optimizer that is saved with its variables, such as the step count. */
import { ValueError } from '../../core/errors.ts';
import { describe, type Shape } from '../../core/shape.ts';

export interface HostNumber {
  get(): number;
  set(value: number): void;
  /** Throws where `set` would reject the value. Default: it rejects none. */
  check?(value: number): void;
}

/** A scalar on the host, with the interface of a variable for listing, saving and loading. */
export class HostVariable {
  readonly shape: Shape = [];
  readonly size = 1;
  readonly trainable = false;

  constructor(
    readonly name: string,
    readonly dtype: 'float32' | 'int32',
    private readonly number: HostNumber,
  ) {}

  get path(): string {
    return this.name;
  }

  get value(): number {
    return this.number.get();
  }

  set value(value: number) {
    this.check(value);
    this.number.set(value);
  }

  /** Throws unless it can take `value`. Errors: ValueError. */
  check(value: number): void {
    const fits = typeof value === 'number' && Number.isFinite(value);
    if (!fits || (this.dtype === 'int32' && !Number.isInteger(value))) {
      throw new ValueError({
        op: this.name,
        rule: `it is ${this.dtype === 'int32' ? 'an integer' : 'a finite number'}.`,
        received: describe(value),
        hint: 'pass the value that `data()` returned.',
      });
    }
    this.number.check?.(value);
  }

  async data(): Promise<Float32Array | Int32Array> {
    return this.dtype === 'int32' ? Int32Array.of(this.value) : Float32Array.of(this.value);
  }
}
