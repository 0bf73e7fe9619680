// @ts-check
/** @file Lets the parent process call the exports of a module: the other side of gpu-processes.mjs. */
import process from 'node:process';

/** @param {Record<string, unknown>} module */
export function serve(module) {
  process.on(
    'message',
    async (/** @type {{ name: string, args: unknown[], reports: boolean }} */ message) => {
      const { name, args, reports } = message;
      const report = (/** @type {unknown} */ event) => process.send?.({ event });
      /** @type {{ value: unknown } | { error: string }} */
      let answer;
      try {
        const called = /** @type {(...args: unknown[]) => unknown} */ (module[name]);
        answer = { value: (await called(...args, ...(reports ? [report] : []))) ?? null };
      } catch (error) {
        answer = { error: error instanceof Error ? (error.stack ?? error.message) : String(error) };
      }
      process.send?.(answer);
    },
  );
  process.send?.({ value: 'ready' });
}
