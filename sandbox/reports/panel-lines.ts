import { ownCommand } from '../../core/own-command.js';
import { escapeControls } from '../terminal/escape.js';
import type { Paint } from '../terminal/painter.js';

/** The fields of the integrations' panels that the command prints. */
export interface IntegrationsView {
  readonly panels: readonly {
    readonly integration: string;
    readonly name: string;
    readonly state: 'loaded' | 'stale' | 'failed';
    readonly trouble?: { readonly reason: string };
    readonly context_objects: readonly {
      readonly title: string;
      readonly rows?: readonly { readonly key: string; readonly value: readonly Span[] }[];
      readonly items?: readonly { readonly number: number; readonly value: readonly Span[] }[];
    }[];
    readonly actions: readonly {
      readonly action: string;
      readonly description: string;
      readonly options: readonly { readonly option: string; readonly label: string }[];
    }[];
    readonly warnings: readonly { readonly message: string }[];
  }[];
  readonly suggested_responses: readonly { readonly title: string; readonly body: string; readonly confidence: number }[];
}

interface Span {
  readonly type: string;
  readonly text?: string;
  readonly url?: string;
  readonly children?: readonly Span[];
}

/** The panels as lines for a terminal, then the suggested replies. */
export function panelLines({ panels, suggested_responses: suggestions }: IntegrationsView, paint: Paint): string[] {
  if (panels.length === 0) return [`  no integration is enabled for this number; add one with: ${ownCommand()} integration add URL`];
  const lines = panels.flatMap(({ name, state, trouble, context_objects: objects, actions, warnings }) => [
    `  ${paint('bold', escapeControls(name))}  ${paint(state === 'loaded' ? 'green' : 'red', state)}${trouble ? `  ${escapeControls(trouble.reason)}` : ''}`,
    ...objects.flatMap(({ title, rows = [], items = [] }) => [
      `    ${paint('cyan', escapeControls(title))}`,
      ...rows.map(({ key, value }) => `      ${paint('bold', escapeControls(key))}  ${spanText(value, paint)}`),
      ...items.map(({ number, value }) => `      ${number}. ${spanText(value, paint)}`),
    ]),
    ...actions.flatMap(({ action, description, options }) => [
      `    ${paint('dim', 'action')}  ${escapeControls(action)}  ${escapeControls(description)}`,
      ...options.map(({ option, label }) => `              --option ${escapeControls(option)}  ${escapeControls(label)}`),
    ]),
    ...warnings.map(({ message }) => `    ${paint('yellow', 'warning')} ${escapeControls(message)}`),
  ]);
  const answers = suggestions.map(
    ({ title, body, confidence }) => `    ${confidence.toFixed(2)}  ${escapeControls(title)}: ${escapeControls(body)}`,
  );
  return answers.length === 0 ? lines : [...lines, `  ${paint('bold', 'Suggested replies')}`, ...answers];
}

/** Formatted text for a terminal. Links show their URL in parentheses. */
function spanText(spans: readonly Span[], paint: Paint): string {
  return spans
    .map(({ type, text = '', url, children = [] }) => {
      const inside = escapeControls(text) + spanText(children, paint);
      if (type === 'strong') return paint('bold', inside);
      if (type === 'strike') return paint('dim', inside);
      return type === 'link' ? `${inside} (${escapeControls(url ?? '')})` : inside;
    })
    .join('');
}
