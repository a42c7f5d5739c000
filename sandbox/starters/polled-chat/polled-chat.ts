/**
 * A channel to a messaging service that is polled. Each number is a bot of the service, connected by its token. The files in the order of a message:
 * `receiving.ts` takes what people write, `sending.ts` sends what the platform answers, and `service.ts` has all that depends on the API of the service.
 */
import { beforeCommit, definePlugin, deliveryQueued, deliverySettled } from 'posthorn';
import { positions, updatesConsumer, updatesLoop } from './receiving.js';
import { driver, messagePayload, SENDER, sender, settled } from './sending.js';
import { createService } from './service.js';

export const polledChat = definePlugin({
  name: 'polled-chat',
  version: '0.1.0',
  collections: { positions },
  register(context) {
    const service = createService(context);
    return {
      channels: [driver(context, service)],
      senders: [sender(context, service)],
      payloads: [messagePayload],
      loops: [updatesLoop(context, service)],
      consumes: [updatesConsumer(context, service)],
      on: [
        beforeCommit(deliverySettled, settled(context)),
        // A message that an operator sends again is pending again.
        beforeCommit(deliveryQueued, ({ delivery: { sender, run, message } }, tx) =>
          sender === SENDER && run > 1 && message !== undefined ? context.messages.markPending(tx, message) : undefined,
        ),
      ],
    };
  },
});
