/**
 * @file What belongs to a graph, and what doesn't: an eager tensor inside a compiled function, a symbolic tensor that leaked
 * out of a model's definition, a variable outside the model inside a Lambda, and data that arrive later.
 */
import {
  add,
  compile,
  GradientTape,
  init,
  mul,
  square,
  sum,
  setRandomSeed,
  type Tensor,
  tensor,
  variable,
} from 'retrograd';
import { input, type KerasTensor, layers, model } from 'retrograd/keras';

export async function run(print: (line: string) => void): Promise<void> {
  await init();
  setRandomSeed(1);
  await capturedConstant(print);
  await leakedSymbol(print);
  await outsideVariable(print);
  await lateData(print);
}

async function capturedConstant(print: (line: string) => void): Promise<void> {
  print('An eager tensor captured in a compiled function is a constant of it:');
  const ten = tensor(10);
  using plusTen = compile((x: Tensor) => add(x, ten));
  for (const value of [1, 2, 3]) print(`  ${value} + 10 = ${await plusTen(tensor(value)).item()}`);
  ten.dispose();
  print(`  still there after dispose(): ${await plusTen(tensor(4)).item()}`);
  const [report] = plusTen.explain();
  print(`  captured: ${report?.captured}, ${report?.launches} launch a call`);
}

async function leakedSymbol(print: (line: string) => void): Promise<void> {
  print('\nA symbolic tensor that leaked out of a description has no values:');
  let leaked: KerasTensor | null = null;
  const x = input({ shape: [2], name: 'x' });
  const doubled = layers.lambda((value: Tensor) => {
    leaked = value as unknown as KerasTensor;
    return mul(value, 2);
  });
  model({ inputs: x, outputs: doubled.apply(x) });
  try {
    await (leaked as unknown as Tensor).data();
  } catch (error) {
    print(indented(error));
  }
}

async function outsideVariable(print: (line: string) => void): Promise<void> {
  print('\nA variable outside the model, used in a Lambda:');
  const scale = variable(tensor(3), { name: 'scale' });
  const x = input({ shape: [1] });
  const net = model({ inputs: x, outputs: layers.lambda((value) => mul(value, scale)).apply(x) });
  print(`  the model has ${net.trainableWeights.length} weights: fit doesn't train it`);
  using tape = new GradientTape();
  const loss = sum(square(net.apply(tensor([[2]]))));
  const gradient = tape.gradient(loss, scale);
  print(`  a tape does, when asked for it: gradient ${await gradient?.item()}`);
  print('  to have it trained, make it a weight of a layer of your own: addWeight(name, { shape })');
}

async function lateData(print: (line: string) => void): Promise<void> {
  print('\nData that arrive later: fit takes them as they come.');
  const x = input({ shape: [1] });
  const net = model({ inputs: x, outputs: layers.dense({ units: 1 }).apply(x) });
  net.compile({ optimizer: 'sgd', loss: 'mse' });
  async function* batches() {
    for (let i = 0; i < 20; i++) {
      await new Promise((resolve) => setTimeout(resolve, 1));
      yield [
        [[i / 10], [i / 20]],
        [[i / 5], [i / 10]],
      ] as [number[][], number[][]];
    }
  }
  const { history } = await net.fit(batches, null, { epochs: 2, verbose: 0 });
  print(`  loss ${history.loss?.map((loss) => (loss as number).toFixed(4)).join(' → ')}`);
  print('  what is not there yet cannot be a tensor:');
  try {
    net.apply(Promise.resolve(tensor([[1]])) as never);
  } catch (error) {
    print(indented(error));
  }
}

function indented(error: unknown): string {
  return `  ${(error as Error).message.replaceAll('\n', '\n  ')}`;
}
