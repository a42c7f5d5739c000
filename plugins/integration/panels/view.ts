import type { ConversationView } from '#core';
import type { Update } from '../answers/update.js';
import type { Panel, Panels } from './panels.js';

/** Adds the panels to a conversation when it is opened. */
export const integrationsView = (panels: Panels): ConversationView => ({
  name: 'integrations',
  load: async ({ refresh, ...opened }) => shown(await panels.load(opened, refresh)),
});

function shown(panels: readonly Panel[]) {
  const all = panels.map(({ update, bytes: _, ...panel }) => {
    const { integration } = panel;
    return { ...panel, ...partsOf(integration, update) };
  });
  const suggestions = all.flatMap(({ suggested_responses }) => suggested_responses);
  return { panels: all, suggested_responses: suggestions.sort((a, b) => b.confidence - a.confidence) };
}

/** The parts of a response that agents see. The URLs and payloads of actions stay on the server. */
export const partsOf = (integration: string, update: Update | undefined) => ({
  context_objects: update?.context_objects ?? [],
  actions: (update?.actions ?? []).map(({ action, description, options }) => ({ integration, action, description, options })),
  suggested_responses: (update?.suggested_responses ?? []).map((suggestion) => ({ integration, ...suggestion })),
  warnings: update?.warnings ?? [],
});
