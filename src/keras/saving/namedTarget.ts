/** @file Targets of single files, whose names end as their formats require. */
import { ValueError } from '../../core/errors.ts';
import type { FileTarget } from '../../storage/fileTarget.ts';
import type { SaveFolder } from '../../storage/folderTargets.ts';
import { type SaveTarget, targetName, targetOf } from '../../storage/targets.ts';

/**
 * IndexedDB keys needn't have an extension: TF.js's users write 'indexeddb://my-model'. Errors: ValueError for a file name without
 * the ending, which readers would take for another format, and for anything that can't be written to.
 */
export function namedTarget(
  op: 'save' | 'saveWeights',
  given: SaveTarget | SaveFolder,
  end: string,
): FileTarget {
  const target = given as SaveTarget;
  const name = targetName(target);
  const isKey = name !== null && /^indexeddb:/i.test(name) && !/\.[^/]*$/.test(name);
  if (name === null || isKey || name.endsWith(end)) return targetOf(target);
  throw new ValueError({
    op,
    rule: `the file's name ends in ${end}.`,
    received: `'${name}'`,
    hint:
      op === 'save'
        ? "save('model.keras'), saveWeights('model.weights.h5'), or save('folder', { format: 'tfjs' })."
        : `call it 'model${end}'.`,
  });
}
