/**
 * @file Summaries: a model's layers, shapes and parameters in Keras's table.
 */
import { roundHalfEven } from '../../core/integers.ts';
import { bytesPerElement, type DType } from '../../core/dtype.ts';
import { ValueError } from '../../core/errors.ts';
import type { OptionNames } from '../../core/options.ts';
import { describe, type OpenShape } from '../../core/shape.ts';
import type { KerasTensor } from '../graph/kerasTensor.ts';
import { type GraphNode, type GraphOperation, nodeOf } from '../graph/graphNode.ts';
import { classOfCall } from '../graph/opNames.ts';
import { OpOperation } from '../graph/opOperation.ts';
import type { GraphProgram } from '../graph/program.ts';
import { type AnyLayer, Layer } from '../layers/base/layer.ts';
import { weightsIn } from '../layers/quantized/narrowMatrix.ts';
import { kerasClassName } from '../names.ts';
import { mapShapes, type Nest } from '../tensorNest.ts';
import { drawTable } from './textTable.ts';

/** Options of `model.summary`. */
export interface SummaryOptions {
  /**
   * Characters per line. Default: 88, 108 with connections, 12 more with `showTrainable`; at most the terminal's width minus 4.
   */
  lineLength?: number;
  /** Where columns end, as fractions of a line. Default: [0.45, 0.8, 1], with connections [0.3, 0.56, 0.74, 1]. */
  positions?: readonly number[];
  /** Called with the text. Default: prints to the console. */
  print?: (text: string) => void;
  /** Whether layers of models inside are listed, too. Default false. */
  expandNested?: boolean;
  /** Whether to add a column that shows which layers are trainable. Default false. */
  showTrainable?: boolean;
  /** Patterns of the names of the first and the last layer that are listed. Default: all. */
  layerRange?: readonly [string, string];
}

export const summaryOptionNames: OptionNames<SummaryOptions> = {
  lineLength: false,
  positions: false,
  print: false,
  expandNested: false,
  showTrainable: false,
  layerRange: false,
};

/** Values that are counted: a weight or a variable. */
interface Counted {
  readonly size: number;
  readonly dtype: DType;
}

/** The part of a model that a summary uses. */
export interface Summarized {
  readonly name: string;
  readonly className: string;
  readonly program: GraphProgram | null;
  readonly layers: readonly AnyLayer[];
  readonly trainableWeights: readonly Counted[];
  readonly nonTrainableWeights: readonly Counted[];
  /** The optimizer of a compiled model. */
  readonly optimizer?: { readonly built: boolean; readonly variables: readonly Counted[] } | null;
}

/** Something that has a row: a layer, or an op in a graph. */
type Listed = AnyLayer | GraphOperation;

/** Formats a model's summary. Errors: ValueError for invalid options. */
export function summarize(model: Summarized, options: SummaryOptions = {}): string {
  const { expandNested = false, showTrainable = false, layerRange } = options;
  const graph = model.className === 'Sequential' ? null : model.program;
  const connected = graph !== null && !isRow(graph, model.layers);
  const positions = [...(options.positions ?? (connected ? [0.3, 0.56, 0.74, 1] : [0.45, 0.8, 1]))];
  const usual = (connected ? 108 : 88) + (showTrainable ? 12 : 0);
  const lineLength = options.lineLength ?? Math.min(usual, terminalWidth() - 4);
  const headers = ['Layer (type)', 'Output Shape', 'Param #', ...(connected ? ['Connected to'] : [])];
  const justify: ('left' | 'right' | 'center')[] = ['left', 'left', 'right', 'left'].slice(
    0,
    headers.length,
  ) as never;
  const ends = showTrainable ? [...positions.map((position) => position * 0.9), 1] : positions;
  if (showTrainable) {
    headers.push('Trainable');
    justify[headers.length - 1] = 'center';
  }
  const widths = columnWidths(ends, headers.length, lineLength);
  const relevant = new Set(graph ? [...graph.nodesByDepth.values()].flat() : []);
  const rowsOf = (listed: Listed, level: number): string[][] => {
    const fields = [
      `${level > 0 ? `${'   '.repeat(level)}└ ` : ''}${listed.name} (${classOf(listed)})`,
      shapeOf(listed),
      parametersOf(listed),
      ...(connected ? [connectionsOf(listed, relevant)] : []),
      ...(showTrainable ? [trainableOf(listed)] : []),
    ];
    const inside = expandNested ? ((listed as { layers?: readonly AnyLayer[] }).layers ?? []) : [];
    return [fields, ...inside.flatMap((inner) => rowsOf(inner, level + 1))];
  };
  const listed = within(graph ? graph.operations : model.layers, layerRange);
  const table = drawTable(
    headers.map((header, i) => ({ header, justify: justify[i] ?? 'left', width: widths[i] as number })),
    listed.flatMap((layer) => rowsOf(layer, 0)),
    lineLength,
  );
  return [`Model: "${model.name}"`, ...table, ...totals(model)].join('\n');
}

/** Returns whether the graph is a linear chain of calls, so that connections need not be shown. */
function isRow(graph: GraphProgram, layers: readonly AnyLayer[]): boolean {
  const nodes = new Set<GraphNode>();
  for (const level of graph.nodesByDepth.values()) {
    const [node] = level;
    if (level.length !== 1 || !node || node.inputTensors.length > 1) return false;
    nodes.add(node);
  }
  return layers.every(({ inboundNodes }) => inboundNodes.filter((node) => nodes.has(node)).length <= 1);
}

function columnWidths(ends: readonly number[], count: number, lineLength: number): number[] {
  let start = 0;
  const widths = ends.map((end) => {
    const width = Math.trunc(end * lineLength) - start;
    start += width;
    return width;
  });
  if (widths.length === count && widths.every((width) => width >= 4)) return widths;
  throw new ValueError({
    op: 'summary',
    rule: `\`positions\` must give the end of each of ${count} columns, and each column needs at least 4 characters.`,
    received: `positions: ${describe(ends)}, lineLength: ${describe(lineLength)}`,
    hint: 'leave them out, or pass a larger lineLength.',
  });
}

/** Returns the number of columns of the terminal; 80 if there is none, as in Python. */
function terminalWidth(): number {
  const { process } = globalThis as { process?: { stdout?: { columns?: number } } };
  return process?.stdout?.columns || 80;
}

function classOf(listed: Listed): string {
  if (listed instanceof OpOperation) return classOfCall(listed.definition.name, listed.name);
  return kerasClassName(listed.className);
}

function shapeOf(listed: Listed): string {
  const node = listed.inboundNodes.at(-1);
  if (node) return joined(node.outputTensors.map(({ shape }) => formatSizes(shape)));
  if (!(listed instanceof Layer) || !listed.buildShape) return '?';
  try {
    const shapes: OpenShape[] = [];
    mapShapes(listed.computeOutputShape(listed.buildShape) as Nest<OpenShape>, (shape) => shapes.push(shape));
    return joined(shapes.map(formatSizes));
  } catch {
    return '?';
  }
}

function joined(shapes: readonly string[]): string {
  return shapes.length === 1 ? (shapes[0] as string) : `[${shapes.join(', ')}]`;
}

/** As Python writes a tuple in Keras's table. */
function formatSizes(shape: OpenShape): string {
  return `(${shape.map((size) => size ?? 'None').join(', ')})`;
}

function parametersOf(listed: Listed): string {
  if (!(listed instanceof Layer)) return '0';
  return listed.built ? thousands(listed.countParams()) : '0 (unbuilt)';
}

function connectionsOf({ inboundNodes }: Listed, relevant: ReadonlySet<GraphNode>): string {
  const sources = inboundNodes
    .filter((node) => relevant.has(node))
    .flatMap((node) => node.inputTensors.map(nameSource));
  return sources.join(', ') || '-';
}

function nameSource(tensor: KerasTensor): string {
  const { operation, nodeIndex, tensorIndex } = tensor.kerasHistory ?? {};
  return `${operation?.name ?? nodeOf(tensor)?.operation.name}[${nodeIndex}][${tensorIndex}]`;
}

function trainableOf(listed: Listed): string {
  if (!(listed instanceof Layer) || listed.weights.length === 0) return '-';
  return listed.trainable ? 'Y' : 'N';
}

/** Returns the layers between those whose names match. */
function within(layers: readonly Listed[], range: readonly [string, string] | undefined): readonly Listed[] {
  if (range === undefined) return layers;
  const isRange =
    Array.isArray(range) && range.length === 2 && range.every((name) => typeof name === 'string');
  const places = (pattern: string) =>
    layers.flatMap(({ name }, i) => (new RegExp(`^(?:${pattern})`).test(name) ? [i] : []));
  const [first, last] = isRange ? range.map(places) : [];
  if (!first?.length || !last?.length) {
    throw new ValueError({
      op: 'summary',
      rule: '`layerRange` must be two patterns, each matching the start of a layer name.',
      received: `layerRange: ${describe(range)}`,
      hint: `the layers are ${layers.map(({ name }) => `'${name}'`).join(', ')}.`,
    });
  }
  if (Math.min(...first) > Math.max(...last)) return layers.slice(Math.min(...last), Math.max(...first) + 1);
  return layers.slice(Math.min(...first), Math.max(...last) + 1);
}

function totals({ trainableWeights, nonTrainableWeights, optimizer }: Summarized): string[] {
  const trained = measure(trainableWeights);
  const others = measure(nonTrainableWeights);
  const moved = optimizer?.built ? measure(optimizer.variables) : null;
  const all = [trained, others, ...(moved ? [moved] : [])];
  const total = {
    count: all.reduce((sum, { count }) => sum + count, 0),
    bytes: all.reduce((sum, { bytes }) => sum + bytes, 0),
  };
  const line = (what: string, { count, bytes }: typeof total) =>
    ` ${what} params: ${thousands(count)} (${readable(bytes)})`;
  return [
    line('Total', total),
    line('Trainable', trained),
    line('Non-trainable', others),
    ...(moved ? [line('Optimizer', moved)] : []),
  ];
}

function measure(weights: readonly Counted[]) {
  return {
    count: weights.reduce((sum, weight) => sum + weightsIn(weight), 0),
    bytes: weights.reduce((sum, { size, dtype }) => sum + size * bytesInKeras(dtype), 0),
  };
}

/** Keras stores integers (a batch count, an optimizer's step) in 64 bits, and bools in one byte. */
function bytesInKeras(dtype: DType): number {
  if (dtype === 'int32') return 8;
  return dtype === 'bool' ? 1 : bytesPerElement(dtype);
}

function thousands(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** Bytes in the unit that keeps them below 1024, with two decimals, rounded as Python rounds. */
function readable(bytes: number): string {
  const units = ['B', 'KB', 'MB', 'GB', 'TB', 'PB'];
  let unit = 0;
  let size = bytes;
  for (; size >= 1024 && unit < units.length - 1; unit++) size /= 1024;
  return `${(roundHalfEven(size * 100) / 100).toFixed(2)} ${units[unit]}`;
}
