/** @file Writes a report to a file: its page, or its data. */
import { type SaveTarget, targetName, targetOf } from '../../storage/targets.ts';

/** Writes `data` as JSON if the name of `target` ends in `.json`, and the page otherwise. */
export async function writeText(target: SaveTarget, html: () => string, data: object): Promise<void> {
  const isData = /\.json$/i.test(targetName(target) ?? '');
  const bytes = new TextEncoder().encode(isData ? JSON.stringify(data) : html());
  await targetOf(target).write(
    (async function* () {
      yield bytes;
    })(),
  );
}
