/**
 * @file Learning from one picture: the network makes half of it of a quarter. What it learns is of use for the picture itself, which it
 * never sees: Shocher, Cohen and Irani, "Zero-shot super-resolution using deep internal learning", CVPR 2018.
 */
import {
  abs,
  add,
  compile,
  getDevice,
  GradientTape,
  keep,
  mean,
  mul,
  sub,
  type Tensor,
  tidy,
} from 'retrograd';
import { optimizers } from 'retrograd/keras';
import { type Loss, perceptualLoss } from '../perceptual-loss/losses.ts';
import { randomVgg } from '../perceptual-loss/vgg.ts';
import type { Network } from './network.ts';
import { halved } from './pictures.ts';

/** The features that are compared: of edges and colours, and of textures. */
const layers = ['block1_conv2', 'block2_conv2'];

export interface Learning {
  readonly network: Network;
  /** What is known of the picture: half its size. */
  readonly small: Tensor;
  readonly steps: number;
  /** How much features count, next to the differences of pixels, which count 1. */
  readonly perceptual: number;
  readonly signal: AbortSignal;
  /** Called after each step with its number, from 1 on, and the loss before it; awaited. */
  onStep(step: number, loss: number): unknown;
}

/** Trains the network. Resolves after the last step; rejects with the signal's reason. */
export async function learn({ network, small, steps, perceptual, signal, onStep }: Learning): Promise<void> {
  using input = tidy(() => keep(halved(small)));
  using vgg = randomVgg(1);
  using features = perceptualLoss(small, vgg.features(layers), 0);
  using optimizer = optimizers.adam({ learningRate: 2e-4 });
  const variables = network.trainableWeights;
  using step = compile(
    () => {
      using tape = new GradientTape();
      const loss = lossOf(network.apply(input), small, features, perceptual);
      optimizer.apply(tape.gradient(loss, variables), variables);
      return loss;
    },
    { name: 'step' },
  );
  for (let done = 0; done < steps; done++) {
    signal.throwIfAborted();
    // Cosine decay, so that the weights settle: Loshchilov and Hutter, SGDR, ICLR 2017.
    optimizer.learningRate = 1e-4 * (1 + Math.cos((Math.PI * done) / steps));
    const loss = tidy(step);
    getDevice().flush();
    const value = await loss.item();
    loss.dispose();
    await onStep(done + 1, value);
  }
}

/** Mean differences of pixels, and squared ones of features. */
function lossOf(picture: Tensor, wanted: Tensor, features: Loss, perceptual: number): Tensor {
  return add(mean(abs(sub(picture, wanted))), mul(features.of(picture), perceptual));
}
