/**
 * @file The Worker that runs one program, with a GPU device of its own. Each run has a new Worker: nothing of an earlier run
 * is left, and a program that hangs can be stopped.
 */
import { LEAST_UPPER_BOUND, originalPositionFor, TraceMap } from '@jridgewell/trace-mapping';
import * as retrograd from 'retrograd';
import * as data from 'retrograd/data';
import * as hub from 'retrograd/hub';
import * as inspect from 'retrograd/inspect';
import * as io from 'retrograd/io';
import * as keras from 'retrograd/keras';
import * as layers from 'retrograd/keras/layers';
import * as kernels from 'retrograd/kernels';
import * as show from 'retrograd/show';
import { faultOf, PlainError } from '../../../examples/notebook/kernel/faults.ts';
import { linked } from '../../../examples/notebook/kernel/imports.ts';
import { addressOfExports, addressOfText, importAddress } from '../../../examples/notebook/kernel/modules.ts';
import { CellOutputs } from '../../../examples/notebook/kernel/outputs.ts';
import { placedFault, placedOutput } from '../../../examples/notebook/kernel/places.ts';
import { LogConsole } from './console.ts';
import { formatResult } from './formatResult.ts';
import type { FromRunner, ToRunner } from './protocol.ts';

const post = (message: FromRunner) => postMessage(message);

let address: string | undefined;
let map: TraceMap | undefined;
let hasFailed = false;

/** The line in the program as it was written. */
function writtenLine(line: number): number | null {
  return map ? originalPositionFor(map, { line, column: 0, bias: LEAST_UPPER_BOUND }).line : line;
}

const placeName = (module: string, line: number) =>
  address?.endsWith(module) ? `program.ts:${writtenLine(line) ?? line}` : undefined;

/** What programs import, by the addresses that stand for it. */
const specifiers = new Map<string, string>();

/** The engine names modules by their addresses: of a missing export, for example. */
function withSpecifiers(text: string): string {
  for (const [made, specifier] of specifiers) text = text.replaceAll(made, specifier);
  return text;
}

/** Reports an error in plain words, with the line in the program as it was written. */
async function fail(error: unknown): Promise<void> {
  hasFailed = true;
  await logs.settle();
  const found = faultOf(error, address);
  const fault = placedFault({ ...found, text: withSpecifiers(found.text) }, placeName);
  const line = fault.line === null ? null : writtenLine(fault.line);
  // The engine gives no line of a module that it can't read.
  const isUnreadable = error instanceof SyntaxError && line === null;
  post({ type: 'failed', fault: { ...fault, line }, isUnreadable });
}

const outputs = new CellOutputs(
  {
    show: (slot, output) => post({ type: 'show', slot, output: placedOutput(output, placeName) }),
    fail: (error) => void fail(error),
    recovered: () => post({ type: 'recovered' }),
    prepare: async () => {},
  },
  {},
);
const logs = new LogConsole(outputs.exports);
logs.install();

const modules: Readonly<Record<string, object>> = {
  retrograd,
  'retrograd/keras': keras,
  'retrograd/keras/layers': layers,
  'retrograd/io': io,
  'retrograd/inspect': inspect,
  'retrograd/hub': hub,
  'retrograd/kernels': kernels,
  'retrograd/data': data,
  'retrograd/show': show,
  playground: {
    ...outputs.exports,
    show: async (value: unknown) => void outputs.exports.text(await formatResult(value), 'library'),
  },
};

function addressOf(specifier: string): string {
  const module = modules[specifier];
  if (module) {
    const made = addressOfExports(module);
    specifiers.set(made, specifier);
    return made;
  }
  throw new PlainError(
    `A program can import from ${Object.keys(modules).join(', ')}. Received: '${specifier}'.`,
  );
}

async function run(code: string, sourceMap: string | null): Promise<void> {
  try {
    map = sourceMap === null ? undefined : new TraceMap(sourceMap);
    address = addressOfText(linked(code, addressOf));
    await importAddress(address);
    await logs.settle();
    // A promise may have failed by now.
    if (!hasFailed) post({ type: 'done' });
  } catch (error) {
    await fail(error);
  }
}

// A promise that nobody awaits may fail after the program's last line.
addEventListener('unhandledrejection', (event) => {
  event.preventDefault();
  void fail(event.reason);
});

addEventListener('message', ({ data }: MessageEvent<ToRunner>) => {
  if (data.type === 'run') void run(data.code, data.map);
  else void outputs.tell(data.slot, data.name, data.value);
});
