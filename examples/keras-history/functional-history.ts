/**
 * @file Input → Dense → Dense: the history of every symbolic tensor, before `compile` and after it. Nothing changes: the
 * history belongs to the graph, and compiling adds a loss and an optimizer.
 */
import { init, lineage } from 'retrograd';
import { input, type KerasTensor, layers, model } from 'retrograd/keras';

/** `operation 'hidden', call 0, output 0`, as Keras writes a KerasHistory. */
function historyOf({ name, kerasHistory }: KerasTensor): string {
  if (!kerasHistory) return `${name}: none`;
  const { operation, nodeIndex, tensorIndex } = kerasHistory;
  return `${name}: operation '${operation.name}', node ${nodeIndex}, tensor ${tensorIndex}`;
}

export async function run(print: (line: string) => void): Promise<void> {
  await init();
  const features = input({ shape: [8], name: 'features' });
  const dense = layers.dense({ units: 8, activation: 'relu', name: 'hidden' });
  const hidden = dense.apply(features);
  const again = dense.apply(hidden);
  const score = layers.dense({ units: 1, name: 'score' }).apply(again);
  const net = model({ inputs: features, outputs: score, name: 'net' });
  const tensors = [features, hidden, again, score];

  print('Before compile:');
  const before = tensors.map(historyOf);
  for (const line of before) print(`  ${line}`);

  net.compile({ optimizer: 'sgd', loss: 'mse' });
  print('\nAfter compile:');
  const after = tensors.map(historyOf);
  for (const line of after) print(`  ${line}`);
  print(`\nUnchanged: ${before.every((line, i) => line === after[i])}`);

  print(`\n'hidden' was called twice, so it has ${dense.inboundNodes.length} nodes:`);
  for (const node of dense.inboundNodes) {
    const from = node.inputTensors.map(({ kerasHistory }) => `'${kerasHistory?.operation.name}'`);
    print(`  node ${node.index}: from ${from.join(', ')}`);
  }
  print(
    `Its input and output are those of the first call: ${dense.input === features}, ${dense.output === hidden}`,
  );

  print('\nThe lineage of the score, as Mermaid draws it:');
  print(lineage(score).toMermaid());

  print('\nWhat goes wrong: a layer that was never called has no output.');
  try {
    void layers.dense({ units: 2, name: 'alone' }).output;
  } catch (error) {
    print((error as Error).message);
  }
}
