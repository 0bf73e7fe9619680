/** @file Proximal policy optimization: an actor and a critic, each with a compiled training step, and advantages of trajectories. */
import { compile, GradientTape, init, type Tensor, tensor } from 'retrograd';
import { input, type KerasTensor, layers, model, ops, optimizers } from 'retrograd/keras';
import { CartPole } from './cart_pole.ts';
import { type Curves, numbers, setKernels, uniform } from './formula.ts';

const [gamma, lambda, clipRatio, targetKL] = [0.99, 0.97, 0.2, 0.002];
const [stepsPerEpoch, epochs, maxEpisode] = [24, 2, 10];
const [policyIterations, valueIterations, actionCount] = [8, 5, 2];
const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

function discountedCumulativeSums(x: readonly number[], discount: number): number[] {
  let total = 0;
  return x
    .toReversed()
    .map((value) => {
      total = value + discount * total;
      return total;
    })
    .toReversed();
}

/** What happened in an epoch, and the advantages and returns of its finished trajectories. */
class Buffer {
  readonly observations: number[][] = [];
  readonly actions: number[] = [];
  readonly rewards: number[] = [];
  readonly values: number[] = [];
  readonly logProbabilities: number[] = [];
  readonly advantages: number[] = [];
  readonly returns: number[] = [];
  #start = 0;

  finishTrajectory(lastValue: number): void {
    const rewards = [...this.rewards.slice(this.#start), lastValue];
    const values = [...this.values.slice(this.#start), lastValue];
    const deltas = rewards
      .slice(0, -1)
      .map((reward, i) => reward + gamma * (values[i + 1] as number) - (values[i] as number));
    this.advantages.push(...discountedCumulativeSums(deltas, gamma * lambda));
    this.returns.push(...discountedCumulativeSums(rewards, gamma).slice(0, -1));
    this.#start = this.rewards.length;
  }

  get() {
    const average = mean(this.advantages);
    const deviation = Math.sqrt(mean(this.advantages.map((value) => (value - average) ** 2)));
    return {
      observations: tensor(this.observations),
      actions: tensor(this.actions, { dtype: 'int32' }),
      advantages: tensor(this.advantages.map((value) => (value - average) / deviation)),
      returns: tensor(this.returns),
      old: tensor(this.logProbabilities),
    };
  }
}

function mlp(x: KerasTensor, sizes: readonly number[]): KerasTensor {
  const [last, ...hidden] = sizes.toReversed() as [number, ...number[]];
  for (const size of hidden.toReversed()) x = layers.dense({ units: size, activation: 'tanh' }).apply(x);
  return layers.dense({ units: last }).apply(x);
}

function logProbabilitiesOf(logits: Tensor, actions: Tensor): Tensor {
  return ops.sum(ops.multiply(ops.oneHot(actions, actionCount), ops.logSoftmax(logits)), { axis: 1 });
}

export async function run(): Promise<Curves> {
  await init();
  const observationInput = input({ shape: [4] });
  const actor = model({ inputs: observationInput, outputs: mlp(observationInput, [8, 8, actionCount]) });
  const value = ops.squeeze(mlp(observationInput, [8, 8, 1]), { axis: 1 });
  const critic = model({ inputs: observationInput, outputs: value });
  setKernels(actor, critic);
  const policyOptimizer = optimizers.adam({ learningRate: 0.003 });
  const valueOptimizer = optimizers.adam({ learningRate: 0.01 });

  const trainPolicy = compile((observations: Tensor, actions: Tensor, old: Tensor, advantages: Tensor) => {
    using tape = new GradientTape();
    const ratio = ops.exp(ops.subtract(logProbabilitiesOf(actor.apply(observations), actions), old));
    const limits = ops.where(ops.greater(advantages, 0), 1 + clipRatio, 1 - clipRatio);
    const limited = ops.multiply(limits, advantages);
    const loss = ops.negative(ops.mean(ops.minimum(ops.multiply(ratio, advantages), limited)));
    const weights = actor.trainableWeights;
    policyOptimizer.apply(tape.gradient(loss, weights), weights);
    const after = logProbabilitiesOf(actor.apply(observations), actions);
    return { kl: ops.mean(ops.subtract(old, after)), loss };
  });
  const trainValue = compile((observations: Tensor, returns: Tensor) => {
    using tape = new GradientTape();
    const loss = ops.mean(ops.square(ops.subtract(returns, critic.apply(observations))));
    valueOptimizer.apply(tape.gradient(loss, critic.trainableWeights), critic.trainableWeights);
    return loss;
  });

  const draws = numbers(epochs * stepsPerEpoch, 5);
  const starts = (await uniform([100, 4], 6, -0.05, 0.05).array()) as number[][];
  const env = new CartPole();
  const criticOf = async (observation: number[]) => await critic.apply(tensor([observation])).item();
  const curves: Curves = { value: [], iterations: [], actions: [], policy: [] };
  for (let epoch = 0; epoch < epochs; epoch++) {
    const buffer = new Buffer();
    let observation = env.reset(starts.shift() as number[]);
    let length = 0;
    for (let step = 0; step < stepsPerEpoch; step++) {
      const logits = actor.apply(tensor([observation]));
      const [left] = await ops.softmax(logits).data();
      const action = (draws.shift() as number) < (left as number) ? 0 : 1;
      const [logProbability] = await logProbabilitiesOf(logits, tensor([action], { dtype: 'int32' })).data();
      const [next, reward, isDone] = env.step(action);
      buffer.observations.push(observation);
      buffer.actions.push(action);
      buffer.rewards.push(reward);
      buffer.values.push(await criticOf(observation));
      buffer.logProbabilities.push(logProbability as number);
      curves.actions?.push(action);
      [observation, length] = [next, length + 1];
      if (!isDone && length < maxEpisode && step < stepsPerEpoch - 1) continue;
      buffer.finishTrajectory(isDone ? 0 : await criticOf(observation));
      [observation, length] = [env.reset(starts.shift() as number[]), 0];
    }
    const { observations, actions, advantages, returns, old } = buffer.get();
    let iterations = 0;
    let divergence = 0;
    while (iterations < policyIterations && divergence <= 1.5 * targetKL) {
      const { kl } = trainPolicy(observations, actions, old, advantages);
      divergence = await kl.item();
      iterations++;
    }
    curves.iterations?.push(iterations);
    for (let i = 0; i < valueIterations; i++)
      curves.value?.push(await trainValue(observations, returns).item());
    const policy = ops.softmax(actor.apply(ops.slice(observations, { begin: [0], size: [6] })));
    curves.policy = [...(await ops.take(policy, 0, { axis: 1 }).data())];
  }
  return curves;
}
