/** @file Actor-critic: one network with two heads, and a tape that stays open over an episode in which values are read. */
import { GradientTape, init, type Tensor, tensor } from 'retrograd';
import { input, layers, losses, model, ops, optimizers } from 'retrograd/keras';
import { CartPole } from './cart_pole.ts';
import { type Curves, numbers, setKernels, uniform } from './formula.ts';

const [gamma, episodes, maxSteps] = [0.99, 3, 12];
/** The distance from 1 to the next float32. */
const eps = 2 ** -23;
const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** Discounted sums of the rewards from each step on, with mean 0 and variance 1. */
function normalizedReturns(rewards: readonly number[]): number[] {
  let discounted = 0;
  const returns = rewards.toReversed().map((reward) => {
    discounted = reward + gamma * discounted;
    return discounted;
  });
  const average = mean(returns);
  const deviation = Math.sqrt(mean(returns.map((value) => (value - average) ** 2)));
  return returns.toReversed().map((value) => (value - average) / (deviation + eps));
}

export async function run(): Promise<Curves> {
  await init();
  const inputs = input({ shape: [4] });
  const common = layers.dense(16, 'relu').apply(inputs);
  const action = layers.dense(2, 'softmax').apply(common);
  const critic = layers.dense(1).apply(common);
  const net = model({ inputs, outputs: [action, critic] });
  setKernels(net);
  const optimizer = optimizers.adam({ learningRate: 0.01 });
  const huber = losses.huber();
  const draws = numbers(episodes * maxSteps, 5);
  const env = new CartPole();
  const curves = {
    loss: [] as number[],
    running: [] as number[],
    length: [] as number[],
    actions: [] as number[],
  };

  for (let episode = 0; episode < episodes; episode++) {
    let state = env.reset([...(await uniform([4], 10 + episode, -0.05, 0.05).data())]);
    const logProbabilities: Tensor[] = [];
    const values: Tensor[] = [];
    const rewards: number[] = [];
    using tape = new GradientTape();
    for (let step = 0; step < maxSteps; step++) {
      const [probabilities, value] = net.apply(tensor([state])) as [Tensor, Tensor];
      values.push(ops.squeeze(value));
      const [left] = await probabilities.data();
      const chosen = (draws.shift() as number) < (left as number) ? 0 : 1;
      logProbabilities.push(ops.log(ops.squeeze(ops.take(probabilities, chosen, { axis: 1 }))));
      const [next, reward, isDone] = env.step(chosen);
      state = next;
      rewards.push(reward);
      curves.actions.push(chosen);
      if (isDone) break;
    }
    const total = rewards.reduce((sum, reward) => sum + reward, 0);
    curves.running.push(0.05 * total + 0.95 * (curves.running.at(-1) ?? 0));

    const terms = normalizedReturns(rewards).flatMap((ret, i) => {
      const [logProbability, value] = [logProbabilities[i] as Tensor, values[i] as Tensor];
      const actorLoss = ops.multiply(ops.negative(logProbability), ops.subtract(ret, value));
      return [actorLoss, huber.call(ops.expandDims(value, { axis: 0 }), [ret])];
    });
    const loss = terms.reduce((sum, term) => ops.add(sum, term));
    optimizer.apply(tape.gradient(loss, net.trainableWeights), net.trainableWeights);
    curves.loss.push(await loss.item());
    curves.length.push(rewards.length);
  }
  return curves;
}
