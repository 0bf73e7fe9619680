/** @file The programs of examples/keras-history, as `npm run example` runs them: each shows what it should. */
import { beforeAll, describe, expect, test } from 'vitest';
import { init } from '../../src/index.ts';

beforeAll(async () => {
  await init();
});

interface Example {
  run(print: (line: string) => void): Promise<void>;
}

const examples = import.meta.glob<Example>('../../examples/keras-history/*.ts');

async function output(name: string): Promise<string> {
  const load = examples[`../../examples/keras-history/${name}.ts`] as () => Promise<Example>;
  const lines: string[] = [];
  await (await load()).run((line) => lines.push(line));
  return lines.join('\n');
}

/** Returns the numbers that follow `label`. */
function numbersAfter(text: string, label: string): number[] {
  const [line = ''] = text.slice(text.indexOf(label) + label.length).split('\n');
  return [...line.matchAll(/\d+\.\d+/g)].map(Number);
}

describe('examples/keras-history', { timeout: 300_000 }, () => {
  const tested = new Set<string>();
  const example = (name: string, check: (text: string) => void) => {
    tested.add(name);
    test(name, async () => check(await output(name)));
  };

  example('sequential-classifier', (text) => {
    const [first, last] = numbersAfter(text, 'loss ') as [number, number];
    expect(last).toBeLessThan(first / 4);
    expect(numbersAfter(text, 'accuracy ')[0]).toBeGreaterThan(0.95);
    expect(text).toMatch(/float32\[1, 16\] has no history here \(fresh\): tensor\(\) made it from data/);
    expect(text).toMatch(/'features' has a history: output 0 of call 1 of 'features'/);
    expect(text).toMatch(/it holds the metrics of a training run/);
  });

  example('functional-history', (text) => {
    expect(text).toMatch(/operation 'hidden', node 1, tensor 0/);
    expect(text).toMatch(/Unchanged: true/);
    expect(text).toMatch(/'hidden' was called twice, so it has 2 nodes/);
    expect(text).toMatch(/flowchart TD/);
    expect(text).toMatch(/a layer has an output once it was called/);
  });

  example('ner-tagger', (text) => {
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

  example('fine-tune', (text) => {
    expect(text).toMatch(/319 weights/);
    const first = numbersAfter(text, 'epoch 1: loss ')[0] as number;
    expect(numbersAfter(text, 'epoch 6: loss ')[0]).toBeLessThan(first / 4);
    expect(text).toMatch(/kept: best\.safetensors/);
    expect(text).toMatch(/weights of the base that changed: 0 of 312/);
  });

  example('gather-in-a-layer', (text) => {
    expect(text).toMatch(/history: output 0 of call 1 of 'validated'/);
    expect(text.match(/gradient, by row: \[\[1,1\],\[0,0\],\[2,2\]\]/g)).toHaveLength(2);
    expect(text).toMatch(/index 7 at position \[0, 1\] of `indices` is outside \[0, 3\)/);
    expect(text).toMatch(/with index 7: \[\[\[1,1\],\[0,0\],\[1,1\]\]\], and no word of it/);
    expect(text).toMatch(/gradient: null/);
    expect(text).toMatch(/disconnected at freshTensor\(\)/);
  });

  example('perceptual-loss', (text) => {
    expect(text.match(/gradients equal to the last bit: true/g)).toHaveLength(3);
    expect(text).toMatch(/VGG19 is frozen/);
    const losses = numbersAfter(text, 'fitted with it: loss ');
    expect(losses.at(-1)).toBeLessThan((losses[0] as number) / 4);
  });

  example('part-of-this-graph', (text) => {
    expect(text).toMatch(/still there after dispose\(\): 14/);
    expect(text).toMatch(/captured: true, 1 launch a call/);
    expect(text).toMatch(/a symbolic tensor has no values/);
    expect(text).toMatch(/the model has 0 weights: fit doesn't train it/);
    expect(text).toMatch(/gradient 24/);
    const losses = numbersAfter(text, 'they come.\n  loss ');
    expect(losses.at(-1)).toBeLessThan(losses[0] as number);
    expect(text).toMatch(/a layer is called on tensors or symbolic tensors/);
  });

  example('layer-called-directly', (text) => {
    expect(text).toMatch(/float32\[1, 4\] has a history: output 0 of call 1 of 'hidden'/);
    expect(text).toMatch(/called again: output 0 of call 2 of 'hidden'/);
    expect(text).toMatch(/the symbolic output is unchanged: true/);
    expect(text).toMatch(
      /a Sequential has no history here \(fresh\): .*The metrics of training are in the History/,
    );
  });

  example('gather-layer-input', (text) => {
    for (const layer of ['validated', 'unchecked', 'masked']) {
      expect(text).toMatch(new RegExp(`history: output 0 of call 1 of '${layer}'`));
    }
    expect(text.match(/: \[\[3,1\],\[6,4\]\]/g)).toHaveLength(2);
    expect(text).toMatch(/masked: \[\[1,0,3\],\[4,0,6\]\]/);
    expect(text.match(/gradient of the input: \[\[1,0,1\],\[1,0,1\]\]/g)).toHaveLength(3);
    expect(text).toMatch(/IndexOutOfRangeError: gather: index 3 at position \[0\]/);
    expect(text).toMatch(/unchecked: \[\[0\],\[0\]\], and no error/);
  });

  example('constant-before-tape', (text) => {
    expect(text.match(/gradient null/g)).toHaveLength(2);
    expect(text).toMatch(/disconnected at 'mul'.*\n.*'mul' ran while this tape was not recording/);
    expect(text).toMatch(/disconnected at 'dense'.*\n.*'dense' ran while this tape was not recording/);
    expect(text).not.toMatch(/another tape/);
    expect(text).toMatch(/while the tape records: \[\[6,32\]\]/);
  });

  example('identity-lambdas', (text) => {
    expect(text).toMatch(/history of an output: score_out/);
    expect(text).toMatch(/the same as without: true/);
    expect(text).toMatch(/gradients equal to the last bit: true/);
  });

  example('compiled-constants', (text) => {
    expect(text).toMatch(/argument 5 \+ argument 2 \+ captured 10 = 17/);
    expect(text).toMatch(/scale 5, assigned outside: 15/);
    expect(text).toMatch(/counted by the function: 2/);
    expect(text).toMatch(/recordings: 1, replayed: true/);
  });

  example('two-graphs', (text) => {
    expect(text.match(/: GraphDisconnectedError: true/g)).toHaveLength(2);
    expect(text).toMatch(/'dense_a' needs, and which isn't computed from 'b'/);
    expect(text).toMatch(/reached from there: 'dense_a'/);
    expect(text).toMatch(/with both inputs: 5 layers/);
  });

  example('vgg-in-the-loss', (text) => {
    expect(text).toMatch(/creates 32 variables \(80\.1 MB\) at every call.*can't be replayed/);
    const losses = numbersAfter(text, 'build of a layer:\n  loss ');
    expect(losses.at(-1)).toBeLessThan(losses[0] as number);
    expect(text).toMatch(/weights that it keeps: 4, of them trainable: 0/);
  });

  example('features-at-256', (text) => {
    expect(text).toMatch(/12 of 19 layers/);
    expect(text).toMatch(/1 × 64 × 64 × 256, made by /);
    expect(text).toMatch(/1 × 32 × 32 × 512, made by /);
  });

  test('are all tested here', () => {
    const names = Object.keys(examples).map((file) => file.replace(/^.*\/|\.ts$/g, ''));
    expect(new Set(names)).toEqual(tested);
  });
});
