import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { EditorView } from '@codemirror/view';
import { tags } from '@lezer/highlight';

/** The look of editors, in the colours of the console. Its variables reach into the shadow tree, so that a change of the theme does, too. */
const look = EditorView.theme({
  '&': { height: '100%', color: 'var(--text)', backgroundColor: 'var(--bg)', fontSize: '0.8125rem' },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '-2px' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.5' },
  '.cm-content': { caretColor: 'var(--text)', paddingBlock: '8px' },
  '.cm-cursor, .cm-dropCursor': { borderInlineStartColor: 'var(--text)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground, .cm-content ::selection': {
    background: 'color-mix(in srgb, var(--accent) 30%, transparent)',
  },
  '.cm-gutters': { color: 'var(--muted)', backgroundColor: 'var(--surface)', borderInlineEnd: '1px solid var(--line)' },
  '.cm-activeLine': { backgroundColor: 'color-mix(in srgb, var(--accent) 6%, transparent)' },
  '.cm-activeLineGutter': { color: 'var(--text)', backgroundColor: 'var(--accent-tint)' },
  '&.cm-focused .cm-matchingBracket, .cm-matchingBracket': { background: 'var(--accent-tint)', outline: '1px solid var(--outline)' },
  '&.cm-focused .cm-nonmatchingBracket, .cm-nonmatchingBracket': { background: 'var(--bad-tint)' },
  '.cm-searchMatch': { background: 'var(--warn-tint)', outline: '1px solid var(--outline)' },
  '.cm-searchMatch-selected': { background: 'color-mix(in srgb, var(--accent) 35%, transparent)' },
  '.cm-foldPlaceholder': { color: 'var(--muted)', background: 'var(--surface)', border: '1px solid var(--line)', paddingInline: '4px' },
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
  '.cm-panels': { color: 'var(--text)', backgroundColor: 'var(--surface)' },
  '.cm-panels-bottom': { borderBlockStart: '1px solid var(--line)' },
  '.cm-panel.cm-search': { fontFamily: 'system-ui, sans-serif', fontSize: '0.8125rem' },
  '.cm-panel.cm-search label': { fontSize: 'inherit', color: 'var(--text)' },
  '.cm-panel.cm-search [name=close]': { color: 'var(--text)', fontSize: '1rem' },
  '.cm-textfield': { color: 'var(--text)', background: 'var(--bg)', border: '1px solid var(--outline)', borderRadius: '4px' },
  '.cm-button': { color: 'var(--text)', background: 'var(--raised)', border: '1px solid var(--outline)', borderRadius: '4px' },
  '.cm-button:active': { background: 'var(--accent-tint)' },
  '.cm-tooltip-lint, .cm-diagnostic': { fontFamily: 'system-ui, sans-serif', fontSize: '0.8125rem', maxWidth: '34rem' },
  '.cm-diagnostic': { padding: '6px 8px' },
  '.cm-diagnostic-error': { borderInlineStart: '4px solid var(--bad)' },
  '.cm-diagnostic-warning': { borderInlineStart: '4px solid var(--warn)' },
  '.cm-diagnostic-hint': { borderInlineStart: '4px solid var(--accent)' },
  '.cm-diagnosticAction': {
    color: 'var(--on-accent)',
    background: 'var(--accent)',
    borderRadius: '4px',
    padding: '2px 8px',
    marginInlineStart: '8px',
  },
  // The wavy lines of CodeMirror are images with fixed colours.
  '.cm-lintRange': { backgroundImage: 'none', paddingBottom: '0', textDecoration: 'underline wavy 1px', textUnderlineOffset: '3px' },
  '.cm-lintRange-error': { backgroundImage: 'none', textDecorationColor: 'var(--bad)' },
  '.cm-lintRange-warning': { backgroundImage: 'none', textDecorationColor: 'var(--warn)' },
  '.cm-lintRange-hint': { backgroundImage: 'none', textDecorationColor: 'var(--accent)' },
  '.cm-lintRange-active': { backgroundColor: 'var(--warn-tint)' },
  '.cm-gutter-lint': { width: '1.2em' },
  '.cm-gutter-lint .cm-gutterElement': { padding: '0 2px' },
  '.cm-lint-marker': { width: '0.9em', height: '0.9em', content: '""', borderRadius: '50%', marginBlockStart: '0.3em' },
  '.cm-lint-marker-error': { content: '""', background: 'var(--bad)', borderRadius: '2px' },
  '.cm-lint-marker-warning': { content: '""', background: 'var(--warn)' },
  '.cm-lint-marker-hint': { content: '""', background: 'var(--accent)' },
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
