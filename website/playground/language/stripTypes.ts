/**
 * @file Makes JavaScript of a program by writing blanks over its types, with the editor's own parser: the compiler, 1.1 MB, needn't
 * be there for a first run. Lines and columns stay. What this doesn't know for sure is left to the compiler.
 */
import { typescriptLanguage } from '@codemirror/lang-javascript';
import type { SyntaxNode, SyntaxNodeRef } from '@lezer/common';

/** Whole nodes that are types. */
const TYPES = new Set([
  'TypeAnnotation',
  'TypePredicate',
  'TypeParamList',
  'TypeArgList',
  'TypeAliasDeclaration',
  'InterfaceDeclaration',
  'AmbientDeclaration',
  'Optional',
]);

/** Words of TypeScript in front of members. */
const WORDS = new Set(['Privacy', 'readonly', 'override']);

/** What needs more than blanks, or what the parser may have misunderstood. */
const OTHERS = new Set([
  'EnumDeclaration',
  'NamespaceDeclaration',
  'PrefixCast',
  'Decorator',
  'abstract',
  'declare',
  'ExportAssignment',
]);

interface Range {
  from: number;
  to: number;
}

/** Returns the program without types, or null where the compiler is needed: also for a program with a syntax error. */
export function stripTypes(source: string): string | null {
  const removed: Range[] = [];
  const used = new Set<string>();
  const imports: SyntaxNode[] = [];
  let isKnown = true;
  const enter = (ref: SyntaxNodeRef): boolean | undefined => {
    const { name, node } = ref;
    if (ref.type.isError || OTHERS.has(name) || isUnknown(node, source)) isKnown = false;
    if (!isKnown) return false;
    const isType = TYPES.has(name) || WORDS.has(name) || (name === 'ExportDeclaration' && isTypeExport(node));
    if (isType) {
      removed.push({ from: ref.from, to: ref.to });
      return false;
    }
    if (name === 'ImportDeclaration') imports.push(node);
    if (name === 'VariableName' && node.parent?.name !== 'ImportGroup')
      used.add(source.slice(ref.from, ref.to));
    removed.push(...partsToRemove(node));
    return undefined;
  };
  typescriptLanguage.parser.parse(source).iterate({ enter });
  if (!isKnown) return null;
  // As the compiler does: names that only types use are not imported.
  for (const node of imports) removed.push(...unusedImports(node, source, used));
  return blanked(source, removed);
}

/** Writes blanks over the ranges, which may contain each other; line ends stay. */
function blanked(source: string, ranges: readonly Range[]): string {
  let result = '';
  let at = 0;
  for (const { from, to } of [...ranges].sort((a, b) => a.from - b.from)) {
    if (to <= at) continue;
    result +=
      source.slice(at, Math.max(at, from)) + source.slice(Math.max(at, from), to).replace(/[^\r\n]/g, ' ');
    at = to;
  }
  return result + source.slice(at);
}

/** Whether a node is one of those that blanks can't make JavaScript. */
function isUnknown(node: SyntaxNode, source: string): boolean {
  switch (node.name) {
    case 'FunctionDeclaration':
    case 'MethodDeclaration':
      // An overload, which has no body.
      return !node.getChild('Block');
    case 'ParamList':
      // `constructor(private x)`, and a type of `this`.
      return (
        node.getChild('Privacy') !== null ||
        node.getChild('readonly') !== null ||
        node.getChild('this') !== null
      );
    case 'ImportDeclaration':
      // `import x = require(…)`.
      return node.getChild('Equals') !== null || /^import\s[^'"]*=/.test(source.slice(node.from, node.to));
    case 'ArrowFunction':
      // Blanks may move `=>` to a line of its own, where it is no arrow.
      return /\n/.test(
        source.slice(node.getChild('ParamList')?.to ?? node.from, node.getChild('Arrow')?.from ?? node.from),
      );
    default:
      return false;
  }
}

/** Types that have no node of their own: `as T`, `satisfies T`, `!` behind a value or a member, `implements A, B`. */
function partsToRemove(node: SyntaxNode): Range[] {
  if (node.name === 'BinaryExpression') {
    const word = node.getChild('as') ?? node.getChild('satisfies');
    return word ? [{ from: word.from, to: node.to }] : [];
  }
  if (node.name === 'PostfixExpression' || node.name === 'PropertyDeclaration') {
    const mark = node.getChild('LogicOp');
    return mark ? [mark] : [];
  }
  if (node.name === 'ClassDeclaration' || node.name === 'ClassExpression') {
    const [word, body] = [node.getChild('implements'), node.getChild('ClassBody')];
    return word && body ? [{ from: word.from, to: body.from }] : [];
  }
  return [];
}

const isTypeExport = (node: SyntaxNode) =>
  node.getChild('type') !== null ||
  node.getChild('TypeAliasDeclaration') !== null ||
  node.getChild('InterfaceDeclaration') !== null;

/** The parts of an import that only types use. */
function unusedImports(node: SyntaxNode, source: string, used: ReadonlySet<string>): Range[] {
  if (node.getChild('type')) return [node];
  const group = node.getChild('ImportGroup');
  const whole = source.slice(node.from, node.to);
  const outside = group ? whole.replace(source.slice(group.from, group.to), '') : whole;
  const [, plain] = /^import\s+(?:\*\s*as\s+)?([\w$]+)/.exec(outside) ?? [];
  // `import 'retrograd'` is for its effects.
  if (!group) return plain === undefined || used.has(plain) ? [] : [node];
  const names = source.slice(group.from + 1, group.to - 1);
  const parts = [...names.matchAll(/[^,]+,?/g)].filter(([text]) => text.trim() !== '');
  const unused = parts.filter(([text]) => !isUsed(text, used));
  const isPlainUsed = plain !== undefined && plain !== 'from' && used.has(plain);
  if (unused.length === parts.length && !isPlainUsed) return [node];
  return unused.map((match) => {
    const from = group.from + 1 + match.index;
    return { from, to: from + match[0].length };
  });
}

/** Whether the local name of `type A as B,` is used. */
function isUsed(specifier: string, used: ReadonlySet<string>): boolean {
  const words = specifier.replace(',', '').trim().split(/\s+/);
  if (words.length > 1 && words[0] === 'type' && words[1] !== 'as') return false;
  return used.has(words.at(-1) ?? '');
}
