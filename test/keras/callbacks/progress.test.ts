/** @file Progress bars in a terminal and in a page. */
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from 'vitest';
import { ValueError } from '../../../src/core/errors.ts';
import {
  type Callback,
  CallbackList,
  type Logs,
  PageProgress,
  pageProgress,
  ProgressBar,
  progressBar,
  type RunParams,
} from '../../../src/keras/callbacks/index.ts';
import { formatPace, formatRest, formatValue } from '../../../src/keras/callbacks/progress.ts';
import { StubModel } from './stub.ts';

/** Runs `epochs` of `steps` batches that take `pace` milliseconds each, with logs that are available at once. */
async function run(
  make: (now: () => number) => Callback,
  given: Partial<RunParams> & { epochs: number },
  { steps = 4, pace = 250, epochLogs = { loss: 0.5 } as Logs } = {},
): Promise<void> {
  let time = 0;
  const params: RunParams = { steps, verbose: 1, ...given };
  const callback = make(() => time);
  const list = new CallbackList(callback, { model: new StubModel(), params });
  await list.onTrainBegin();
  for (let epoch = 0; epoch < params.epochs; epoch++) {
    await list.onEpochBegin(epoch);
    for (let batch = 0; batch < steps; batch++) {
      time += pace;
      callback.onTrainBatchEnd(batch, { loss: 1 / (batch + 1) });
    }
    await list.onTestBegin();
    callback.onTestBatchEnd(0, { loss: 9 });
    await list.onTestEnd({ loss: 9 });
    await list.onEpochEnd(epoch, epochLogs);
  }
  await list.onTrainEnd();
  list.release();
}

/** Returns the content of the screen: carriage returns overwrite, colours are left out. */
function screen(text: string): string {
  return stripVTControlCharacters(text)
    .split('\n')
    .map((line) => line.split('\r').at(-1)?.trimEnd())
    .join('\n');
}

describe('ProgressBar', () => {
  test('overwrites its line, in the style of Keras', async () => {
    const written: string[] = [];
    await run(
      (now) => progressBar({ write: (text) => written.push(text), dynamic: true, interval: 0, now }),
      {
        epochs: 1,
      },
    );
    const green = (n: number) => (n ? `\u001b[32m${'━'.repeat(n)}\u001b[0m` : '');
    const grey = (n: number) => `\u001b[37m${'━'.repeat(n)}\u001b[0m`;
    expect(written.slice(0, 2)).toEqual([
      `\r\u001b[1m1/4\u001b[0m ${green(5)}${grey(15)} \u001b[1m0s\u001b[0m 250ms/step - loss: 1.0000`,
      `\r\u001b[1m2/4\u001b[0m ${green(10)}${grey(10)} \u001b[1m0s\u001b[0m 250ms/step - loss: 0.5000`,
    ]);
    expect(screen(written.join(''))).toBe('4/4 ━━━━━━━━━━━━━━━━━━━━ 1s 250ms/step - loss: 0.5000\n');
  });

  test('shows epochs if there are several, and aligns counts', async () => {
    let text = '';
    const write = (piece: string) => {
      text += piece;
    };
    await run((now) => progressBar({ write, dynamic: true, now }), { epochs: 2 }, { steps: 12, pace: 2000 });
    expect(screen(text)).toBe(
      [
        'Epoch 1/2',
        '12/12 ━━━━━━━━━━━━━━━━━━━━ 24s 2s/step - loss: 0.5000',
        'Epoch 2/2',
        '12/12 ━━━━━━━━━━━━━━━━━━━━ 24s 2s/step - loss: 0.5000',
        '',
      ].join('\n'),
    );
    expect(text).toContain('\u001b[1m 3/12\u001b[0m');
    expect(text).toContain('\u001b[1m18s\u001b[0m'); // The remaining time after the third.
  });

  test('clears a longer line', async () => {
    const written: string[] = [];
    await run(
      (now) => progressBar({ write: (text) => written.push(text), dynamic: true, interval: 0, now }),
      { epochs: 1 },
      { epochLogs: {} },
    );
    expect(written.at(-2)).toMatch(/step {15}$/);
  });

  test('one line per epoch, if lines cannot be overwritten or verbose is 2', async () => {
    for (const [verbose, dynamic] of [
      [1, false],
      [2, true],
    ] as const) {
      let text = '';
      const write = (piece: string) => {
        text += piece;
      };
      await run((now) => progressBar({ write, dynamic, now }), { epochs: 2, verbose });
      expect(text).toBe(
        'Epoch 1/2\n4/4 - 1s - 250ms/step - loss: 0.5000\nEpoch 2/2\n4/4 - 1s - 250ms/step - loss: 0.5000\n',
      );
    }
  });

  test('is silent if verbose is 0', async () => {
    const written: string[] = [];
    await run((now) => progressBar({ write: (text) => written.push(text), now }), { epochs: 2, verbose: 0 });
    expect(written).toEqual([]);
  });

  test('updates no more often than its interval', async () => {
    const written: string[] = [];
    await run(
      (now) => progressBar({ write: (text) => written.push(text), dynamic: true, interval: 600, now }),
      { epochs: 1 },
    );
    expect(written.length).toBe(4); // The first and the fourth batch, the end, and its line end.
  });

  test('counts steps whose number is not known', async () => {
    const written: string[] = [];
    await run(
      (now) => progressBar({ write: (text) => written.push(text), dynamic: true, interval: 0, now }),
      { epochs: 1, steps: null },
    );
    expect(screen(written[0] as string)).toBe('      1/Unknown 0s 250ms/step - loss: 1.0000');
    expect(screen(written.join(''))).toMatch(/^4\/4 ━+ 1s 250ms/);
  });

  test('evaluation and predictions by themselves', async () => {
    let text = '';
    const callback = progressBar({
      write: (piece) => {
        text += piece;
      },
      dynamic: false,
      now: () => 0,
    });
    const params: RunParams = { epochs: 1, steps: 2, verbose: 1 };
    const list = new CallbackList(callback, { model: new StubModel(), params });
    await list.onTestBegin();
    await list.onTestBatchEnd(0, async () => ({}));
    await list.onTestBatchEnd(1, async () => ({}));
    await list.onTestEnd({ loss: 2 });
    await list.onPredictBegin();
    await list.onPredictBatchEnd(0);
    await list.onPredictBatchEnd(1);
    await list.onPredictEnd();
    expect(text).toBe('2/2 - 0s - 0s/step - loss: 2.0000\n2/2 - 0s - 0s/step\n');
  });

  test('a run that fails leaves its line', async () => {
    const written: string[] = [];
    const bar = new ProgressBar({
      write: (text) => written.push(text),
      dynamic: true,
      interval: 0,
      now: () => 0,
    });
    const params: RunParams = { epochs: 1, steps: 2, verbose: 1 };
    const list = new CallbackList(bar, { model: new StubModel(), params });
    await list.onTrainBegin();
    await list.onEpochBegin(0);
    bar.onTrainBatchEnd(0, {});
    list.release();
    expect(written.at(-1)).toBe('\n');
  });

  test.each([{ interval: -1 }, { dynamic: 'yes' }, { colour: true }])('rejects %j', (options) => {
    expect(() => progressBar(options as never)).toThrow(ValueError);
  });
});

/** The parts of an element that a progress bar needs. */
class StubElement {
  children: StubElement[] = [];
  readonly attributes = new Set<string>();
  max = 1;
  #value: number | string = '';
  readonly ownerDocument = { createElement: (tag: string) => new StubElement(tag) };
  constructor(readonly tag: string) {}
  get value(): number | string {
    return this.#value;
  }
  set value(value: number | string) {
    this.#value = value;
    this.attributes.add('value');
  }
  removeAttribute(name: string): void {
    this.attributes.delete(name);
  }
  replaceChildren(...children: StubElement[]): void {
    this.children = children;
  }
}

describe('PageProgress', () => {
  test('fills its element with a bar and a line', async () => {
    const element = new StubElement('div');
    element.replaceChildren(new StubElement('p'));
    const seen: string[] = [];
    await run(
      (now) => {
        const progress = pageProgress({ element: element as never, interval: 0, now });
        const { onTrainBatchEnd } = progress;
        progress.onTrainBatchEnd = (batch, logs) => {
          onTrainBatchEnd.call(progress, batch, logs);
          seen.push(
            `${element.children[0]?.value}/${element.children[0]?.max} ${element.children[1]?.value}`,
          );
        };
        return progress;
      },
      { epochs: 2 },
    );
    expect(element.children.map(({ tag }) => tag)).toEqual(['progress', 'output']);
    expect(seen[1]).toBe('2/4 Epoch 1/2 · 2/4 · 250ms/step · 0s left · loss 0.5000');
    expect(element.children[1]?.value).toBe('Epoch 2/2 · 4/4 · 250ms/step · loss 0.5000');
    expect(element.children[0]?.value).toBe(4);
  });

  test('an unknown number of steps is a bar without a value', async () => {
    const element = new StubElement('div');
    await run(
      (now) => {
        const progress = new PageProgress({ element: element as never, interval: 0, now });
        const { onTrainBatchEnd } = progress;
        progress.onTrainBatchEnd = (batch, logs) => {
          onTrainBatchEnd.call(progress, batch, logs);
          expect(element.children[0]?.attributes.has('value')).toBe(false);
          expect(element.children[1]?.value).toMatch(/^\d\/\? · 250ms/);
        };
        return progress;
      },
      { epochs: 1, steps: null },
    );
    expect(element.children[1]?.value).toBe('4/4 · 250ms/step · loss 0.5000');
  });

  test.each([
    [{}],
    [{ element: null }],
    [{ element: '#id' }],
    [{ element: new StubElement('div'), interval: -1 }],
  ])('rejects %j', (options) => {
    expect(() => pageProgress(options as never)).toThrow(ValueError);
  });
});

test('numbers as progress shows them', () => {
  expect([1.5, 0.001, 0.00012345, 0, -2, Number.NaN, Number.NEGATIVE_INFINITY].map(formatValue)).toEqual([
    '1.5000',
    '1.0000e-03',
    '1.2345e-04',
    '0.0000e+00',
    '-2.0000',
    'nan',
    '-inf',
  ]);
  expect([0, 0.25, 12, 1500].map((ms) => formatPace(ms))).toEqual([
    '0s/step',
    '250us/step',
    '12ms/step',
    '2s/step',
  ]);
  expect([999, 59_000, 61_000, 3_723_000].map(formatRest)).toEqual(['0s', '59s', '1:01', '1:02:03']);
});
