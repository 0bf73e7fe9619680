/** @file What a visitor of the notebook does, for its test. */
import { PNG } from 'pngjs';
import { vi } from 'vitest';
import type { Page } from '../../../scripts/lib/browser.mjs';

export class Notebook {
  constructor(
    readonly page: Page,
    readonly errors: readonly string[],
  ) {}

  /** Until a cell has run. */
  async settled(cell: string): Promise<void> {
    await this.page.waitForFunction(
      (id) => {
        const cells = [...document.querySelectorAll<HTMLElement>('.cell')];
        const busy = cells.some(({ dataset }) => dataset.state === 'running' || dataset.state === 'waiting');
        const state = document.querySelector<HTMLElement>(id)?.dataset.state ?? '';
        return !busy && (state === 'done' || state === 'failed');
      },
      {},
      `#cell-${cell}`,
    );
  }

  /** Presses one of a cell's own buttons, `run`, `hint` or `revert`, and waits for it. */
  async run(cell: string, button: 'run' | 'fix' | 'revert' = 'run'): Promise<void> {
    await this.#rerun(cell, () => this.page.click(`#cell-${cell} .bar .${button}`));
  }

  async edit(cell: string, change: (source: string) => string, { wait = true } = {}): Promise<void> {
    const area = `#cell-${cell} textarea`;
    const source = change(await this.page.$eval(area, (element) => (element as HTMLTextAreaElement).value));
    await this.page.$eval(
      area,
      (element, text) => {
        (element as HTMLTextAreaElement).value = text;
        element.dispatchEvent(new Event('input'));
      },
      source,
    );
    const run = async () => {
      await this.page.focus(area);
      await this.page.keyboard.down('Shift');
      await this.page.keyboard.press('Enter');
      await this.page.keyboard.up('Shift');
    };
    if (wait) await this.#rerun(cell, run);
    else await run();
  }

  /** What a cell is at its end may be what it was before: a mark tells that it began. */
  async #rerun(cell: string, act: () => Promise<void>): Promise<void> {
    await this.page.$eval(`#cell-${cell}`, (element) => {
      (element as HTMLElement).dataset.state = 'waiting';
    });
    await act();
    await this.settled(cell);
  }

  text(selector: string): Promise<string> {
    return this.page.$eval(selector, (element) => (element as HTMLElement).innerText.trim());
  }

  focus(selector: string): Promise<void> {
    return this.page.$eval(selector, (element) => (element as HTMLElement | SVGElement).focus());
  }

  async press(cell: string, name: string): Promise<void> {
    await this.page.click(`#cell-${cell} .buttons button[name=${name}]`);
  }

  /** Stops a run, and takes it back to its start. */
  async reset(cell: string): Promise<void> {
    await this.press(cell, 'start');
    await this.press(cell, 'reset');
    await this.waitForText(cell, 'Back at the start.');
  }

  async label(cell: string, name: string, words: string): Promise<void> {
    await this.page.waitForFunction(
      (selector, text) => document.querySelector(selector)?.textContent === text,
      {},
      `#cell-${cell} .buttons button[name=${name}]`,
      words,
    );
  }

  async waitForText(cell: string, words: string, place = '.status'): Promise<void> {
    await this.page.waitForFunction(
      (selector, text) => document.querySelector(selector)?.textContent?.includes(text),
      {},
      `#cell-${cell} ${place}`,
      words,
    );
  }

  /** Moves a slider as a hand does: many values on the way, the last of them `value`. */
  async move(cell: string, name: string, value: number): Promise<void> {
    await this.page.$eval(
      `#cell-${cell} input[name=${name}]`,
      (input, to) => {
        (input as HTMLInputElement).value = String(to);
        input.dispatchEvent(new Event('input'));
      },
      value,
    );
  }

  /** Until a run has come to `step`. Throws what the cell reports if the run stops. */
  async step(cell: string, step: number): Promise<void> {
    const ended = await this.page.waitForFunction(
      (selector, wanted) => {
        const root = document.querySelector(selector) as HTMLElement;
        const shown = root.querySelector('.status span')?.textContent ?? '';
        if (shown.startsWith('Stopped')) return `${shown} ${root.querySelector('.fault')?.textContent}`;
        return Number(/^Step (\d+)/.exec(shown)?.[1] ?? 0) >= wanted;
      },
      {},
      `#cell-${cell}`,
      step,
    );
    const stopped = await ended.jsonValue();
    if (typeof stopped === 'string') throw new Error(stopped);
  }

  /** Does `act`, and waits until another run is shown: its curves begin at other losses. */
  async restarted(cell: string, act: () => Promise<void>): Promise<void> {
    const begins = () =>
      this.page.$$eval(`#cell-${cell} .curves .key`, (items) =>
        items.map(({ textContent }) => /([\d.e-]+) → /.exec(textContent ?? '')?.[1] ?? ''),
      );
    const before = await begins();
    await act();
    const isOther = (losses: string[]) =>
      losses.length > 0 && losses.every((loss, i) => loss !== '' && loss !== before[i]);
    await vi.waitUntil(async () => isOther(await begins()), { timeout: 120_000 });
  }

  async stepNow(cell: string): Promise<number> {
    return Number(/^Step (\d+)/.exec(await this.text(`#cell-${cell} .status span`))?.[1] ?? 0);
  }

  /** Until every curve, as its key says, has fallen to less than its start over `factor`. */
  async fallen(cell: string, factor = 1): Promise<void> {
    await this.page.waitForFunction(
      (selector, by) => {
        const keys = [...document.querySelectorAll(selector)].map((item) => item.textContent ?? '');
        return (
          keys.length > 0 &&
          keys.every((key) => {
            const [, first, last] = /([\d.e-]+) → ([\d.e-]+)$/.exec(key) ?? [];
            return Number(last) < Number(first) / by;
          })
        );
      },
      {},
      `#cell-${cell} .curves .key`,
      factor,
    );
  }

  /** Until the report of a step shows `words`. */
  async report(words: string): Promise<void> {
    await this.page.waitForFunction(
      (text) => document.querySelector('#cell-inside .report > div')?.shadowRoot?.textContent?.includes(text),
      {},
      words,
    );
  }

  pixels(cell: string, index: number): Promise<number[]> {
    return this.page.$$eval(
      `#cell-${cell} canvas`,
      (all, i) => {
        const { width, height } = all[i]!;
        return [...all[i]!.getContext('2d')!.getImageData(0, 0, width, height).data];
      },
      index,
    );
  }

  /** Drops a file on the place for one. */
  async drop(cell: string, name: string, bytes: Buffer): Promise<void> {
    await this.page.$eval(
      `#cell-${cell} .file`,
      (place, fileName, values) => {
        const dataTransfer = new DataTransfer();
        dataTransfer.items.add(new File([new Uint8Array(values)], fileName));
        place.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }));
      },
      name,
      [...bytes],
    );
  }

  /** Chooses a file by the button. */
  async choose(cell: string, name: string, bytes: Buffer): Promise<void> {
    await this.page.$eval(
      `#cell-${cell} .file input`,
      (input, fileName, values) => {
        const { files } = ((transfer: DataTransfer) => {
          transfer.items.add(new File([new Uint8Array(values)], fileName));
          return transfer;
        })(new DataTransfer());
        (input as HTMLInputElement).files = files;
        input.dispatchEvent(new Event('change'));
      },
      name,
      [...bytes],
    );
  }

  /**
   * Milliseconds that the longest task of the page's main thread computed during `act`. By the thread's own time: a task that
   * waits for a busy processor is none of the page's doing.
   */
  async longestTask(act: () => Promise<unknown>): Promise<number> {
    await this.page.tracing.start({ categories: ['toplevel'] });
    await act();
    const trace = new TextDecoder().decode(await this.page.tracing.stop());
    const { traceEvents } = JSON.parse(trace) as { traceEvents: TraceEvent[] };
    const mains = new Set(
      traceEvents
        .filter(({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain')
        .map(({ pid, tid }) => `${pid} ${tid}`),
    );
    const tasks = traceEvents.filter(
      ({ name, pid, tid, tdur }) =>
        name.endsWith('RunTask') && mains.has(`${pid} ${tid}`) && tdur !== undefined,
    );
    if (tasks.length < 20) throw new Error(`The trace has only ${tasks.length} tasks.`);
    return Math.max(...tasks.map(({ tdur }) => tdur as number)) / 1000;
  }
}

/** An event of Chromium's trace; times in microseconds, `tdur` by the thread's own clock. */
interface TraceEvent {
  name: string;
  pid: number;
  tid: number;
  tdur?: number;
  args: { name?: string };
}

/** A green square with a stripe. */
export function smallPicture(): Buffer {
  const png = new PNG({ width: 24, height: 16 });
  for (let i = 0; i < png.data.length; i += 4)
    png.data.set(i % 5 ? [20, 160, 60, 255] : [240, 240, 90, 255], i);
  return PNG.sync.write(png);
}

/** A safetensors file of convolutions, each by its name, channels in and channels out. */
export function weightsOf(convolutions: readonly (readonly [string, number, number])[]): Buffer {
  return safetensorsOf(
    convolutions.flatMap(([name, from, to]) => [
      [`vgg19/${name}/kernel`, [3, 3, from, to]],
      [`vgg19/${name}/bias`, [to]],
    ]),
  );
}

/** The same with the names and layouts of torchvision, of the first convolutions. */
export function torchWeightsOf(convolutions: readonly (readonly [number, number])[]): Buffer {
  return safetensorsOf(
    convolutions.flatMap(([from, to], i) => [
      [`features.${2 * i}.weight`, [to, from, 3, 3]],
      [`features.${2 * i}.bias`, [to]],
    ]),
  );
}

function safetensorsOf(tensors: readonly [name: string, shape: number[]][]): Buffer {
  const header: Record<string, { dtype: 'F32'; shape: number[]; data_offsets: [number, number] }> = {};
  let end = 0;
  const add = (name: string, shape: number[]) => {
    const bytes = 4 * shape.reduce((total, n) => total * n, 1);
    header[name] = { dtype: 'F32', shape, data_offsets: [end, end + bytes] };
    end += bytes;
  };
  for (const [name, shape] of tensors) add(name, shape);
  const text = Buffer.from(JSON.stringify(header));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(text.length));
  const values = Float32Array.from({ length: end / 4 }, (_, i) => Math.sin(i) / 20);
  return Buffer.concat([length, text, Buffer.from(values.buffer)]);
}
