/** @file The files next to the weights of a `.keras` archive: `assets/`, the path of the layer's weights, and a name. */
import { FormatError, ValueError } from '../../core/errors.ts';
import type { Pacer } from '../../core/pacer.ts';
import { inTurns } from '../../core/pieces.ts';
import type { NewEntry } from '../../formats/zip/index.ts';
import type { AnyLayer } from '../layers/base/layer.ts';
import { hasAssets } from '../serialization/assets.ts';
import { findSaveables, type Saveable } from './saveables.ts';

const folder = 'assets';

/** Returns the files of all layers, as they are now. */
export function assetEntries(saveables: readonly Saveable[]): NewEntry[] {
  return saveables.flatMap(({ path, layer }) => {
    const assets = hasAssets(layer) ? layer.assets : null;
    return Object.entries(assets?.files ?? {}).map(([name, text]) => ({
      name: `${folder}/${path}/${name}`,
      pieces: [new TextEncoder().encode(text)],
    }));
  });
}

/**
 * Restores the state of layers from the files of an archive; `read` returns null for a missing file.
 * Errors: FormatError for files that don't fit their layers, those of `read`, and the reason of the pacer's signal.
 */
export async function loadAssets(
  model: AnyLayer,
  read: (name: string) => Promise<string | null>,
  source: string,
  pacer: Pacer,
): Promise<void> {
  for (const { path, layer } of await inTurns(findSaveables(model), pacer)) {
    if (!hasAssets(layer)) continue;
    const at = `${folder}/${path}`;
    try {
      await layer.loadAssets((name) => read(`${at}/${name}`));
    } catch (cause) {
      if (!(cause instanceof ValueError)) throw cause;
      const { rule, received } = cause;
      throw new FormatError({
        op: `${source}/${at}`,
        rule,
        received,
        hint: 'the file is damaged: save the model again.',
        cause,
      });
    }
  }
}
