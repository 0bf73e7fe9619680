/** @file Optimizers with options, one of each class, whose training continues in Keras. */
import { optimizers } from '../../../src/keras/index.ts';

const { schedules } = optimizers;

/** Runs have four steps per epoch, 40 in total. */
export const rules: Readonly<Record<string, () => optimizers.Optimizer>> = {
  adam: () => optimizers.adam({ learningRate: 0.01 }),
  momentum: () => optimizers.sgd({ learningRate: 0.05, momentum: 0.9, nesterov: true }),
  rmsprop: () => optimizers.rmsprop({ learningRate: 0.01, momentum: 0.5, centered: true }),
  nadam: () => optimizers.nadam({ learningRate: 0.01, globalClipnorm: 1 }),
  amsgrad: () => optimizers.adam({ learningRate: 0.01, amsgrad: true, clipvalue: 0.5 }),
  // The end of a fit overwrites weights with their averages, too: after five epochs that is also a step that does.
  averaged: () =>
    optimizers.adam({ learningRate: 0.01, useEma: true, emaMomentum: 0.9, emaOverwriteFrequency: 4 }),
  accumulated: () => optimizers.sgd({ learningRate: 0.05, momentum: 0.5, gradientAccumulationSteps: 3 }),
  adagrad: () =>
    optimizers.adagrad({
      learningRate: schedules.polynomialDecay({ initialLearningRate: 0.05, decaySteps: 7, cycle: true }),
    }),
  adadelta: () => optimizers.adadelta({ learningRate: 0.5, weightDecay: 0.01 }),
  adamax: () =>
    optimizers.adamax({
      learningRate: schedules.piecewiseConstantDecay({ boundaries: [9, 30], values: [0.01, 0.02, 0.005] }),
      clipnorm: 0.3,
    }),
  adafactor: () =>
    optimizers.adafactor({
      learningRate: schedules.cosineDecayRestarts({ initialLearningRate: 0.05, firstDecaySteps: 6 }),
    }),
  ftrl: () =>
    optimizers.ftrl({
      learningRate: schedules.inverseTimeDecay({ initialLearningRate: 0.05, decaySteps: 9, decayRate: 0.4 }),
      l1RegularizationStrength: 0.001,
    }),
  lion: () => optimizers.lion({ learningRate: 0.005 }),
  lamb: () =>
    optimizers.lamb({
      learningRate: schedules.cosineDecay({
        initialLearningRate: 0.005,
        decaySteps: 30,
        warmupTarget: 0.01,
        warmupSteps: 5,
      }),
    }),
  adamW: () =>
    optimizers.adamW({
      learningRate: schedules.exponentialDecay({ initialLearningRate: 0.02, decaySteps: 5, decayRate: 0.9 }),
      weightDecay: 0.01,
    }),
};
