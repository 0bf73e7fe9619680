/** @file The module that scripts/host-times.mjs loads, and in the process of each side scripts/lib/host-side.mjs. */
export { casesFor, measureHost } from './measure.ts';
export { hostLine, toHostMarkdown } from './report.ts';
export { sides } from './result.ts';
export { answer, MeasuredSide } from './side.ts';
