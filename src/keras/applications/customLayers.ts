/** @file Layers that only networks of `applications` use, under Keras's class names. */
import { requireFinite, requireInteger, type OpenShape } from '../../core/shape.ts';
import type { OptionNames } from '../../core/options.ts';
import { add, mul } from '../../ops/arithmetic.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import type { Variable } from '../../tensor/variable.ts';
import { constant } from '../initializers/index.ts';
import { Layer, type LayerOptions } from '../layers/base/layer.ts';
import { layerOptionNames } from '../layers/base/layerOptions.ts';

interface ScaleOptions extends LayerOptions {
  scale: number;
}

/** x + scale · y, for [x, y] of one shape. Part of InceptionResNetV2. */
export class CustomScaleLayer extends Layer<Tensor[]> {
  static override readonly className: string = 'CustomScaleLayer';

  static get knownOptions(): readonly string[] {
    return Object.keys({ scale: true, ...layerOptionNames } satisfies OptionNames<ScaleOptions>);
  }

  readonly scale: number;

  constructor(options: ScaleOptions) {
    super(options);
    requireFinite(this.name, 'scale', options.scale);
    this.scale = options.scale;
  }

  override call([x, y]: Tensor[]): Tensor {
    return add(x as Tensor, mul(y as Tensor, this.scale));
  }

  override getConfig(): Record<string, unknown> {
    return { ...super.getConfig(), scale: this.scale };
  }
}

interface LayerScaleOptions extends LayerOptions {
  initValues: number;
  projectionDim: number;
}

/** Multiplies x by a weight for each channel, which starts at `initValues`. Part of ConvNeXt. */
export class LayerScale extends Layer {
  static override readonly className: string = 'LayerScale';

  static get knownOptions(): readonly string[] {
    return Object.keys({
      initValues: true,
      projectionDim: true,
      ...layerOptionNames,
    } satisfies OptionNames<LayerScaleOptions>);
  }

  readonly initValues: number;
  readonly projectionDim: number;
  gamma: Variable | null = null;

  constructor(options: LayerScaleOptions) {
    super(options);
    const { initValues, projectionDim } = options;
    requireFinite(this.name, 'initValues', initValues);
    requireInteger(this.name, 'projectionDim', projectionDim, 1);
    this.initValues = initValues;
    this.projectionDim = projectionDim;
  }

  override build(_inputShape: OpenShape): void {
    const { projectionDim, initValues } = this;
    const initializer = constant({ value: initValues });
    this.gamma = this.addWeight('gamma', { shape: [projectionDim], initializer });
  }

  override call(x: Tensor): Tensor {
    return mul(x, this.gamma as Tensor);
  }

  override getConfig(): Record<string, unknown> {
    const { initValues, projectionDim } = this;
    return { ...super.getConfig(), initValues, projectionDim };
  }
}
