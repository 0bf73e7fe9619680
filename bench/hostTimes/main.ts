/** @file The module that scripts/host-times.mjs loads in the process whose Dawn executes nothing. */
export { casesFor, measureHost } from './measure.ts';
export { hostLine, toHostMarkdown } from './report.ts';
