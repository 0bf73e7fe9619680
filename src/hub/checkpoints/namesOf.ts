/** @file The tensors of a checkpoint that a model has, by name. */
import type { TextBackbone } from '../models/backbone.ts';
import type { HeadTask, PretrainedModel, Task } from '../models/heads.ts';
import { TextModel } from '../models/textModel.ts';
import type { Family, Head } from './family.ts';
import { type Modules, type Parameter, parametersOf, prefixed } from './modules.ts';

/** The parameters of a model: those of its backbone, and those of its head. */
export interface NamedParameters {
  readonly backbone: readonly Parameter[];
  readonly head: readonly Parameter[];
}

/** `prefix` is in front of the modules of the backbone. */
export function namesOf(family: Family, task: Task, model: PretrainedModel, prefix: string): NamedParameters {
  const { backbone, head } = modulesOf(family, task, model);
  return { backbone: parametersOf(prefixed(prefix, backbone)), head: parametersOf(head) };
}

/** The modules of the backbone, without the prefix, and those of the head. */
export function modulesOf(
  family: Family,
  task: Task,
  model: PretrainedModel,
): { readonly backbone: Modules; readonly head: Modules } {
  const head = task === 'backbone' ? null : headOf(family, task);
  return { backbone: family.modules(backboneOf(model)), head: head?.modules(model) ?? {} };
}

export function backboneOf(model: PretrainedModel): TextBackbone {
  return model instanceof TextModel ? model.backbone : model;
}

/** The head of a task, whatever its model; null if the family has none. */
export function headOf(family: Family, task: HeadTask): Head<TextBackbone, unknown> | null {
  return (family.heads[task] as Head<TextBackbone, unknown> | undefined) ?? null;
}
