/** @file The functions that scripts/bench.mjs needs to report results. They import no library that is measured. */
export { libraries } from './job.ts';
export { summarize } from './measure.ts';
export { line, toMarkdown, comparisonLine } from './report.ts';
export { rowResult } from './result.ts';
export { sizeListings, sizeRow } from './start.ts';
