/**
 * @file TypeScript's language service for one program, over files in memory: the types of the package and of the language.
 * TypeScript 6 is the last version with an interface to programs; the reference is generated with the same copy.
 */
import ts from '../../../tools/typedoc/node_modules/typescript/lib/typescript.js';
import type { Completion, Documentation, Problem, SyntaxProblem, Transpiled } from './protocol.ts';

const PROGRAM = '/program.ts';

const options: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  lib: ['lib.es2023.d.ts', 'lib.esnext.disposable.d.ts', 'lib.webworker.d.ts'],
  types: [],
  strict: true,
  skipLibCheck: true,
  noEmit: true,
};

/** Compiles without type checking: fast, and without other files. `using` becomes code for browsers that don't support it. */
export function transpile(source: string): Transpiled | SyntaxProblem {
  const {
    outputText,
    sourceMapText = '',
    diagnostics = [],
  } = ts.transpileModule(source, {
    fileName: PROGRAM,
    compilerOptions: { target: options.target, module: options.module, sourceMap: true },
    reportDiagnostics: true,
  });
  const [first] = diagnostics;
  if (first) {
    const line = source.slice(0, first.start ?? 0).split('\n').length;
    return { message: ts.flattenDiagnosticMessageText(first.messageText, '\n'), line };
  }
  return { code: outputText.replace(/^\/\/# sourceMappingURL=.*$/m, ''), map: sourceMapText };
}

export class Language {
  #source = '';
  #version = 0;
  readonly #service: ts.LanguageService;

  /** @param files texts by absolute path */
  constructor(files: ReadonlyMap<string, string>) {
    this.#service = ts.createLanguageService(this.#host(files), ts.createDocumentRegistry());
  }

  #host(files: ReadonlyMap<string, string>): ts.LanguageServiceHost {
    const folders = new Set([...files.keys()].flatMap(foldersOf));
    const read = (path: string) => (path === PROGRAM ? this.#source : files.get(path));
    return {
      getCompilationSettings: () => options,
      getScriptFileNames: () => [PROGRAM],
      getScriptVersion: (path) => (path === PROGRAM ? String(this.#version) : '1'),
      getScriptSnapshot: (path) => {
        const text = read(path);
        return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
      },
      getCurrentDirectory: () => '/',
      getDefaultLibFileName: () => '/lib/lib.d.ts',
      fileExists: (path) => read(path) !== undefined,
      readFile: read,
      directoryExists: (path) => folders.has(path),
    };
  }

  #load(source: string): void {
    if (source === this.#source && this.#version > 0) return;
    this.#source = source;
    this.#version++;
  }

  complete(source: string, at: number): { from: number; options: Completion[] } {
    this.#load(source);
    const found = this.#service.getCompletionsAtPosition(PROGRAM, at, {
      includeCompletionsForModuleExports: false,
    });
    const before = /[\w$]*$/.exec(source.slice(0, at))?.[0] ?? '';
    const from = found?.optionalReplacementSpan?.start ?? at - before.length;
    const entries = (found?.entries ?? []).filter(({ kind }) => kind !== ts.ScriptElementKind.warning);
    entries.sort((a, b) => a.sortText.localeCompare(b.sortText));
    return { from, options: entries.map(({ name, kind }) => ({ label: name, kind })) };
  }

  /** The documentation of the symbol at a position, or of a completion there. */
  describe(source: string, at: number, label?: string): Documentation | null {
    this.#load(source);
    if (label !== undefined) {
      const details = this.#service.getCompletionEntryDetails(
        PROGRAM,
        at,
        label,
        undefined,
        undefined,
        undefined,
        undefined,
      );
      return details ? { ...wordsOf(details), from: at, to: at } : null;
    }
    const info = this.#service.getQuickInfoAtPosition(PROGRAM, at);
    if (!info) return null;
    const { start, length } = info.textSpan;
    return { ...wordsOf(info), from: start, to: start + length };
  }

  problems(source: string): Problem[] {
    this.#load(source);
    const all = [
      ...this.#service.getSyntacticDiagnostics(PROGRAM),
      ...this.#service.getSemanticDiagnostics(PROGRAM),
    ];
    return all.map(({ start = 0, length = 0, messageText, category }) => ({
      from: start,
      to: start + length,
      message: ts.flattenDiagnosticMessageText(messageText, '\n'),
      isError: category === ts.DiagnosticCategory.Error,
    }));
  }
}

function wordsOf(info: { displayParts?: ts.SymbolDisplayPart[]; documentation?: ts.SymbolDisplayPart[] }) {
  return {
    signature: ts.displayPartsToString(info.displayParts),
    text: ts.displayPartsToString(info.documentation),
  };
}

/** All folders above a file. */
function foldersOf(file: string): string[] {
  const parts = file.split('/').slice(0, -1);
  return parts.map((_, i) => parts.slice(0, i + 1).join('/') || '/');
}
