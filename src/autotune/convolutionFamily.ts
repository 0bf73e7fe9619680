/** @file Ways to compute a convolution as candidates. Minimal filtering is there as far as its rule for accuracy goes. */
import { type ConvolutionFacts, type ConvolutionVariant, variantsOf } from '../kernels/convolutionVariant.ts';
import type { AdapterClass } from '../webgpu/adapter.ts';
import { type Family, sizeClass } from './family.ts';

const names: Readonly<Record<ConvolutionVariant, string>> = {
  implicit: 'implicit product',
  folded: 'folded product',
  2: 'minimal filtering, blocks of 2',
  4: 'minimal filtering, blocks of 4',
};

const ranks: Readonly<Record<ConvolutionVariant, number>> = { implicit: 0, folded: 0, 2: 1, 4: 2 };

const directions = {
  forward: 'conv2d',
  inputGrad: 'conv2d, image gradient',
  filterGrad: 'conv2d, kernel gradient',
};

/** Multiplications below which a launch costs more than what other ways save. */
const smallConvolution = 2 ** 20;

function ways(adapter: AdapterClass, facts: ConvolutionFacts): ReturnType<typeof variantsOf> {
  const { batch, rows, columns, inputs, outputs, groups } = facts.geometry;
  const work =
    (batch * rows.output * columns.output * rows.window * columns.window * inputs * outputs) / groups;
  const all = variantsOf(adapter, facts);
  return work < smallConvolution ? all.slice(0, 1) : all;
}

export const convolutionFamily: Family<ConvolutionFacts, ConvolutionVariant> = {
  key({ direction, geometry: { batch, rows, columns, inputs, outputs, groups } }) {
    const pixels = [batch, rows.output, columns.output, inputs, outputs].map(sizeClass).join(' ');
    const windows = [rows, columns].map(({ window, stride, dilation }) => `${window}/${stride}/${dilation}`);
    const widths = [inputs, outputs].map((channels) => (channels % 4 === 0 ? 4 : 1));
    return `${direction} ${pixels} ${windows.join(' ')} ${groups} ${widths.join(' ')}`;
  },

  describe({ direction, geometry: { batch, rows, columns, inputs, outputs } }) {
    const images = `${batch > 1 ? `${batch} times ` : ''}${rows.input} × ${columns.input}`;
    const kernel = `kernel ${rows.window} × ${columns.window}`;
    return `${directions[direction]} of ${images}, ${inputs} to ${outputs} channels, ${kernel}`;
  },

  candidates: (device, facts) =>
    ways(device.adapter.class, facts).map(({ variant, cost }) => ({
      name: names[variant],
      variant,
      cost,
      rank: ranks[variant],
    })),
};
