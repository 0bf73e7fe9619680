/** @file Trials of the algorithms of a convolution. */
import type { Tensor } from '../tensor/tensor.ts';
import { type Conv2dAlgorithm, conv2dAlgorithms } from '../kernels/convolution/conv2dAlgorithm.ts';
import { conv2dOperands, type Conv2dProblem, conv2dResult } from '../kernels/convolution/conv2dProblem.ts';
import { kernels } from '../kernels/loading/loadKernels.ts';
import { output } from '../kernels/launch/output.ts';
import { sizeClass, type Trials } from './tuningTask.ts';

const directions = {
  forward: 'conv2d',
  inputGrad: 'conv2d, image gradient',
  filterGrad: 'conv2d, kernel gradient',
};

export const conv2dTrials: Trials<Conv2dProblem, Conv2dAlgorithm> = {
  algorithms: conv2dAlgorithms,

  key({ direction, geometry: { batch, rows, columns, inputs, outputs, groups }, dtypes }) {
    const pixels = [batch, rows.output, columns.output, inputs, outputs].map(sizeClass).join(' ');
    const windows = [rows, columns].map(({ window, stride, dilation }) => `${window}/${stride}/${dilation}`);
    const widths = [inputs, outputs].map((channels) => (channels % 4 === 0 ? 4 : 1));
    return `${direction} ${dtypes.join(' ')} ${pixels} ${windows.join(' ')} ${groups} ${widths.join(' ')}`;
  },

  describe({ direction, geometry: { batch, rows, columns, inputs, outputs } }) {
    const images = `${batch > 1 ? `${batch} times ` : ''}${rows.input} × ${columns.input}`;
    const kernel = `kernel ${rows.window} × ${columns.window}`;
    return `${directions[direction]} of ${images}, ${inputs} to ${outputs} channels, ${kernel}`;
  },

  launch(device, problem, algorithm) {
    const op = 'tune';
    const [a, b] = conv2dOperands(problem).map((spec) => output(device, spec, op)) as [Tensor, Tensor];
    kernels().launchConv2d({ op, problem, algorithm, a, b, spec: conv2dResult(problem), epilogue: {} });
  },
};
