/** @file The parts of the benchmark that are needed outside of its pages, without importing a library. */
export { libraries } from './job.ts';
export { summarize } from './measure.ts';
export { line, toMarkdown, waysLine } from './report.ts';
export { rowResult } from './result.ts';
export { sizeListings, sizeRow } from './start.ts';
