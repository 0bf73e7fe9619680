/** @file The classes of odd_models.py, as an app would write them here. */
import { add, mul, pow, type Tensor, type Variable } from '../../../src/index.ts';
import { layers, registerClass } from '../../../src/keras/index.ts';
import { Layer, type LayerOptions } from '../../../src/keras/layers/base/layer.ts';

type OpenShape = readonly (number | null)[];

class Scale extends Layer {
  static override readonly className: string = 'Scale';
  readonly power: number;
  scale: Variable | null = null;

  constructor({ power = 1, ...options }: { power?: number } & LayerOptions = {}) {
    super(options);
    this.power = power;
  }
  override build(shape: OpenShape): void {
    this.scale = this.addWeight('scale', { shape: [shape.at(-1) as number], initializer: 'ones' });
  }
  override call(x: Tensor): Tensor {
    return mul(pow(x, this.power), this.scale as Variable);
  }
  override getConfig(): Record<string, unknown> {
    return { ...super.getConfig(), power: this.power };
  }
}

class Around extends Layer {
  static override readonly className: string = 'Around';
  readonly units: number;
  readonly inner: layers.Dense;

  constructor({ units, ...options }: { units: number } & LayerOptions) {
    super(options);
    this.units = units;
    this.inner = layers.dense({ units, name: 'inner' });
  }
  override build(shape: OpenShape): void {
    this.inner.ensureBuilt(shape);
  }
  override call(x: Tensor): Tensor {
    return add(this.inner.apply(x), 1);
  }
  override getConfig(): Record<string, unknown> {
    return { ...super.getConfig(), units: this.units };
  }
}

export function registerOddClasses(): void {
  registerClass(Scale, { package: 'odd' });
  registerClass(Around, { package: 'odd', name: 'Renamed' });
}
