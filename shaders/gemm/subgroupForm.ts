/** @file The form on subgroup matrices, once it is loaded. Few apps request it, so others don't download it. */
import type { GemmOptions, Problem } from './problem.ts';

interface SubgroupForm {
  directives(): string;
  write(options: GemmOptions, problem: Problem): string;
}

let form: SubgroupForm | null = null;

/** Makes `loaded` the form of tiles with memory `subgroupMatrix`. */
export function provideSubgroupForm(loaded: SubgroupForm): void {
  form = loaded;
}

export function subgroupForm(): SubgroupForm {
  if (!form) throw new TypeError('the form on subgroup matrices is loaded when a device is probed for them');
  return form;
}
