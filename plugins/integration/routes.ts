import { type Logger, object, type PluginContext, RateLimited, type Route, route, string } from '#core';
import type { Actions } from './actions.js';
import type { Integrations } from './integrations.js';
import type { Panels } from './panels/panels.js';

/** Calls per minute and integration, the same as the limit of a number. */
const CALLS_A_MINUTE = 60;
const MINUTE_MS = 60_000;

/** The one endpoint that integrations call. */
export function integrationRoutes(
  { clock }: Pick<PluginContext, 'clock'>,
  integrations: Integrations,
  panels: Panels,
  actions: Actions,
): Route[] {
  const windows = new Map<string, { startedAt: number; calls: number }>();

  return [
    route({
      method: 'POST',
      path: '/api/integrations/{integration_uuid}/notify/finish',
      summary: 'Called by an integration when an action is done; refreshes the panels of the conversation.',
      auth: 'optional',
      request: { params: object({ integration_uuid: string() }), payload: object({ integration_action_uuid: string() }) },
      responses: { 201: object({}) },
      async handler({ params: { integration_uuid: uuid }, payload: { integration_action_uuid: click }, caller, log }, h) {
        await integrations.require(uuid);
        count(uuid);
        const isFirst = await actions.finish(uuid, click, caller?.number.uuid);
        const conversation = isFirst ? await actions.conversationOf(click) : undefined;
        // Not awaited: the refresh calls the same integration, which may be waiting for this response.
        if (conversation) void clock.during(() => refreshed(conversation, log));
        return h.response({}).code(201);
      },
    }),
  ];

  async function refreshed(conversation: string, log: Logger): Promise<void> {
    try {
      await panels.refresh(conversation, log, 'notified');
    } catch (error) {
      log.warn('could not refresh the panels of a conversation', { conversation_id: conversation, error });
    }
  }

  function count(uuid: string): void {
    const now = clock.monotonic();
    const window = windows.get(uuid);
    const current = window && now - window.startedAt < MINUTE_MS ? window : { startedAt: now, calls: 0 };
    windows.set(uuid, current);
    if (++current.calls > CALLS_A_MINUTE) {
      throw new RateLimited('integration', CALLS_A_MINUTE, Math.ceil((current.startedAt + MINUTE_MS - now) / 1000));
    }
  }
}
