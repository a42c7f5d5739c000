/** A plugin with a channel: it sends messages through the HTTP API of a gateway, and receives messages of contacts through a route. */
import Joi from 'joi';
import { boolean, type ChannelDriver, consume, definePlugin, object, queue, route, string, textOf, unixSeconds } from 'posthorn';
import { createFlights } from './flights.js';

const MAX_ATTEMPTS = 5;
const parcels = queue<{ number: string; message: string; to: string; text: string }>('pigeon-post.parcels');

export const pigeonPost = definePlugin<{ gateway: string }>({
  name: 'pigeon-post',
  version: '0.1.0',
  options: Joi.object({ gateway: Joi.string().uri().required() }),

  register({ store, messages, numbers, http, clock }, { gateway }) {
    const flights = createFlights();
    const driver: ChannelDriver = {
      type: 'pigeon-post',
      // Runs in the transaction that records the message, so it only queues a job. The consumer below calls the gateway.
      deliver(tx, { number, message }) {
        tx.push(parcels, { number: number.uuid, message: message.uuid, to: message.to, text: textOf(message) }, { serial: message.to });
      },
    };

    const send = consume(parcels, async (job) => {
      const { number: uuid, message, to, text } = job.payload;
      const body = JSON.stringify({ reference: message, to, text });
      const headers = { 'content-type': 'application/json' };
      const url = `${gateway}/messages`;
      const outcome = await http.send({ method: 'POST', url, headers, body, deadlineMs: 10_000, maxResponseBytes: 65_536 });
      const status = outcome.kind === 'response' ? outcome.status : 0;
      flights.add({ number: uuid, to, attempt: job.attempt, outcome: status === 0 ? outcome.kind : `status ${status}` });
      // The queue retries a job that throws, with exponential backoff.
      if ((status === 0 || status >= 500) && job.attempt < MAX_ATTEMPTS) throw new Error(`the gateway responded ${status || outcome.kind}`);
      const number = await numbers.require(uuid);
      await store.transaction(async (tx) => {
        // The last argument is the gateway's id of the message, which its status reports name.
        if (status === 200) await messages.accepted(tx, number, message, message);
        else await messages.undeliverable(tx, number, message, `the gateway responded ${status || outcome.kind}`);
        job.done(tx);
      });
    });

    const receive = route({
      method: 'POST',
      path: '/v1/pigeon-post/messages',
      summary: 'Receives a message of a contact from the gateway.',
      numbers: ['channel'],
      request: { payload: object({ id: string(), from: string(), text: string() }) },
      responses: { 200: object({ success: boolean() }) },
      async handler({ payload: { id, from, text }, caller: { number } }) {
        const inbound = { id, from, contact: { id: from, name: from }, timestamp: unixSeconds(clock.now()), type: 'text' };
        await store.transaction((tx) => messages.received(tx, number, { ...inbound, content: { text: { body: text } } }));
        return { success: true };
      },
    });

    return { channels: [driver], consumes: [send], routes: [receive], ...flights.contributions };
  },
});
