/**
 * @file Why a model doesn't learn: a classifier whose hidden layer was initialized so that its relu is dead. One inspected
 * step reports it, with the affected weights; after the fix, the next step reports nothing.
 */
import { init, randomNormal, setRandomSeed, tensor } from 'retrograd';
import { compareSteps, inspect } from 'retrograd/inspect';
import { initializers, layers, sequential } from 'retrograd/keras';

function classifier(bias: number) {
  const biasInitializer = initializers.constant({ value: bias });
  const net = sequential([
    layers.dense({ units: 16, activation: 'relu', biasInitializer, name: 'hidden' }),
    layers.dense({ units: 3, activation: 'softmax', name: 'classes' }),
  ]);
  net.compile({ optimizer: 'adam', loss: 'sparseCategoricalCrossentropy' });
  return net;
}

export async function run(print: (line: string) => void) {
  await init();
  setRandomSeed(1);
  const x = randomNormal([32, 8]);
  const y = tensor(
    Array.from({ length: 32 }, (_, i) => i % 3),
    { dtype: 'int32' },
  );

  const broken = await inspect(classifier(-30), x, y);
  print(broken.summary());

  const repaired = await inspect(classifier(0), x, y);
  print(repaired.summary());

  // In Node: await broken.save('step.html'). In a page: await broken.show().
  const page = compareSteps(broken, repaired).html();
  return { kinds: broken.findings.map(({ kind }) => kind), after: repaired.findings.length, page };
}
