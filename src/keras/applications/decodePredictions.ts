/** @file The classes that a network finds most likely, with their names. */
import { FormatError, ShapeError, ValueError } from '../../core/errors.ts';
import { checkOptions, isPlainObject, type OptionNames } from '../../core/options.ts';
import { describe, requireInteger } from '../../core/shape.ts';
import { formatSpec } from '../../core/spec.ts';
import { topK } from '../../ops/sorting/topK.ts';
import { Tensor } from '../../tensor/tensor.ts';

/** Names by class: a list, or an object as in Keras's `imagenet_class_index.json`, of ids and names by index. */
export type ClassNames = readonly string[] | Readonly<Record<string, string | readonly [string, string]>>;

export interface DecodePredictionsOptions {
  /**
   * Names of the classes, or the URL of a JSON file with the names. Those of ImageNet are at
   * https://storage.googleapis.com/download.tensorflow.org/data/imagenet_class_index.json.
   */
  classNames: ClassNames | string | URL;
  /** Number of classes per image. Default 5, or all if there are fewer. */
  top?: number;
}

/** A class that a network found. */
export interface DecodedPrediction {
  /** Which of the network's outputs it is. */
  index: number;
  name: string;
  /** The id of the class, such as 'n02123045' of WordNet, if the class names have ids. */
  id?: string;
  score: number;
}

const optionNames: OptionNames<DecodePredictionsOptions> = { classNames: false, top: false };

/**
 * The most likely classes of each picture, in descending order. Shapes: predictions [batch, classes] → a list of `top`
 * classes for each picture.
 *
 *     const [best] = await applications.decodePredictions(net.apply(picture), { classNames: ['cat', 'dog'], top: 1 });
 *
 * Errors: ShapeError for predictions of another rank, and for more or fewer names than classes; ValueError for options;
 * FormatError for a file without class names.
 */
export async function decodePredictions(
  predictions: Tensor,
  options: DecodePredictionsOptions,
): Promise<DecodedPrediction[][]> {
  const op = 'decodePredictions';
  checkOptions(op, options, optionNames);
  const { top = 5 } = options;
  requireInteger(op, 'top', top, 1);
  requirePredictions(op, predictions);
  const classes = predictions.shape[1] as number;
  const names = namesOf(op, await readNames(op, options.classNames), predictions);
  const [values, indices] = topK(predictions, { k: Math.min(top, classes) });
  const scores = (await values.array()) as number[][];
  const places = (await indices.array()) as number[][];
  for (const tensor of [values, indices]) tensor.dispose();
  return places.map((row, picture) =>
    row.map((index, i) => ({
      ...(names[index] as Name),
      index,
      score: scores[picture]?.[i] as number,
    })),
  );
}

interface Name {
  name: string;
  id?: string;
}

async function readNames(op: string, given: DecodePredictionsOptions['classNames']): Promise<unknown> {
  if (typeof given !== 'string' && !(given instanceof URL)) return given;
  const response = await fetch(given);
  const text = response.ok ? await response.text() : '';
  try {
    return JSON.parse(text);
  } catch {
    throw new FormatError({
      op,
      rule: 'class names are a JSON file: a list of names, or an object of them by index.',
      received: `${given}: ${response.ok ? describe(text.slice(0, 40)) : `status ${response.status}`}`,
      hint: 'check the URL.',
    });
  }
}

/** Returns the names in order. Errors: ValueError for anything but names, ShapeError for another number of them. */
function namesOf(op: string, given: unknown, predictions: Tensor): Name[] {
  const classes = predictions.shape[1] as number;
  const count = Array.isArray(given) ? given.length : isPlainObject(given) ? Object.keys(given).length : null;
  if (count === null) throw notNames(op, given);
  if (count !== classes) {
    throw new ShapeError({
      op,
      rule: 'there is one name for each class.',
      received: `${count} names for predictions ${formatSpec(predictions)}`,
      hint: 'pass the names of the classes that the network was trained on.',
    });
  }
  return Array.from({ length: classes }, (_, i) => {
    const entry: unknown = (given as Record<number, unknown>)[i];
    if (typeof entry === 'string') return { name: entry };
    const [id, name] = Array.isArray(entry) ? entry : [];
    if (typeof id === 'string' && typeof name === 'string') return { id, name };
    throw notNames(op, entry);
  });
}

function notNames(op: string, received: unknown): ValueError {
  return new ValueError({
    op,
    rule: '`classNames` is a list of names, an object of [id, name] by index, or the URL of a JSON file of either.',
    received: describe(received),
    hint: "pass classNames: ['cat', 'dog'], in the order of the network's outputs.",
  });
}

function requirePredictions(op: string, predictions: unknown): asserts predictions is Tensor {
  const isTensor = predictions instanceof Tensor;
  if (isTensor && predictions.rank === 2 && predictions.shape[1] !== 0) return;
  throw new ShapeError({
    op,
    rule: 'predictions are a tensor [batch, classes].',
    received: isTensor ? formatSpec(predictions) : describe(predictions),
    hint: 'pass the output of a network with its top.',
  });
}
