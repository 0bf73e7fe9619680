/** @file What scripts/bench-gpu.mjs needs in its own process, which opens no device. It imports no library that is measured. */
export { sameKernels } from '../kernels.ts';
export { line } from '../report.ts';
export { failuresOf, rowResult } from '../result.ts';
export { manifestOf, planOf, recordOf, recordsFor } from './plan.ts';
export { manifestText, summaryLines, toGpuMarkdown } from './report.ts';
