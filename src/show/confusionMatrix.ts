/** @file confusionMatrix: how often each class was taken for each other. */
import { describe } from '../core/describe.ts';
import { ShapeError, ValueError } from '../core/errors.ts';
import { checkOptions, type OptionNames } from '../core/options.ts';
import { Chart } from './chart.ts';
import { requireText, requireTexts } from './checks.ts';
import { lineColour } from './colour.ts';
import type { Markup } from './markup.ts';
import { drawMatrix } from './matrix.ts';

/** The classes of examples, by number from 0: the true ones and the predicted ones. */
export interface Classified {
  readonly labels: ArrayLike<number>;
  readonly predictions: ArrayLike<number>;
}

export interface ConfusionMatrixOptions {
  /** The names of the classes. Default: their numbers. */
  classes?: readonly string[];
  /** What the chart shows, for screen readers. Default 'Confusion matrix'. */
  title?: string;
}

const optionNames: OptionNames<ConfusionMatrixOptions> = { classes: false, title: false };

/**
 * A table of counts as a picture: a row for each true class, a column for each predicted one. The darker a cell, the larger its share of the row.
 *
 *     confusionMatrix({ labels: [0, 1, 1], predictions: [0, 1, 0] }, { classes: ['cat', 'dog'] })
 *
 * Errors: ShapeError if there aren't as many predictions as labels; ValueError for anything but classes by number, and for options.
 */
export function confusionMatrix(data: Classified, options: ConfusionMatrixOptions = {}): Chart<Classified> {
  const op = 'confusionMatrix';
  checkOptions(op, options, optionNames);
  const title = requireText(op, 'title', options.title ?? 'Confusion matrix');
  const classes = options.classes === undefined ? null : requireTexts(op, 'classes', options.classes);
  return new Chart(op, data, (given) => {
    const { counts, names } = countsOf(op, given, classes);
    return (width) => drawCounts(counts, names, title, width);
  });
}

/** More classes than a picture can show, and than a model usually has: probably values that aren't classes. */
const maxClasses = 1000;

function countsOf(
  op: string,
  data: Classified,
  classes: readonly string[] | null,
): { counts: number[][]; names: readonly string[] } {
  checkOptions(op, data, ['labels', 'predictions']);
  const labels = requireClasses(op, 'labels', data.labels, classes);
  const predictions = requireClasses(op, 'predictions', data.predictions, classes);
  if (labels.length !== predictions.length) {
    throw new ShapeError({
      op,
      rule: 'each label has a prediction.',
      received: `${labels.length} labels, ${predictions.length} predictions`,
      hint: 'pass both of the same examples.',
    });
  }
  const most = [...labels, ...predictions].reduce((max, one) => Math.max(max, one), 0);
  const names = classes ?? Array.from({ length: most + 1 }, (_, i) => String(i));
  const counts = names.map(() => names.map(() => 0));
  labels.forEach((actual, i) => {
    const row = counts[actual] as number[];
    const predicted = predictions[i] as number;
    row[predicted] = (row[predicted] as number) + 1;
  });
  return { counts, names };
}

function requireClasses(
  op: string,
  name: string,
  values: unknown,
  classes: readonly string[] | null,
): number[] {
  const isList = Array.isArray(values) || (ArrayBuffer.isView(values) && !(values instanceof DataView));
  const count = classes?.length ?? maxClasses;
  const list = isList ? Array.from(values as ArrayLike<unknown>) : [];
  const wrong = list.findIndex(
    (value) => !Number.isInteger(value) || (value as number) < 0 || (value as number) >= count,
  );
  if (isList && wrong < 0) return list as number[];
  throw new ValueError({
    op,
    rule: `\`${name}\` are the numbers of classes: integers from 0 to ${count - 1}.`,
    received: isList ? `${name}[${wrong}]: ${describe(list[wrong])}` : `${name}: ${describe(values)}`,
    hint: 'of a tensor of probabilities, pass await argMax(probabilities, { axis: -1 }).data().',
  });
}

function drawCounts(
  counts: readonly (readonly number[])[],
  names: readonly string[],
  title: string,
  width: number,
): Markup {
  const total = counts.flat().reduce((sum, count) => sum + count, 0);
  const right = counts.reduce((sum, row, i) => sum + (row[i] as number), 0);
  return drawMatrix({
    width,
    title,
    description: `${right} of ${total} right; ${mistakesText(counts, names)}`,
    rows: names,
    columns: names,
    rowWord: 'true ↓',
    columnWord: 'predicted →',
    cells: counts.map((row, i) => {
      const all = row.reduce((sum, count) => sum + count, 0);
      return row.map((count, j) => ({
        colour: lineColour(i === j ? 1 : 0),
        // A single example is seen, too.
        strength: count > 0 ? 0.12 + 0.88 * (count / all) : 0,
        text: String(count),
      }));
    }),
  });
}

/** The three most frequent mistakes. */
function mistakesText(counts: readonly (readonly number[])[], names: readonly string[]): string {
  const mistakes = counts.flatMap((row, i) =>
    row.flatMap((count, j) =>
      i !== j && count > 0 ? [{ count, text: `${names[i]} taken for ${names[j]}` }] : [],
    ),
  );
  const worst = mistakes.sort((a, b) => b.count - a.count).slice(0, 3);
  return worst.length > 0 ? worst.map(({ count, text }) => `${count} ${text}`).join(', ') : 'no mistakes';
}
