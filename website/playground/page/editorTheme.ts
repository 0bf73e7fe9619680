/** @file The editor in the colours of the site, which it inherits as custom properties. */
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { EditorView } from '@codemirror/view';
import { tags } from '@lezer/highlight';

const look = EditorView.theme({
  '&': { height: '100%', backgroundColor: 'var(--raised)', color: 'var(--ink)', fontSize: '0.85rem' },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '-2px' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.6', overflow: 'auto' },
  '.cm-content': { padding: '0.7rem 0', caretColor: 'var(--ink)' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)' },
  '.cm-gutters': { border: '0', backgroundColor: 'var(--raised)', color: 'var(--soft)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    background: 'var(--accent-tint)',
  },
  '&.cm-focused .cm-matchingBracket': {
    backgroundColor: 'var(--accent-tint)',
    outline: '1px solid var(--line)',
  },
  '.cm-tooltip': {
    border: '1px solid var(--line)',
    borderRadius: '0.5rem',
    backgroundColor: 'var(--raised)',
    color: 'var(--ink)',
    boxShadow: '0 0.4rem 1.4rem rgb(0 0 0 / 0.15)',
    maxWidth: 'min(34rem, 92vw)',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': { fontFamily: 'var(--mono)' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': { background: 'var(--accent)', color: 'var(--on-accent)' },
  '.documentation': {
    padding: '0.5rem 0.7rem',
    maxHeight: '16rem',
    overflow: 'auto',
    font: '0.85rem/1.5 var(--sans)',
  },
  '.documentation code': {
    fontFamily: 'var(--mono)',
    fontSize: '0.8rem',
    whiteSpace: 'pre-wrap',
    overflowWrap: 'anywhere',
  },
  '.documentation p': { margin: '0.4rem 0 0', whiteSpace: 'pre-line' },
  '.cm-diagnostic': { fontFamily: 'var(--sans)', whiteSpace: 'pre-wrap' },
});

const colours = HighlightStyle.define([
  { tag: [tags.keyword, tags.bool, tags.null], color: 'var(--series2)' },
  { tag: [tags.string, tags.regexp], color: 'var(--good)' },
  { tag: tags.number, color: 'var(--series1)' },
  { tag: [tags.comment], color: 'var(--soft)', fontStyle: 'italic' },
  { tag: [tags.typeName, tags.definition(tags.function(tags.variableName))], color: 'var(--accent)' },
]);

export const theme = [look, syntaxHighlighting(colours)];
