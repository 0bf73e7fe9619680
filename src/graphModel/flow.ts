/** @file What runs several times or not at all: the loops and the functions of a graph. */
import { calledBy, type Functions } from './functions.ts';
import { type GraphNode, orderOf } from './graphDef.ts';
import { inputsOf, type Loops } from './loops.ts';

export interface Flow {
  readonly loops: Loops;
  readonly functions: Functions;
}

/** All nodes that `outputs` need, with those inside loops and functions. */
export function nodesOf(outputs: readonly GraphNode[], { loops, functions }: Flow): Set<GraphNode> {
  const found = new Set<GraphNode>();
  const seen = new Set<object>();
  const pending: { outputs: readonly GraphNode[]; given: ReadonlySet<GraphNode> }[] = [
    { outputs, given: new Set() },
  ];
  /** Adds what is inside a loop or a function, once. */
  const enter = (inside: object, wanted: readonly GraphNode[], given: readonly GraphNode[]) => {
    if (!seen.has(inside)) pending.push({ outputs: wanted, given: new Set(given) });
    seen.add(inside);
  };
  for (const { outputs: wanted, given } of pending) {
    for (const node of orderOf(
      wanted,
      (one) => given.has(one),
      (one) => inputsOf(one, loops),
    )) {
      if (!given.has(node)) found.add(node);
      const loop = loops.get(node)?.loop;
      if (loop) {
        const { enters, variables, condition } = loop;
        const inside = [condition, ...variables.map(({ next }) => next)].map((source) => source.node);
        enter(loop, inside, [...enters, ...variables.flatMap(({ merge, body }) => [merge, body])]);
      }
      for (const called of calledBy(node, functions))
        enter(
          called,
          called.outputs.map((source) => source.node),
          called.inputs,
        );
    }
  }
  return found;
}
