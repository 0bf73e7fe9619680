/** @file Layers that only networks of `applications` use, under Keras's class names. */
import type { OpenShape } from '../../core/shape.ts';
import { add, mul } from '../../ops/elementwise/arithmetic.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import type { Variable } from '../../tensor/variable.ts';
import { constant } from '../initializers/index.ts';
import { integer, layer, type Layer, type LayerOptions, number } from '../layers/base/declare.ts';

interface ScaleOptions extends LayerOptions {
  scale: number;
}

/** x + scale · y, for [x, y] of one shape. Part of InceptionResNetV2. */
export class CustomScaleLayer extends /* @__PURE__ */ layer<ScaleOptions, Layer<Tensor[]>>(
  'CustomScaleLayer',
  () => ({ scale: number() }),
) {
  override call([x, y]: Tensor[]): Tensor {
    return add(x as Tensor, mul(y as Tensor, this.scale));
  }
}

interface LayerScaleOptions extends LayerOptions {
  initValues: number;
  projectionDim: number;
}

/** Multiplies x by a weight for each channel, which starts at `initValues`. Part of ConvNeXt. */
export class LayerScale extends /* @__PURE__ */ layer<LayerScaleOptions>('LayerScale', () => ({
  initValues: number(),
  projectionDim: integer(),
})) {
  gamma: Variable | null = null;

  override build(_inputShape: OpenShape): void {
    const { projectionDim, initValues } = this;
    const initializer = constant({ value: initValues });
    this.gamma = this.addWeight('gamma', { shape: [projectionDim], initializer });
  }

  override call(x: Tensor): Tensor {
    return mul(x, this.gamma as Tensor);
  }
}
