import { beforeCommit, type Consumer, consume, messageSeen, type PluginContext, type Subscription } from '#core';
import type { Graph } from '../graph/client.js';
import { GraphError } from '../graph/errors.js';
import { CLOUD_TYPE, type Connections } from '../numbers/connections.js';
import { marks } from './queues.js';

/** The network shows a typing indicator for 25 seconds; a later one would only confuse. */
const TYPING_MS = 25_000;
const MAX_ATTEMPTS = 3;

/** Marks messages as read at the network, with a typing indicator if asked for. */
export const marking = ({ clock }: PluginContext): Subscription =>
  beforeCommit(messageSeen, ({ number, message, typing = false }, tx) => {
    if (number.type !== CLOUD_TYPE || message.external_id === undefined) return;
    tx.push(
      marks,
      { number: number.uuid, id: message.external_id, typing, at: clock.now().toISOString() },
      { serial: message.conversation },
    );
  });

/** Sends the marks. A failure only costs the two blue ticks, so it is logged, and repeated only if it is temporary. */
export const markConsumer = ({ clock, log }: PluginContext, connections: Connections, graph: Graph): Consumer =>
  consume(
    marks,
    async ({ payload: { number, id, typing, at } }) => {
      const connection = await connections.of(number);
      if (!connection) return;
      const isTyping = typing && clock.now().getTime() - Date.parse(at) < TYPING_MS;
      try {
        await graph.call({
          method: 'POST',
          path: `/${connection.phone_number_id}/messages`,
          token: await connections.secret(number, 'accessToken'),
          json: { messaging_product: 'whatsapp', status: 'read', message_id: id, ...(isTyping && { typing_indicator: { type: 'text' } }) },
          isRepeatable: true,
        });
      } catch (error) {
        if (!(error instanceof GraphError)) throw error;
        log.warn('the network did not mark a message as read', { number_id: number, code: error.code, error });
      }
    },
    { maxAttempts: MAX_ATTEMPTS },
  );
