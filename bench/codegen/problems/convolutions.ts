/** @file The convolutions of four networks, at batch 1 and 32, and their gradients. */
import {
  conv2d,
  conv2dFilterGrad,
  conv2dInputGrad,
  depthwiseConv2d,
  depthwiseConv2dFilterGrad,
  depthwiseConv2dInputGrad,
} from 'retrograd';
import { convolutionContenders, type Direction } from '../../rows/convolution.ts';
import { depthwiseContenders } from '../../rows/depthwise.ts';
import { float32, type Problem } from '../problem.ts';
import { type ConvolutionLayer, convolutionLayers } from './layers.ts';

const directions: readonly Direction[] = ['forward', 'input gradient', 'filter gradient'];

export const convolutionProblems: readonly Problem[] = [1, 32].flatMap((batch) =>
  convolutionLayers.flatMap((layer) => directions.map((direction) => problemOf(layer, batch, direction))),
);

function problemOf(layer: ConvolutionLayer, batch: number, direction: Direction): Problem {
  const { network, size, from, to, window, stride, depthwise } = layer;
  const out = Math.ceil(size / stride);
  const image = [batch, size, size, from];
  const kernel = [window, window, from, depthwise ? 1 : to];
  const result = [batch, out, out, to];
  const taps = window * window;
  const stage = stride > 1 ? ` / ${stride}` : '';
  const kind = depthwise ? `depthwise ${from}` : `${from} → ${to}`;
  const terms = {
    forward: taps * (depthwise ? 1 : from),
    'input gradient': taps * (depthwise ? 1 : to),
    'filter gradient': batch * out * out,
  }[direction];
  const inputs = {
    forward: [image, kernel],
    'input gradient': [result, kernel],
    'filter gradient': [image, result],
  }[direction];
  return {
    name: `${network} ${window}×${window}${stage} ${kind} at ${size}², batch ${batch}, ${direction}`,
    family: depthwise ? 'depthwise convolution' : 'convolution',
    inputs: inputs.map((shape) => float32(...shape)),
    fmas: batch * out * out * to * taps * (depthwise ? 1 : from),
    terms,
    run: depthwise
      ? runDepthwise(direction, image, kernel, stride)
      : runConvolution(direction, image, kernel, stride),
    // At batch 32 they launch the same kernels, with more workgroups.
    ...(batch === 1 ? { peers: contendersOf(layer, batch, direction) } : {}),
  };
}

function runConvolution(
  direction: Direction,
  inputShape: number[],
  kernelShape: number[],
  strides: number,
): Problem['run'] {
  const options = { strides, padding: 'same' } as const;
  const runs: Record<Direction, Problem['run']> = {
    forward: (x, kernel) => conv2d(x, kernel, options),
    'input gradient': (dy, kernel) => conv2dInputGrad(dy, kernel, { ...options, inputShape }),
    'filter gradient': (x, dy) => conv2dFilterGrad(x, dy, { ...options, kernelShape }),
  };
  return runs[direction];
}

function runDepthwise(
  direction: Direction,
  inputShape: number[],
  kernelShape: number[],
  strides: number,
): Problem['run'] {
  const options = { strides, padding: 'same' } as const;
  const runs: Record<Direction, Problem['run']> = {
    forward: (x, kernel) => depthwiseConv2d(x, kernel, options),
    'input gradient': (dy, kernel) => depthwiseConv2dInputGrad(dy, kernel, { ...options, inputShape }),
    'filter gradient': (x, dy) => depthwiseConv2dFilterGrad(x, dy, { ...options, kernelShape }),
  };
  return runs[direction];
}

function contendersOf(
  { window, stride, depthwise, size, from, to }: ConvolutionLayer,
  batch: number,
  direction: Direction,
): Problem['peers'] {
  return depthwise
    ? depthwiseContenders[direction]({ batch, size, channels: from, kernel: window, stride })
    : convolutionContenders({ batch, size, inputs: from, outputs: to, kernel: window, stride }, direction);
}
