import { fields, list, NotFound, type PluginContext, type Route, route, text, textUpTo } from '#core';
import { errorsWithMeta } from './schemas.js';
import { messageParams } from './send.js';

const labels = list(textUpTo(100)).min(1).max(20);

/** Labels of a message, in either direction: words of one's own, which stand in `_vnd.v1.labels`. */
export function labelRoutes(context: PluginContext): Route[] {
  const { store, messages } = context;
  return [
    route({
      method: 'POST',
      path: '/v1/messages/{message_id}/labels',
      summary: 'Puts labels on a message, each once, and answers with all it has.',
      request: { params: messageParams, payload: fields({ labels }) },
      responses: { 200: fields({ labels: list(text()) }), 400: errorsWithMeta, 404: errorsWithMeta },
      async handler({ params: { message_id }, payload, caller: { number } }) {
        const message = await messages.named(number, message_id);
        if (!message) throw new NotFound('message', message_id);
        const labelled = await store.transaction(async (tx) => {
          await messages.label(tx, message.uuid, payload.labels);
          return messages.current(tx, message.uuid);
        });
        return { labels: [...(labelled?.labels ?? [])] };
      },
    }),
  ];
}
