/**
 * @file The Worker that runs cells. A cell is an ES module whose imports of other cells are its inputs; when it runs, the
 * cells that it needs run first if they haven't yet, and cells that used it run again.
 */
import * as retrograd from 'retrograd';
import * as inspect from 'retrograd/inspect';
import * as io from 'retrograd/io';
import * as keras from 'retrograd/keras';
import * as pictures from '../../perceptual-loss/picture.ts';
import * as vgg from '../../perceptual-loss/vgg.ts';
import type { Fault, Output, State, ToKernel, ToPage } from '../protocol.ts';
import { faultOf, PlainError } from './faults.ts';
import { graphOf } from './graph.ts';
import { importsOf, linked } from './imports.ts';
import { addressOfExports, addressOfText, importAddress } from './modules.ts';
import { CellOutputs } from './outputs.ts';
import { placedFault, placedOutput } from './places.ts';

const libraries: Record<string, string> = {
  retrograd: addressOfExports(retrograd),
  'retrograd/keras': addressOfExports(keras),
  'retrograd/io': addressOfExports(io),
  'retrograd/inspect': addressOfExports(inspect),
  pictures: addressOfExports(pictures),
  vgg: addressOfExports(vgg),
  graph: addressOfExports({ graphOf }),
};

interface Cell {
  source: string;
  state: State;
  address: string | undefined;
  outputs: CellOutputs | null;
  remembered: Record<string, unknown>;
}

const cells = new Map<string, Cell>();
const post = (message: ToPage) => postMessage(message);

function cellOf(name: string): Cell {
  const known = cells.get(name);
  if (known) return known;
  throw new PlainError(`There is no cell '${name}'. Cells: ${[...cells.keys()].join(', ')}.`);
}

/** A line of the cell whose module has this id. */
function placeName(module: string, line: number): string | undefined {
  const found = [...cells].find(([, { address }]) => address?.endsWith(module));
  return found && `${found[0]}.js:${line}`;
}

function setState(name: string, state: State, fault?: Fault): void {
  cellOf(name).state = state;
  post({ type: 'state', cell: name, state, ...(fault ? { fault: placedFault(fault, placeName) } : {}) });
}

/** Names of the cells that `source` imports from. */
const needs = (source: string) =>
  importsOf(source)
    .filter((specifier) => specifier.startsWith('./'))
    .map(nameOf);
const nameOf = (specifier: string) => specifier.slice(2).replace(/\.js$/, '');

/** The cells that must run, in order, when `name` runs. */
function plan(name: string): string[] {
  const order: string[] = [];
  const visit = (cell: string, wanted: boolean, path: readonly string[]) => {
    if (path.includes(cell))
      throw new PlainError(`Cells need each other in a ring: ${[...path, cell].join(' → ')}.`);
    if (order.includes(cell)) return;
    for (const need of needs(cellOf(cell).source)) visit(need, false, [...path, cell]);
    if (wanted || cellOf(cell).state !== 'done') order.push(cell);
  };
  visit(name, true, []);
  // Visible cells that used what is recreated.
  for (let grown = true; grown; ) {
    grown = false;
    for (const [other, { source, state }] of cells) {
      if (order.includes(other) || (state !== 'done' && state !== 'failed')) continue;
      if (!needs(source).some((need) => order.includes(need))) continue;
      visit(other, true, []);
      grown = true;
    }
  }
  return order;
}

/** Opens a new device if one was open and is lost: called when a cell is run, or a control is moved. */
async function reopened(): Promise<void> {
  if (cells.get('adapter')?.state === 'done' && retrograd.getDevice().isLost) await retrograd.init();
}

async function runCell(name: string): Promise<void> {
  const cell = cellOf(name);
  cell.outputs?.end();
  post({ type: 'clear', cell: name });
  setState(name, 'running');
  const failed = needs(cell.source).find((need) => cellOf(need).state === 'failed');
  if (failed) {
    setState(name, 'failed', {
      title: `This cell needs '${failed}', which did not run.`,
      text: '',
      line: null,
    });
    return;
  }
  const fail = (error: unknown) => setState(name, 'failed', faultOf(error, cell.address));
  const show = (slot: number, output: Output) =>
    post({ type: 'show', cell: name, slot, output: placedOutput(output, placeName) });
  let ran = false;
  const recovered = () => {
    if (ran && cell.state === 'failed') setState(name, 'done');
  };
  const outputs = new CellOutputs({ show, fail, recovered, prepare: reopened }, cell.remembered);
  cell.outputs = outputs;
  try {
    const notebook = addressOfExports(outputs.exports);
    cell.address = addressOfText(
      linked(cell.source, (specifier) => {
        if (specifier === 'notebook') return notebook;
        const address = specifier.startsWith('./') ? cellOf(nameOf(specifier)).address : libraries[specifier];
        if (address) return address;
        throw new PlainError(
          `A cell can import from other cells ('./picture.js') and from ${Object.keys(libraries).join(', ')} and notebook. Received: '${specifier}'.`,
        );
      }),
    );
    await reopened();
    await importAddress(cell.address);
    ran = true;
    setState(name, 'done');
  } catch (error) {
    fail(error);
  }
}

async function run(name: string, source: string): Promise<void> {
  cellOf(name).source = source;
  try {
    const order = plan(name);
    for (const cell of order) setState(cell, 'waiting');
    for (const cell of order) await runCell(cell);
  } catch (error) {
    setState(name, 'failed', faultOf(error, undefined));
  }
}

/** Cells run one after another. Work started by their buttons continues concurrently. */
let queue: Promise<void> = Promise.resolve();

addEventListener('message', ({ data }: MessageEvent<ToKernel>) => {
  switch (data.type) {
    case 'sources':
      for (const [name, source] of Object.entries(data.sources))
        cells.set(name, { source, state: 'idle', address: undefined, outputs: null, remembered: {} });
      break;
    case 'run':
      queue = queue.then(() => run(data.cell, data.source));
      break;
    case 'event':
      cells.get(data.cell)?.outputs?.tell(data.slot, data.name, data.value);
      break;
  }
});

post({ type: 'ready' });
