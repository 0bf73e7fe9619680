/** @file The scenes of examples/keras-history, as `npm run example` runs them: what each is there to show. */
import { beforeAll, describe, expect, test } from 'vitest';
import { init } from '../../src/index.ts';

beforeAll(async () => {
  await init();
});

interface Scene {
  run(print: (line: string) => void): Promise<void>;
}

const scenes = import.meta.glob<Scene>('../../examples/keras-history/*.ts');

async function output(name: string): Promise<string> {
  const load = scenes[`../../examples/keras-history/${name}.ts`] as () => Promise<Scene>;
  const lines: string[] = [];
  await (await load()).run((line) => lines.push(line));
  return lines.join('\n');
}

/** The numbers that follow `label`. */
function numbersAfter(text: string, label: string): number[] {
  const [line = ''] = text.slice(text.indexOf(label) + label.length).split('\n');
  return [...line.matchAll(/\d+\.\d+/g)].map(Number);
}

describe('examples/keras-history', { timeout: 300_000 }, () => {
  const tested = new Set<string>();
  const scene = (name: string, check: (text: string) => void) => {
    tested.add(name);
    test(name, async () => check(await output(name)));
  };

  scene('sequential-classifier', (text) => {
    const [first, last] = numbersAfter(text, 'loss ') as [number, number];
    expect(last).toBeLessThan(first / 4);
    expect(numbersAfter(text, 'accuracy ')[0]).toBeGreaterThan(0.95);
    expect(text).toMatch(/float32\[1, 16\] has no history here \(fresh\): tensor\(\) made it from data/);
    expect(text).toMatch(/'features' has a history: output 0 of call 1 of 'features'/);
    expect(text).toMatch(/it holds the metrics of a training run/);
  });

  scene('functional-history', (text) => {
    expect(text).toMatch(/operation 'hidden', node 1, tensor 0/);
    expect(text).toMatch(/Unchanged: true/);
    expect(text).toMatch(/'hidden' was called twice, so it has 2 nodes/);
    expect(text).toMatch(/flowchart TD/);
    expect(text).toMatch(/a layer has an output once it was called/);
  });

  scene('ner-tagger', (text) => {
    for (const kind of ['convolution_tagger', 'lstm_tagger']) {
      expect(numbersAfter(text, `${kind}: `).at(-1)).toBeGreaterThan(0.95);
    }
    expect(text).toMatch(/loaded again: 9 weights, equal: true/);
    expect(text).toMatch(/weights have no training history/);
    expect(text).toMatch(
      /The history was saved next to it: 12 epochs, of accuracy, loss, val_accuracy, val_loss/,
    );
    expect(text).toMatch(/ms\/other may\/person will\/other/);
    expect(text).toMatch(/index 18 at position \[0, 0\].*\n.*made by layer 'embedding/);
  });

  scene('fine-tune', (text) => {
    expect(text).toMatch(/319 weights/);
    const first = numbersAfter(text, 'epoch 1: loss ')[0] as number;
    expect(numbersAfter(text, 'epoch 6: loss ')[0]).toBeLessThan(first / 4);
    expect(text).toMatch(/kept: best\.safetensors/);
    expect(text).toMatch(/weights of the base that changed: 0 of 312/);
  });

  scene('gather-in-a-layer', (text) => {
    expect(text).toMatch(/history: output 0 of call 1 of 'validated'/);
    expect(text.match(/gradient, by row: \[\[1,1\],\[0,0\],\[2,2\]\]/g)).toHaveLength(2);
    expect(text).toMatch(/index 7 at position \[0, 1\] of `indices` is outside \[0, 3\)/);
    expect(text).toMatch(/with index 7: \[\[\[1,1\],\[0,0\],\[1,1\]\]\], and no word of it/);
    expect(text).toMatch(/gradient: null/);
    expect(text).toMatch(/disconnected at freshTensor\(\)/);
  });

  scene('perceptual-loss', (text) => {
    expect(text.match(/gradients equal to the last bit: true/g)).toHaveLength(3);
    expect(text).toMatch(/VGG19 is frozen/);
    const losses = numbersAfter(text, 'fitted with it: loss ');
    expect(losses.at(-1)).toBeLessThan((losses[0] as number) / 4);
  });

  scene('part-of-this-graph', (text) => {
    expect(text).toMatch(/still there after dispose\(\): 14/);
    expect(text).toMatch(/captured: true, 1 launch a call/);
    expect(text).toMatch(/a symbolic tensor has no values/);
    expect(text).toMatch(/the model has 0 weights: fit doesn't train it/);
    expect(text).toMatch(/gradient 24/);
    const losses = numbersAfter(text, 'they come.\n  loss ');
    expect(losses.at(-1)).toBeLessThan(losses[0] as number);
    expect(text).toMatch(/a layer is called on tensors or symbolic tensors/);
  });

  test('are all tested here', () => {
    const names = Object.keys(scenes).map((file) => file.replace(/^.*\/|\.ts$/g, ''));
    expect(new Set(names)).toEqual(tested);
  });
});
