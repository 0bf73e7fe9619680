/** @file A deep Q-network in a corridor of six cells: it learns to walk right, with replay memory and a target network. */
import {
  argMax,
  GradientTape,
  add,
  gather,
  init,
  max,
  mean,
  mul,
  setRandomSeed,
  square,
  sub,
  tensor,
  tidy,
} from 'retrograd';
import { layers, optimizers, sequential } from 'retrograd/keras';

const cells = 6;
const actions = 2; // left, right
const discount = 0.9;

interface Transition {
  state: number[];
  action: number;
  reward: number;
  next: number[];
  isDone: boolean;
}

/** A state is a one-hot vector of the cell. */
const stateOf = (cell: number) => Array.from({ length: cells }, (_, i) => Number(i === cell));

function network() {
  return sequential([
    layers.inputLayer({ shape: [cells] }),
    layers.dense({ units: 16, activation: 'relu' }),
    layers.dense({ units: actions }),
  ]);
}

export async function run(print: (line: string) => void) {
  await init();
  setRandomSeed(13);
  let random = 1;
  const next = () => {
    random = (random * 48271) % 2147483647;
    return random / 2147483647;
  };
  const online = network();
  const target = network();
  const optimizer = optimizers.adam({ learningRate: 0.02 });
  const memory: Transition[] = [];

  /** One step of gradient descent on the temporal difference of a batch from memory. */
  function learn(batch: Transition[]) {
    tidy(() => {
      const states = tensor(batch.map(({ state }) => state));
      const nextStates = tensor(batch.map((transition) => transition.next));
      const taken = tensor(
        batch.map(({ action }) => action),
        { dtype: 'int32' },
      );
      const rewards = tensor(batch.map(({ reward }) => reward));
      const goesOn = tensor(batch.map(({ isDone }) => Number(!isDone)));
      const future = max(target.apply(nextStates), { axis: -1 });
      const wanted = add(rewards, mul(mul(future, goesOn), discount));

      const tape = new GradientTape();
      const values = gather(online.apply(states), taken, { axis: 1, batchDims: 1 });
      const loss = mean(square(sub(values, wanted)));
      optimizer.apply(tape.gradient(loss, online.trainableWeights), online.trainableWeights);
    });
  }

  for (let episode = 0; episode < 12; episode++) {
    let cell = 0;
    for (let step = 0; step < 20 && cell < cells - 1; step++) {
      const [best] = await argMax(online.apply(tensor([stateOf(cell)])), { axis: -1 }).data();
      const action = next() < 0.5 ? Math.floor(actions * next()) : best;
      const reached = Math.max(0, cell + (action === 1 ? 1 : -1));
      const isDone = reached === cells - 1;
      memory.push({ state: stateOf(cell), action, reward: Number(isDone), next: stateOf(reached), isDone });
      cell = reached;
    }
    for (let i = 0; i < 8; i++)
      learn(Array.from({ length: 16 }, () => memory[Math.floor(memory.length * next())]));
    target.setWeights(online.getWeights());
  }

  const everyState = tensor(Array.from({ length: cells - 1 }, (_, cell) => stateOf(cell)));
  const policy = await argMax(online.apply(everyState), { axis: -1 }).data();
  print(`policy: ${Array.from(policy, (action) => (action === 1 ? '→' : '←')).join(' ')}`);
  return { policy };
}
