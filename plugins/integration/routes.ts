import { type Logger, object, type PluginContext, RateLimited, type Route, route, string } from '#core';
import type { Actions } from './actions.js';
import type { Integrations } from './integrations.js';
import type { Panels } from './panels/panels.js';

/** Calls that each integration may make a minute, as the calls of a number are limited. */
const CALLS_A_MINUTE = 60;
const MINUTE_MS = 60_000;

/** The one endpoint that integrations call. */
export function integrationRoutes(
  { clock }: Pick<PluginContext, 'clock'>,
  integrations: Integrations,
  panels: Panels,
  actions: Actions,
): Route[] {
  const windows = new Map<string, { began: number; calls: number }>();

  return [
    route({
      method: 'POST',
      path: '/api/integrations/{integration_uuid}/notify/finish',
      summary: 'An integration says that an action is done; the conversation is refreshed.',
      auth: 'optional',
      request: { params: object({ integration_uuid: string() }), payload: object({ integration_action_uuid: string() }) },
      responses: { 201: object({}) },
      async handler({ params: { integration_uuid: uuid }, payload: { integration_action_uuid: click }, caller, log }, h) {
        await integrations.require(uuid);
        count(uuid);
        const isFirst = await actions.finish(uuid, click, caller?.number.uuid);
        const conversation = isFirst ? await actions.conversationOf(click) : undefined;
        // The integration is answered at once: the refresh asks that very integration, which may still wait for us.
        if (conversation) void clock.during(() => refreshed(conversation, log));
        return h.response({}).code(201);
      },
    }),
  ];

  async function refreshed(conversation: string, log: Logger): Promise<void> {
    try {
      await panels.refresh(conversation, log);
    } catch (error) {
      log.warn('a conversation could not be refreshed', { conversation_id: conversation, error });
    }
  }

  function count(uuid: string): void {
    const now = clock.monotonic();
    const window = windows.get(uuid);
    const current = window && now - window.began < MINUTE_MS ? window : { began: now, calls: 0 };
    windows.set(uuid, current);
    if (++current.calls > CALLS_A_MINUTE) {
      throw new RateLimited('integration', CALLS_A_MINUTE, Math.ceil((current.began + MINUTE_MS - now) / 1000));
    }
  }
}
