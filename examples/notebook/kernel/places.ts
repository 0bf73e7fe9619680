/**
 * @file Locations in programs that are created from text. The library reports the blob: address of their module, of which
 * only the id is meaningful; visitors know them by another name, and by the lines that they wrote.
 */
import type { Fault, Output } from '../protocol.ts';

/** The name of a line in the module of an id, such as `picture.js:12`; undefined for modules that weren't written here. */
export type PlaceName = (module: string, line: number) => string | undefined;

const place = /\b([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}):(\d+)/g;

const placed = (text: string, nameOf: PlaceName) =>
  text.replace(place, (whole, module, line) => nameOf(module, Number(line)) ?? whole);

export function placedOutput(output: Output, nameOf: PlaceName): Output {
  if (output.kind === 'text') return { ...output, text: placed(output.text, nameOf) };
  if (output.kind === 'report')
    return { ...output, report: JSON.parse(placed(JSON.stringify(output.report), nameOf)) };
  return output;
}

export function placedFault(fault: Fault, nameOf: PlaceName): Fault {
  return { ...fault, text: placed(fault.text, nameOf) };
}
