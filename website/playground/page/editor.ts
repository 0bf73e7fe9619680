/**
 * @file The editor: CodeMirror with completion, descriptions and problems from the language service. It is in a shadow root,
 * where CodeMirror uses constructed style sheets, which `style-src 'self'` allows; in a document it would add a style
 * element.
 */
import {
  autocompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
} from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { javascript } from '@codemirror/lang-javascript';
import { bracketMatching, indentOnInput } from '@codemirror/language';
import { type Diagnostic, linter } from '@codemirror/lint';
import { EditorState } from '@codemirror/state';
import { drawSelection, EditorView, hoverTooltip, keymap, lineNumbers, type Tooltip } from '@codemirror/view';
import { element } from '../../../examples/notebook/page/element.ts';
import type { LanguageClient } from '../language/client.ts';
import type { Documentation } from '../language/protocol.ts';
import { theme } from './editorTheme.ts';

export interface EditorEvents {
  onRun(): void;
  onEdit(source: string): void;
}

/** TypeScript's kinds that CodeMirror has an icon for. */
const KINDS: Readonly<Record<string, string>> = {
  const: 'constant',
  let: 'variable',
  alias: 'function',
  module: 'namespace',
  method: 'method',
  getter: 'property',
};

export class Editor {
  readonly #view: EditorView;

  constructor(host: HTMLElement, source: string, language: LanguageClient, events: EditorEvents) {
    const root = host.attachShadow({ mode: 'open' });
    const run = () => {
      events.onRun();
      return true;
    };
    const state = EditorState.create({
      doc: source,
      extensions: [
        keymap.of([
          { key: 'Shift-Enter', run },
          { key: 'Mod-Enter', run },
        ]),
        lineNumbers(),
        history(),
        drawSelection(),
        indentOnInput(),
        bracketMatching(),
        closeBrackets(),
        javascript({ typescript: true }),
        theme,
        autocompletion({ override: [completionSource(language)], icons: true }),
        hoverTooltip((view, at) => describe(language, view, at)),
        // The compiler is large: it is loaded when somebody begins to write.
        linter((view) => (language.isStarted ? problems(language, view) : []), { delay: 600 }),
        keymap.of([...closeBracketsKeymap, ...defaultKeymap, ...historyKeymap, ...completionKeymap]),
        EditorView.contentAttributes.of({
          'aria-label': 'Program. Shift Enter runs it, Tab leaves it.',
          spellcheck: 'false',
          // It is focusable anyway, but accessibility checkers look for the attribute.
          tabindex: '0',
        }),
        EditorView.updateListener.of((update) => {
          if (
            update.docChanged &&
            update.transactions.some((one) => one.isUserEvent('input') || one.isUserEvent('delete'))
          )
            language.start();
          if (update.docChanged) events.onEdit(update.state.doc.toString());
        }),
      ],
    });
    this.#view = new EditorView({ state, parent: root, root });
  }

  get source(): string {
    return this.#view.state.doc.toString();
  }

  set source(source: string) {
    const all = { from: 0, to: this.#view.state.doc.length, insert: source };
    this.#view.dispatch({ changes: all, selection: { anchor: 0 }, scrollIntoView: true });
  }
}

function completionSource(language: LanguageClient) {
  return async (context: CompletionContext): Promise<CompletionResult | null> => {
    const word = context.matchBefore(/[\w$]+/);
    const after = context.matchBefore(/[.'"/][\w$]*/);
    if (!word && !after && !context.explicit) return null;
    const source = context.state.doc.toString();
    const { from, options } = await language.ask('complete', { source, at: context.pos });
    const shown = options.map(
      ({ label, kind }, i): Completion => ({
        label,
        type: KINDS[kind] ?? kind,
        // Keeps the service's order among matches.
        boost: -Math.min(90, i / 20),
        info: async () =>
          documentationView(await language.ask('describe', { source, at: context.pos, label })),
      }),
    );
    return { from, options: shown, validFor: /^[\w$]*$/ };
  };
}

async function describe(language: LanguageClient, view: EditorView, at: number): Promise<Tooltip | null> {
  const found = await language.ask('describe', { source: view.state.doc.toString(), at });
  const dom = documentationView(found);
  return found && dom ? { pos: found.from, end: found.to, above: true, create: () => ({ dom }) } : null;
}

function documentationView(found: Documentation | null): HTMLElement | null {
  if (!found) return null;
  const words = found.text ? [element('p', {}, found.text)] : [];
  return element('div', { class: 'documentation' }, element('code', {}, found.signature), ...words);
}

async function problems(language: LanguageClient, view: EditorView): Promise<Diagnostic[]> {
  const found = await language.ask('problems', { source: view.state.doc.toString() });
  const { length } = view.state.doc;
  return found.map(({ from, to, message, isError }) => ({
    from: Math.min(from, length),
    to: Math.min(to, length),
    message,
    severity: isError ? 'error' : 'warning',
  }));
}
