/** @file Runs the selected test files of TF.js over the shim, in Node. */
import * as tf from 'virtual:tfjs';
import { files, methods } from 'virtual:tfjs-tests';
import { type SpecResult, run as runFiles } from './run.ts';
import { addMethods } from './shim/tensorMethods.ts';

export function run(matches: (name: string) => boolean): Promise<SpecResult[]> {
  addMethods(tf, methods);
  return runFiles(files, matches);
}
