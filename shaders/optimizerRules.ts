/**
 * @file The rules of the optimizers, one per function. Formulas are those of Keras 3, which adds epsilon in other places than
 * the papers; values that depend only on the step (rates, bias corrections) are parameters. A rule with variants takes the
 * name of one.
 *
 * `g` is the gradient, `value` the values to update; both, and the states, are vec4<f32>.
 */
import { isNan, precisePow } from './lib/math.ts';
import type { StepRule } from './optimizer.ts';

/** `plain`, `momentum` or `nesterov`: Sutskever et al., On the importance of initialization and momentum, ICML 2013. */
export function sgdRule(variant: string): StepRule {
  if (variant === 'plain') return { statements: 'value -= g * params.rate;' };
  const moved = variant === 'nesterov' ? 'momentum * params.momentum - g * params.rate' : 'momentum';
  return {
    statements: `
      momentum = momentum * params.momentum - g * params.rate;
      value += ${moved};`,
  };
}

/**
 * `plain`: Kingma and Ba, ICLR 2015, end of section 2; `amsgrad`: Reddi, Kale and Kumar, ICLR 2018. `rate` includes both
 * bias corrections.
 */
export function adamRule(variant: string): StepRule {
  const amsgrad = variant === 'amsgrad';
  return {
    statements: `
      momentum += (g - momentum) * params.momentum_share;
      velocity += (g_squared - velocity) * params.velocity_share;
      ${amsgrad ? 'velocity_hat = max(velocity_hat, velocity);' : ''}
      value -= momentum * params.rate / (sqrt(${amsgrad ? 'velocity_hat' : 'velocity'}) + params.epsilon);`,
  };
}

/** Kingma and Ba, section 7.1. `rate` includes the bias correction of the first moment. */
export function adamaxRule(): StepRule {
  return {
    statements: `
      momentum += (g - momentum) * params.momentum_share;
      norm = max(norm * params.decay_of_norm, g_size);
      value -= params.rate * momentum / (norm + params.epsilon);`,
  };
}

/** Dozat, Incorporating Nesterov momentum into Adam, 2016. Both shares and `velocity_scale` include bias corrections. */
export function nadamRule(): StepRule {
  return {
    statements: `
      momentum += (g - momentum) * params.momentum_share;
      velocity += (g_squared - velocity) * params.velocity_share;
      let ahead = momentum * params.share_of_momentum + g * params.share_of_gradient;
      value -= ahead * params.rate / (sqrt(velocity * params.velocity_scale) + params.epsilon);`,
  };
}

/** Tieleman and Hinton, lecture 6.5, 2012, with epsilon inside the root; `centered`: Graves, 2013; with `momentum` or not. */
export function rmspropRule(variant: string): StepRule {
  const centered = variant.includes('centered');
  const momentum = variant.includes('momentum');
  return {
    statements: `
      velocity = params.rho * velocity + params.rest * g_squared;
      ${centered ? 'average_gradient = params.rho * average_gradient + params.rest * g;' : ''}
      let spread = velocity ${centered ? '- average_gradient * average_gradient ' : ''}+ params.epsilon;
      let increment = params.rate * g / sqrt(spread);
      ${momentum ? 'momentum = params.momentum * momentum + increment;' : ''}
      value -= ${momentum ? 'momentum' : 'increment'};`,
  };
}

/** Duchi, Hazan and Singer, 2011, with epsilon inside the root. */
export function adagradRule(): StepRule {
  return {
    statements: `
      accumulator += g_squared;
      value -= params.rate * g / sqrt(accumulator + params.epsilon);`,
  };
}

/** Zeiler, 2012, with a learning rate. */
export function adadeltaRule(): StepRule {
  return {
    statements: `
      accumulated_grad = params.rho * accumulated_grad + params.rest * g_squared;
      let moved = accumulated_delta_var + params.epsilon;
      let spread = accumulated_grad + params.epsilon;
      let delta = -(sqrt(moved) * g / sqrt(spread));
      accumulated_delta_var = params.rho * accumulated_delta_var + params.rest * (moved * g_squared / spread);
      value += params.rate * delta;`,
  };
}

/** Chen et al., Symbolic discovery of optimization algorithms, 2023. */
export function lionRule(): StepRule {
  return {
    functions: `
fn sign_of(x: f32) -> f32 {
  return select(sign(x), x, ${isNan('x')});
}`,
    statements: `
      let blend = momentum * params.beta_1 + g * params.rest_1;
      value -= params.rate * vec4<f32>(sign_of(blend.x), sign_of(blend.y), sign_of(blend.z), sign_of(blend.w));
      momentum = momentum * params.beta_2 + g * params.rest_2;`,
  };
}

/**
 * McMahan et al., Ad click prediction, KDD 2013, with the shrinkage and beta of Keras. `power` is the negative of the
 * learning rate's power, variant `root` the case 1/2; accumulators are at least 0.
 */
export function ftrlRule(variant: string): StepRule {
  const raised = (x: string) =>
    variant === 'root'
      ? `sqrt(${x})`
      : `vec4<f32>(${['x', 'y', 'z', 'w'].map((c) => precisePow(`${x}.${c}`, 'params.power')).join(', ')})`;
  return {
    statements: `
      let accumulated = accumulator + g_squared;
      let raised = ${raised('accumulated')};
      linear += g + params.shrinkage * value - (raised - ${raised('accumulator')}) / params.rate * value;
      let quadratic = raised / params.rate + params.twice_l2;
      value = (clamp(linear, vec4<f32>(-params.l1), vec4<f32>(params.l1)) - linear) / quadratic;
      accumulator = accumulated;`,
  };
}
