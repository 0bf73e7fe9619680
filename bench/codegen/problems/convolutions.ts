/** @file The convolutions of four networks, at batch 1 and 32, and their gradients. */
import {
  conv2d,
  conv2dFilterGrad,
  conv2dInputGrad,
  depthwiseConv2d,
  depthwiseConv2dFilterGrad,
  depthwiseConv2dInputGrad,
} from 'retrograd';
import { toChannelsFirst, toFiltersFirst } from '../../host.ts';
import { jaxjs } from '../../peers/jaxjs.ts';
import { ort } from '../../peers/ort.ts';
import { tfjs } from '../../peers/tfjs.ts';
import { float32, type Problem } from '../problem.ts';
import { type ConvolutionLayer, convolutionLayers } from './layers.ts';

type Direction = 'forward' | 'input gradient' | 'filter gradient';
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
    // Peers read their inputs from the host: those of batch 32 would take gigabytes.
    ...(batch === 1 && direction === 'forward' ? { peers: peersOf(layer, result) } : {}),
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

function peersOf({ window, stride, depthwise, from }: ConvolutionLayer, result: number[]): Problem['peers'] {
  const [batch, height, width, channels] = result as [number, number, number, number];
  const planes = { inputs: [toChannelsFirst, toFiltersFirst] };
  return {
    tfjs: tfjs((tf, x, kernel) =>
      depthwise
        ? tf.depthwiseConv2d(x as never, kernel as never, stride, 'same')
        : tf.conv2d(x as never, kernel as never, stride, 'same'),
    ),
    ...(depthwise
      ? {}
      : {
          jaxjs: jaxjs(
            ({ lax }, x, kernel) => lax.convGeneralDilated(x, kernel, [stride, stride], 'SAME'),
            planes,
          ),
        }),
    ort: ort(
      (graph, x, kernel) =>
        graph.node('Conv', [x, kernel], {
          kernel_shape: [window, window],
          strides: [stride, stride],
          auto_pad: 'SAME_UPPER',
          group: depthwise ? from : 1,
        }),
      { ...planes, constants: [1], shapes: [[batch, channels, height, width]] },
    ),
  };
}
