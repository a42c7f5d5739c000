import type { Paint } from '../terminal/painter.js';
import { shown } from '../terminal/shown.js';

/** What integrations show beside a conversation, as far as it is printed. */
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

/** The view as lines for a terminal: a panel below the other, then what could be answered. */
export function panelLines({ panels, suggested_responses: suggestions }: IntegrationsView, paint: Paint): string[] {
  if (panels.length === 0) return ['  no integration is switched on here; posthorn integration add URL makes one'];
  const lines = panels.flatMap(({ name, state, trouble, context_objects: objects, actions, warnings }) => [
    `  ${paint('bold', shown(name))}  ${paint(state === 'loaded' ? 'green' : 'red', state)}${trouble ? `  ${shown(trouble.reason)}` : ''}`,
    ...objects.flatMap(({ title, rows = [], items = [] }) => [
      `    ${paint('cyan', shown(title))}`,
      ...rows.map(({ key, value }) => `      ${paint('bold', shown(key))}  ${written(value, paint)}`),
      ...items.map(({ number, value }) => `      ${number}. ${written(value, paint)}`),
    ]),
    ...actions.flatMap(({ action, description, options }) => [
      `    ${paint('dim', 'action')}  ${shown(action)}  ${shown(description)}`,
      ...options.map(({ option, label }) => `              --option ${shown(option)}  ${shown(label)}`),
    ]),
    ...warnings.map(({ message }) => `    ${paint('yellow', 'warning')} ${shown(message)}`),
  ]);
  const answers = suggestions.map(({ title, body, confidence }) => `    ${confidence.toFixed(2)}  ${shown(title)}: ${shown(body)}`);
  return answers.length === 0 ? lines : [...lines, `  ${paint('bold', 'Suggested replies')}`, ...answers];
}

/** Terminals know bold and little else; a link shows where it leads. */
function written(spans: readonly Span[], paint: Paint): string {
  return spans
    .map(({ type, text = '', url, children = [] }) => {
      const inside = shown(text) + written(children, paint);
      if (type === 'strong') return paint('bold', inside);
      if (type === 'strike') return paint('dim', inside);
      return type === 'link' ? `${inside} (${shown(url ?? '')})` : inside;
    })
    .join('');
}
