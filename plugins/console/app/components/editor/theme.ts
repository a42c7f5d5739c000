import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { EditorView } from '@codemirror/view';
import { tags } from '@lezer/highlight';

/** The look of editors, in the colours of the console. Its variables reach into the shadow tree, so that a change of the theme does, too. */
const look = EditorView.theme({
  '&': { height: '100%', color: 'var(--text)', backgroundColor: 'var(--bg)', fontSize: '0.8125rem' },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '-2px' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.5' },
  '.cm-content': { caretColor: 'var(--text)', paddingBlock: '8px' },
  '.cm-content ::selection': { background: 'color-mix(in srgb, var(--accent) 30%, transparent)' },
  '.cm-gutters': { color: 'var(--muted)', backgroundColor: 'var(--surface)', borderInlineEnd: '1px solid var(--line)' },
  '.cm-activeLine': { backgroundColor: 'color-mix(in srgb, var(--accent) 6%, transparent)' },
  '.cm-activeLineGutter': { color: 'var(--text)', backgroundColor: 'var(--accent-tint)' },
  '&.cm-focused .cm-matchingBracket, .cm-matchingBracket': { background: 'var(--accent-tint)', outline: '1px solid var(--outline)' },
  // A bracket whose match is beyond the part that is searched looks like this, too: mistakes are marked by the check of the text.
  '&.cm-focused .cm-nonmatchingBracket, .cm-nonmatchingBracket': { background: 'transparent' },
  '.cm-match': { boxShadow: 'inset 0 0 0 1em var(--warn-tint)', outline: '1px solid var(--outline)' },
  '.cm-match-selected': { boxShadow: 'inset 0 0 0 1em var(--accent-tint)', outline: '2px solid var(--accent)' },
  '.cm-match-selected .cm-match': { boxShadow: 'none', outline: 'none' },
  '.cm-tooltip': {
    color: 'var(--text)',
    background: 'var(--raised)',
    border: '1px solid var(--outline)',
    borderRadius: '6px',
    overflow: 'hidden',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': { fontFamily: 'var(--mono)', maxHeight: '16em' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': { padding: '3px 8px' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]': { color: 'var(--text)', background: 'var(--accent-tint)' },
  '.cm-completionDetail': { color: 'var(--muted)', fontStyle: 'normal' },
  '.cm-completionMatchedText': { textDecoration: 'none', fontWeight: '700' },
  '.cm-diagnostic': {
    fontFamily: 'system-ui, sans-serif',
    fontSize: '0.8125rem',
    maxWidth: '34rem',
    padding: '6px 8px',
    whiteSpace: 'pre-wrap',
  },
  '.cm-diagnostic-error': { borderInlineStart: '4px solid var(--bad)' },
  '.cm-diagnostic-warning': { borderInlineStart: '4px solid var(--warn)' },
  '.cm-diagnostic-hint': { borderInlineStart: '4px solid var(--accent)' },
  '.cm-diagnostic-fix': {
    font: 'inherit',
    color: 'var(--on-accent)',
    background: 'var(--accent)',
    border: '0',
    borderRadius: '4px',
    padding: '2px 8px',
    marginInlineStart: '8px',
    cursor: 'pointer',
  },
  // Borders and outlines: browsers copy other styles to what is typed over a selection, as a `style` that the policy of the console blocks.
  '.cm-problem': { borderBlockEnd: '2px dotted' },
  '.cm-problem-error': { borderColor: 'var(--bad)' },
  '.cm-problem-warning': { borderColor: 'var(--warn)' },
  '.cm-problem-hint': { borderColor: 'var(--accent)' },
  '.cm-problem-gutter': { width: '1.1em' },
  '.cm-problem-mark': { width: '0.7em', height: '0.7em', borderRadius: '50%', margin: '0.4em 0.2em 0' },
  '.cm-problem-mark-error': { background: 'var(--bad)', borderRadius: '2px' },
  '.cm-problem-mark-warning': { background: 'var(--warn)' },
  '.cm-problem-mark-hint': { background: 'var(--accent)' },
});

const highlights = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: 'var(--accent)' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--ok)' },
  { tag: [tags.number, tags.bool, tags.null, tags.atom, tags.literal], color: 'var(--warn)' },
  { tag: [tags.keyword, tags.operatorKeyword], color: 'var(--accent)', fontWeight: '600' },
  { tag: [tags.function(tags.variableName), tags.standard(tags.variableName)], color: 'var(--accent)' },
  { tag: tags.special(tags.variableName), color: 'var(--warn)' },
  { tag: [tags.comment, tags.meta, tags.monospace], color: 'var(--muted)' },
  { tag: tags.heading, fontWeight: '700' },
  { tag: tags.invalid, color: 'var(--bad)' },
]);

export const theme = [look, syntaxHighlighting(highlights)];
