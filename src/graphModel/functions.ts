/** @file Functions of TensorFlow 2: graphs that nodes call, as a branch, as a part of a loop or by themselves. */
import { FormatError } from '../core/errors.ts';
import { describe } from '../core/shape.ts';
import { type GraphNode, readNodes, type Source, sourceOf } from './graphDef.ts';

export interface GraphFunction {
  readonly name: string;
  readonly nodes: ReadonlyMap<string, GraphNode>;
  /** The nodes that stand for its arguments. */
  readonly inputs: readonly GraphNode[];
  readonly outputs: readonly Source[];
}

/** The functions of a graph by name. */
export type Functions = ReadonlyMap<string, GraphFunction>;

/** Attributes of nodes that name the functions which they call. */
const callers: Readonly<Record<string, readonly string[]>> = {
  While: ['cond', 'body'],
  StatelessWhile: ['cond', 'body'],
  If: ['then_branch', 'else_branch'],
  StatelessIf: ['then_branch', 'else_branch'],
  PartitionedCall: ['f'],
  StatefulPartitionedCall: ['f'],
};

export const isCaller = ({ op }: GraphNode): boolean => Object.hasOwn(callers, op);

/** Returns the functions that a node calls; none for most. Errors: FormatError for one that the graph lacks. */
export function calledBy(node: GraphNode, functions: Functions): GraphFunction[] {
  const names = (isCaller(node) ? (callers[node.op] as readonly string[]) : []).map((attribute) =>
    node.attributes.functionName(attribute),
  );
  if (names.length > 0 && node.op.endsWith('If') && node.inputs.length === 0)
    throw invalid(node.attributes.place, 'a branch reads its condition.', 'no inputs');
  return names.map((name) => {
    const called = functions.get(name);
    if (called?.inputs.length === argumentsOf(node).length) return called;
    throw new FormatError({
      op: node.attributes.place,
      rule: 'a node calls a function of the graph with all of its arguments.',
      received: called
        ? `${argumentsOf(node).length} for the ${called.inputs.length} of '${name}'`
        : `no function '${name}'`,
      hint: damaged,
    });
  });
}

/** What a node passes to the functions that it calls: a branch takes all but its condition. */
const argumentsOf = ({ op, inputs }: GraphNode): readonly Source[] =>
  op.endsWith('If') ? inputs.slice(1) : inputs;

/** Reads the functions of a graph. Errors: FormatError for a malformed one. */
export function readFunctions({ library }: { library?: unknown }, file: string): Functions {
  const { function: list = [] } = (library ?? {}) as { function?: unknown };
  if (!Array.isArray(list)) throw invalid(file, 'a library has a list of functions.', list);
  const functions = new Map<string, GraphFunction>();
  for (const given of list as readonly unknown[]) {
    const read = readFunction(given, file);
    if (functions.has(read.name))
      throw invalid(file, 'each function has a name of its own.', `'${read.name}', twice`);
    functions.set(read.name, read);
  }
  return functions;
}

function readFunction(given: unknown, file: string): GraphFunction {
  const { signature, nodeDef = [], ret } = (given ?? {}) as Record<string, unknown>;
  const { name, inputArg = [], outputArg = [] } = (signature ?? {}) as Record<string, unknown>;
  if (
    typeof name !== 'string' ||
    !Array.isArray(nodeDef) ||
    !Array.isArray(inputArg) ||
    !Array.isArray(outputArg)
  )
    throw invalid(file, 'a function has a name, nodes, and what it takes and gives.', given);
  const nameOf = (arg: unknown) => String((arg as { name?: unknown } | null)?.name);
  const inputs = inputArg.map((arg) => ({ name: nameOf(arg), op: 'Placeholder' }));
  const nodes = readNodes({ node: [...inputs, ...nodeDef] }, `${file}, function '${name}'`);
  const results = (ret ?? {}) as Record<string, unknown>;
  const outputs = outputArg.map((arg) => {
    const source = sourceOf(String(results[nameOf(arg)]), nodes);
    if (source) return source;
    throw invalid(file, `function '${name}' has its results among its nodes.`, results[nameOf(arg)]);
  });
  return { name, nodes, inputs: inputs.map((input) => nodes.get(input.name) as GraphNode), outputs };
}

/** The most functions within one another: far more than a model has, and far less than the stack holds. */
const maxDepth = 200;

/** Errors: FormatError if `nodes` call a function that calls itself, which has no end here, or functions too deep to run. */
export function requireFinite(nodes: Iterable<GraphNode>, functions: Functions, file: string): void {
  const depths = new Map<GraphFunction, number>();
  const open = new Set<GraphFunction>();
  const visit = (one: GraphFunction): number => {
    const known = depths.get(one);
    if (known !== undefined) return known;
    if (open.has(one)) throw invalid(file, 'a function does not call itself.', `'${one.name}', which does`);
    open.add(one);
    let depth = 1;
    const isTooDeep = () => open.size > maxDepth || depth > maxDepth;
    for (const node of one.nodes.values())
      for (const called of calledBy(node, functions)) {
        if (!isTooDeep()) depth = Math.max(depth, 1 + visit(called));
        if (isTooDeep())
          throw invalid(file, `functions call one another at most ${maxDepth} deep.`, 'deeper ones');
      }
    open.delete(one);
    depths.set(one, depth);
    return depth;
  };
  for (const node of nodes) for (const called of calledBy(node, functions)) visit(called);
}

const damaged = 'the file is damaged or not of TF.js: convert the model again.';

function invalid(file: string, rule: string, received: unknown): FormatError {
  return new FormatError({
    op: file,
    rule,
    received: typeof received === 'string' ? received : describe(received),
    hint: damaged,
  });
}
