/** @file The tensors of a checkpoint that a model has, by name. */
import type { AnyBackbone, PretrainedModel, Task } from '../models/heads.ts';
import type { AnyFamily, Head } from './family.ts';
import { type Modules, type Parameter, parametersOf, prefixed } from './modules.ts';

/** The parameters of a model: those of its backbone, and those of its head. */
export interface NamedParameters {
  readonly backbone: readonly Parameter[];
  readonly head: readonly Parameter[];
}

/** `prefix` is in front of the modules of the backbone. */
export function namesOf(
  family: AnyFamily,
  task: Task,
  model: PretrainedModel,
  prefix: string,
): NamedParameters {
  const { backbone, head } = modulesOf(family, task, model);
  return { backbone: parametersOf(prefixed(prefix, backbone)), head: parametersOf(head) };
}

/** The modules of the backbone, without the prefix, and those of the head. */
export function modulesOf(
  family: AnyFamily,
  task: Task,
  model: PretrainedModel,
): { readonly backbone: Modules; readonly head: Modules } {
  return { backbone: family.modules(backboneOf(model)), head: headOf(family, task)?.modules(model) ?? {} };
}

export function backboneOf(model: PretrainedModel): AnyBackbone {
  return 'backbone' in model ? model.backbone : model;
}

/** The head of a task, whatever its model; null if it is the task of the backbone, or the family has none. */
export function headOf(family: AnyFamily, task: Task): Head<AnyBackbone, unknown> | null {
  const heads: Readonly<Record<string, unknown>> = family.heads;
  return Object.hasOwn(heads, task) ? (heads[task] as Head<AnyBackbone, unknown>) : null;
}

/** The modules that a backbone may be in, in checkpoints for any task. */
export function prefixesOf(family: AnyFamily): readonly string[] {
  const tasks = Object.keys(family.heads) as Task[];
  return [...new Set([family.prefix, ...tasks.map((task) => prefixOf(family, task))])];
}

/** The module around the backbone in a checkpoint for a task. */
export function prefixOf(family: AnyFamily, task: Task): string {
  const head = headOf(family, task);
  return head ? (head.prefix ?? family.prefix) : '';
}
