import { beforeCommit, defaultErrors, definePlugin, deliveryQueued, deliverySettled } from '#core';
import { createBudget } from '#core/messaging';
import { emailAdminRoutes } from './admin-routes.js';
import { causes } from './causes.js';
import { createMailboxes, EMAIL } from './connection.js';
import { mailTask } from './content/mail.js';
import { remedies } from './errors.js';
import { createMetrics } from './metrics.js';
import { type EmailOptions, optionsSchema, type Settings } from './options.js';
import { receivedConsumer } from './receiving/consumer.js';
import { createListener } from './receiving/listener.js';
import { receivingLoop } from './receiving/mailbox-loop.js';
import { createReports } from './receiving/reports.js';
import { issuedAdvice, positions } from './records.js';
import { mailPayload } from './schemas.js';
import { emailDriver } from './sending/driver.js';
import { emailSender, SENDER } from './sending/sender.js';
import { settled } from './sending/settled.js';

/** Lets contacts write to numbers by e-mail: sends by SMTP, and receives by SMTP or from a mailbox. */
export const email = definePlugin<EmailOptions, Exclude<keyof EmailOptions, 'listener'>>({
  name: 'email',
  version: '0.1.0',
  causes,
  options: optionsSchema,
  collections: { positions, issuedAdvice },
  tasks: [mailTask],
  register(context, settings: Settings) {
    const mailboxes = createMailboxes(context);
    const metrics = createMetrics();
    const budget = createBudget(context.clock);
    const remedy = remedies(context);
    const reports = createReports(context, remedy);
    const listener = createListener(context, { ...settings, metrics });
    return {
      admin: emailAdminRoutes(context),
      channels: [emailDriver(context, settings)],
      senders: [emailSender(context, { mailboxes, budget, settings })],
      loops: [receivingLoop(context, { mailboxes, listener })],
      payloads: [mailPayload],
      on: [
        beforeCommit(deliverySettled, settled(context, remedy)),
        // A redelivered message is pending again.
        beforeCommit(deliveryQueued, ({ delivery: { sender, run, message } }, tx) =>
          sender === SENDER && run > 1 && message !== undefined ? context.messages.markPending(tx, message) : undefined,
        ),
        remedy.once.dismissals,
      ],
      consumes: [receivedConsumer(context, { reports, once: remedy.once, metrics })],
      metrics: metrics.define,
      errors: defaultErrors,
      async start() {
        await context.connections.connectAll(
          EMAIL,
          settings.numbers.map((number) => ({ ...number })),
        );
        listener.start();
      },
      stop() {
        listener.stop();
        mailboxes.stop();
      },
    };
  },
});

export type { EmailListener, EmailNumber, EmailOptions } from './options.js';
