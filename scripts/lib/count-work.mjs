// @ts-check
/**
 * @file Counts the work of JavaScript: the executed blocks of a module's functions, which are the same on every machine and in every
 * run. What built-in functions do isn't counted.
 */
import { Session } from 'node:inspector';

/** Only modules that are imported afterwards are counted: the engine compiles the counters into them. */
export function startCounting() {
  const session = new Session();
  session.connect();
  session.post('Profiler.enable');
  session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  /** Returns the blocks executed since the last call. @param {string} url of the module */
  return (url) => {
    let blocks = 0;
    session.post('Profiler.takePreciseCoverage', (_error, { result }) => {
      const script = result.find((script) => script.url === url);
      for (const { ranges } of script?.functions ?? []) for (const { count } of ranges) blocks += count;
    });
    return blocks;
  };
}
