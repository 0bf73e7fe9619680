/** @file The option `dataFormat` of keras.ops. Ops are written for channels last; with channels first, images are transposed for them. */
import { oneOf } from '../../core/shape.ts';
import { moveAxis } from '../../ops/arrangement/moveAxis.ts';
import { type CompositeDefinition, type CompositeOp, defineComposite } from '../../ops/define/composite.ts';
import type { Tensor } from '../../tensor/tensor.ts';

export interface DataFormatOption {
  /**
   * Where the first operand and the result have their channels: 'channelsLast', or 'channelsFirst', before the sizes. Shapes in this
   * reference are those of 'channelsLast'. Default 'channelsLast'.
   */
  dataFormat?: 'channelsLast' | 'channelsFirst' | null;
}

/**
 * Makes an op for channels last take both: its formula gets no `dataFormat`. `axis` is where channels that come first are: 1 after a
 * batch; negative for images that may come without one.
 */
/* @__NO_SIDE_EFFECTS__ */
export function inEitherFormat<
  I extends readonly unknown[],
  O extends DataFormatOption,
  P extends readonly string[],
>(definition: CompositeDefinition<I, O, Tensor, P>, axis = 1): CompositeDefinition<I, O, Tensor, P> {
  const { name, compose } = definition;
  return {
    ...definition,
    compose: (inputs, { dataFormat, ...rest }) => {
      const options = rest as unknown as O;
      const given = dataFormat ?? 'channelsLast';
      if (oneOf(name, 'dataFormat', given, ['channelsLast', 'channelsFirst']) === 'channelsLast')
        return compose(inputs, options);
      const [x, ...others] = inputs as unknown as [Tensor, ...unknown[]];
      const last = moveAxis(x, { source: axis, destination: -1 });
      const found = compose([last, ...others] as unknown as typeof inputs, options);
      return moveAxis(found, { source: -1, destination: axis });
    },
  };
}

/** An op on images that may come without a batch, in either format. */
/* @__NO_SIDE_EFFECTS__ */
export function defineImageOp<O extends DataFormatOption>(
  definition: CompositeDefinition<[images: Tensor], O, Tensor, []>,
): CompositeOp<[images: Tensor], O> {
  return defineComposite(inEitherFormat(definition, -3));
}
