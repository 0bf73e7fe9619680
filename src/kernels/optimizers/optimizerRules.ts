/** @file The kernels of the optimizers: their rules and parameters. */
import {
  adadeltaRule,
  adagradRule,
  adamRule,
  adamaxRule,
  ftrlRule,
  lionRule,
  nadamRule,
  rmspropRule,
  sgdRule,
} from '../../../shaders/optimizerRules.ts';
import { defineStep } from './optimizerStep.ts';

export const adadeltaStep = /* @__PURE__ */ defineStep(
  'adadelta',
  ['rate', 'rho', 'rest', 'epsilon'],
  adadeltaRule,
);

export const adagradStep = /* @__PURE__ */ defineStep('adagrad', ['rate', 'epsilon'], adagradRule);

export const adamStep = /* @__PURE__ */ defineStep(
  'adam',
  ['rate', 'momentum_share', 'velocity_share', 'epsilon'],
  adamRule,
);

export const adamaxStep = /* @__PURE__ */ defineStep(
  'adamax',
  ['rate', 'momentum_share', 'decay_of_norm', 'epsilon'],
  adamaxRule,
);

export const ftrlStep = /* @__PURE__ */ defineStep(
  'ftrl',
  ['rate', 'power', 'l1', 'twice_l2', 'shrinkage'],
  ftrlRule,
);

export const lionStep = /* @__PURE__ */ defineStep(
  'lion',
  ['rate', 'beta_1', 'rest_1', 'beta_2', 'rest_2'],
  lionRule,
);

export const nadamStep = /* @__PURE__ */ defineStep(
  'nadam',
  [
    'rate',
    'momentum_share',
    'velocity_share',
    'share_of_momentum',
    'share_of_gradient',
    'velocity_scale',
    'epsilon',
  ],
  nadamRule,
);

export const rmspropStep = /* @__PURE__ */ defineStep(
  'rmsprop',
  ['rate', 'rho', 'rest', 'momentum', 'epsilon'],
  rmspropRule,
);

export const sgdStep = /* @__PURE__ */ defineStep('sgd', ['rate', 'momentum'], sgdRule);
