import { beforeCommit, defaultErrors, definePlugin, deliveryQueued } from '#core';
import { createBudget, createMessageParts, messagesExpired, partOf } from '#core/messaging';
import { segmentsRoute } from './admin-routes.js';
import { causes } from './causes.js';
import { createAccounts, SMS } from './connection.js';
import { remedies } from './errors.js';
import { createMetrics } from './metrics.js';
import { optionsSchema, type Settings, type SmsOptions } from './options.js';
import { receivedConsumer } from './receiving/consumer.js';
import { createReports } from './receiving/reports.js';
import { issuedAdvice, partsRecords } from './records.js';
import { smsRoutes } from './routes.js';
import { smsPayload } from './schemas.js';
import { smsDriver } from './sending/driver.js';
import { SENDER, smsSender } from './sending/sender.js';
import { settled } from './sending/settled.js';

/** Lets contacts write to numbers by SMS, through a gateway that has an HTTP API. */
export const sms = definePlugin<SmsOptions, keyof SmsOptions>({
  name: 'sms',
  version: '0.1.0',
  causes,
  options: optionsSchema,
  collections: { parts: partsRecords, issuedAdvice },
  register(context, settings: Settings) {
    const accounts = createAccounts(context);
    const metrics = createMetrics();
    const budget = createBudget(context.clock);
    const messageParts = createMessageParts(context, SENDER);
    const { apply, dismissals } = remedies(context);
    const reports = createReports(context, apply);
    return {
      routes: smsRoutes(context, { accounts, metrics }),
      admin: [segmentsRoute],
      channels: [smsDriver(context, settings, messageParts)],
      senders: [smsSender(context, { accounts, budget, metrics, settings })],
      payloads: [smsPayload],
      on: [
        settled(accounts, apply, messageParts),
        beforeCommit(deliveryQueued, messageParts.queued),
        // The state of a part that is sent again is that of its earlier run.
        beforeCommit(deliveryQueued, async ({ delivery }, tx) => {
          const known = delivery.sender === SENDER && delivery.run > 1 && (await tx.in(partsRecords).get(delivery.message ?? ''));
          if (!known) return;
          const { [partOf(delivery).part]: _, ...states } = known.states;
          tx.in(partsRecords).put({ ...known, states });
        }),
        beforeCommit(messagesExpired, ({ messages }, tx) => {
          for (const message of messages) tx.in(partsRecords).delete(message);
        }),
        dismissals,
      ],
      consumes: [receivedConsumer(context, { accounts, reports, metrics, settings })],
      metrics: metrics.define,
      errors: defaultErrors,
      start: () => context.connections.connectAll(SMS, settings.numbers),
    };
  },
});

export type { GatewayName, SmsNumber, SmsOptions, SmsTexts } from './options.js';
