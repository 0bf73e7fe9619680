/** @file The module `playground` for tests in Node: it records the outputs of a program, and sets its controls. */

import { Tensor } from '../../src/index.ts';

export const shown = {
  texts: [] as string[],
  curves: new Map<string, readonly (readonly [number, number])[]>(),
  pictures: 0,
  tables: [] as unknown[],
  bars: [] as { name: string; value: number }[],
};

/** Values of sliders and text fields by name, instead of their defaults. */
export const settings: { sliders: Record<string, number>; text?: string } = { sliders: {} };

let endings: (() => void)[] = [];

/** Ends a program, and clears its outputs. */
export function reset(): void {
  for (const ending of endings) ending();
  endings = [];
  settings.sliders = {};
  delete settings.text;
  shown.texts = [];
  shown.curves.clear();
  shown.pictures = 0;
  shown.tables = [];
  shown.bars = [];
}

function live<A extends readonly unknown[]>(show: (...args: A) => void) {
  return (...args: A) => {
    show(...args);
    return { update: show };
  };
}

export const text = live((words: unknown) => void shown.texts.push(String(words)));
export const status = text;
export const show = async (value: unknown) => {
  const isTensor = value instanceof Tensor;
  shown.texts.push(JSON.stringify(isTensor ? await value.array() : value));
};
export const table = live((rows: readonly unknown[]) => void shown.tables.push(rows));
export const pictures = live((all: readonly unknown[]) => {
  shown.pictures = all.length;
});
export const curves = live(
  (all: readonly { name: string; points: readonly (readonly [number, number])[] }[]) => {
    for (const { name, points } of all) shown.curves.set(name, [...points]);
  },
);
export const bars = live((all: readonly { name: string; value: number }[]) => {
  shown.bars = [...all];
});
export const sliders = (controls: Readonly<Record<string, { value: number }>>) =>
  Object.fromEntries(
    Object.entries(controls).map(([name, { value }]) => [name, settings.sliders[name] ?? value]),
  );
export const buttons = live(() => {});
export const picker = () => ({ file: null });
export const textField = ({ value }: { value: string }) => ({ value: settings.text ?? value });
export const drawing = ({ size }: { size: number }) => ({ pixels: new Float32Array(size * size) });
export const report = live((made: { summary(): string }) => void shown.texts.push(made.summary()));
export const onEnd = (ending: () => void) => void endings.push(ending);
