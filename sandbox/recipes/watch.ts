import Joi from 'joi';
import { advice, beforeCommit, collection, definePlugin, deliverySettled, messageReceived, messageStatus, on } from 'posthorn';

const counts = collection<{ number: string; received: number }>({ key: 'number', tenant: { number: 'number' } });

/** A plugin that listens. The payload of each event has its type: `message.from` and `delivery.state` complete in an editor. */
export const watch = definePlugin<{ write: (line: string) => void }>({
  name: 'watch',
  version: '1.0.0',
  options: Joi.object({ write: Joi.function().required() }),
  collections: { counts },
  register: (_context, { write }) => ({
    on: [
      // In the transaction of the event: the count survives a crash exactly when the message does.
      beforeCommit(messageReceived, async ({ number }, tx) => {
        const { received = 0 } = (await tx.in(counts).get(number.uuid)) ?? {};
        tx.in(counts).put({ number: number.uuid, received: received + 1 });
      }),
      // After the commit: a listener that fails is logged, and nothing else is affected.
      on(messageReceived, ({ number, message }) => write(`${message.from} wrote to ${number.name}: ${message.type}`)),
      on(messageStatus, ({ message, report }) => write(`${message.to}: ${report.status}`)),
      on(deliverySettled, ({ delivery }) => write(`delivery ${delivery.state}`)),
      on(advice, ({ name, message, fix }) => write(`${name}: ${message} ${fix}`)),
    ],
  }),
});
