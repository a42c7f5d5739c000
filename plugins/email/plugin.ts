import { beforeCommit, defaultErrors, definePlugin, deliveryQueued } from '#core';
import { createBudget, createMessageParts } from '#core/messaging';
import { emailAdminRoutes } from './admin-routes.js';
import { createTransports, EMAIL } from './connection.js';
import { mailTask } from './content/mail.js';
import { remedies } from './errors.js';
import { causes } from './libraries.js';
import { createMetrics } from './metrics.js';
import { type EmailOptions, optionsSchema, type Settings } from './options.js';
import { receivedConsumer } from './receiving/consumer.js';
import { createListener } from './receiving/listener.js';
import { receivingLoop } from './receiving/mailbox-loop.js';
import { createReports } from './receiving/reports.js';
import { issuedAdvice, positions } from './records.js';
import { mailPayload } from './schemas.js';
import { emailDriver } from './sending/driver.js';
import { emailSender, SENDER, settled } from './sending/sender.js';

/** Lets contacts write to numbers by e-mail: sends by SMTP, and receives by SMTP or from a mailbox. */
export const email = definePlugin<EmailOptions, Exclude<keyof EmailOptions, 'listener'>>({
  name: 'email',
  version: '0.1.0',
  causes,
  options: optionsSchema,
  collections: { positions, issuedAdvice },
  tasks: [mailTask],
  register(context, settings: Settings) {
    const transports = createTransports(context);
    const metrics = createMetrics();
    const budget = createBudget(context.clock);
    const sends = createMessageParts(context, SENDER);
    const remedy = remedies(context);
    const reports = createReports(context, remedy);
    const listener = createListener(context, { ...settings, metrics });
    return {
      admin: emailAdminRoutes(context),
      channels: [emailDriver(context, settings, sends)],
      senders: [emailSender(context, { transports, budget, settings })],
      loops: [receivingLoop(context, listener)],
      payloads: [mailPayload],
      on: [settled(sends, remedy), beforeCommit(deliveryQueued, sends.queued), remedy.once.dismissals],
      consumes: [receivedConsumer(context, { reports, once: remedy.once, metrics })],
      metrics: metrics.define,
      errors: defaultErrors,
      async start() {
        await context.connections.connectAll(EMAIL, settings.numbers);
        listener.start();
      },
      stop() {
        listener.stop();
        transports.stop();
      },
    };
  },
});

export type { EmailListener, EmailNumber, EmailOptions } from './options.js';
