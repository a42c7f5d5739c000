import { anyText, type ConversationView, fields, list, number, oneOf, text, whole } from '#core';
import { spansSchema } from './markdown.js';
import type { Panel, Panels } from './panels.js';
import { contextObjectTypes, troubleSchema, warningSchema } from './records.js';

const contextObject = fields(
  { code: text(), title: text(), type: oneOf(...contextObjectTypes) },
  { rows: list(fields({ key: anyText(), value: spansSchema })), items: list(fields({ number: whole(), value: spansSchema })) },
);
const action = fields({
  integration: text(),
  action: anyText(),
  description: anyText(),
  options: list(fields({ option: anyText(), label: anyText() })),
});
const suggestion = fields({ integration: text(), title: anyText(), body: anyText(), confidence: number() });
const panel = fields(
  {
    integration: text(),
    name: text(),
    state: oneOf('loaded', 'stale', 'failed'),
    context_objects: list(contextObject),
    actions: list(action),
    suggested_responses: list(suggestion),
    warnings: list(warningSchema),
  },
  { loaded_at: text(), trouble: troubleSchema },
);

/** What integrations show beside a conversation: a panel each, and the suggestions of all, the surest first. */
export const integrationsViewSchema = fields({ panels: list(panel), suggested_responses: list(suggestion) });

/** The view under which integrations appear when a conversation is opened. */
export const integrationsView = (panels: Panels): ConversationView => ({
  name: 'integrations',
  load: async ({ refresh, ...opened }) => shown(await panels.load(opened, refresh)),
});

function shown(panels: readonly Panel[]) {
  const all = panels.map(({ update, bytes: _, ...panel }) => {
    const { integration } = panel;
    return {
      ...panel,
      context_objects: update?.context_objects ?? [],
      actions: (update?.actions ?? []).map(({ action, description, options }) => ({ integration, action, description, options })),
      suggested_responses: (update?.suggested_responses ?? []).map((suggestion) => ({ integration, ...suggestion })),
      warnings: update?.warnings ?? [],
    };
  });
  const suggestions = all.flatMap(({ suggested_responses }) => suggested_responses);
  return { panels: all, suggested_responses: suggestions.sort((a, b) => b.confidence - a.confidence) };
}
