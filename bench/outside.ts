/** @file What is needed of the benchmark outside of its pages: it imports no library. */
export { libraries } from './job.ts';
export { summarize } from './measure.ts';
export { line, toMarkdown, waysLine } from './report.ts';
export { rowResult } from './result.ts';
export { sizeListings, sizeRow } from './start.ts';
