// @ts-check
/** @file The process of one side of `npm run bench:host`: `host-side.mjs MODULE SIDE`, which answers messages. */
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import { installDawnGlobals } from './dawn-globals.mjs';

const [file = '', side] = process.argv.slice(2);
await installDawnGlobals(['backend=null']);
const { answer, MeasuredSide } = await import(pathToFileURL(file).href);
const measured = await MeasuredSide.open(side);
process.on('message', async (request) => process.send?.(await answer(measured, request)));
process.send?.('ready');
