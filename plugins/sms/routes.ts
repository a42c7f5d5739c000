import { isSameSecret, NotFound, object, oneOf, PlatformError, type PluginContext, type Route, route, string, unixSeconds } from '#core';
import { type Accounts, callbackPath, callbackSecret } from './connection.js';
import type { SmsMetrics } from './metrics.js';
import { pushReceived } from './receiving/queues.js';

/** More than the largest message with ten files. */
const MAX_BYTES = 64 * 1024;

/** The callbacks of gateways. */
export function smsRoutes(
  { store, secrets, clock, publicUrl }: Pick<PluginContext, 'store' | 'secrets' | 'clock' | 'publicUrl'>,
  { accounts, metrics }: { accounts: Accounts; metrics: SmsMetrics },
): Route[] {
  return [
    route({
      method: 'POST',
      path: '/sms/{number}/{what}',
      summary: 'Receives a message or a report from an SMS gateway.',
      auth: 'none',
      bucket: 'none',
      body: 'bytes',
      maxBytes: MAX_BYTES,
      request: { params: object({ number: string(), what: oneOf('messages', 'statuses') }) },
      responses: { 200: { contentType: 'text/xml' } },
      errors: [401, 404],
      async handler({ params: { number, what }, payload, headers, request }, h) {
        const connected = await accounts.of(number);
        if (!connected) throw new NotFound('connection of the number', number, 'connection_not_found');
        const { gateway, account } = connected;
        const form = new URLSearchParams((payload as Buffer).toString('utf8'));
        const search = /\?.*$/s.exec(request.raw.req.url ?? '')?.[0] ?? '';
        const query = new URLSearchParams(search);
        const secret = gateway.signs ? undefined : await secrets.get(callbackSecret(number));
        const isGenuine = gateway.signs
          ? gateway.isSigned({
              signature: headers['x-twilio-signature'] ?? '',
              urls: addressesOf(`${publicUrl()}${callbackPath(number, what)}${search}`),
              form,
              token: account.token,
            })
          : secret !== undefined && isSameSecret(query.get('secret') ?? '', secret);
        if (!isGenuine) {
          metrics.refused({ what: 'signature' });
          throw new PlatformError(401, 'sms_signature_wrong', `The call is not signed as ${gateway.title} signs calls to this number`);
        }
        const fields = fieldsOf(form);
        const of = query.get('m') ?? undefined;
        const at = unixSeconds(clock.now());
        const isKnown = await store.transaction((tx) =>
          pushReceived(tx, gateway, { number, gateway: account.gateway, what, fields, at, ...(of !== undefined && { of }) }),
        );
        // The gateway would repeat it as often as it is refused, and it stays what it is.
        if (!isKnown) metrics.refused({ what: 'form' });
        return h.response('<Response/>').type('text/xml');
      },
    }),
  ];
}

/**
 * The addresses under which a gateway may have signed a call: with and without the port that the scheme has anyway, and as it was sent or in the
 * spelling of the URL standard. Twilio is not consistent here.
 */
export function addressesOf(url: string): string[] {
  const { protocol, hostname, port, href } = new URL(url);
  const usual = protocol === 'https:' ? '443' : '80';
  const other = (one: string): string =>
    port === '' ? one.replace(`//${hostname}`, `//${hostname}:${usual}`) : one.replace(`//${hostname}:${port}`, `//${hostname}`);
  return [...new Set([url, href].flatMap((one) => [one, other(one)]))];
}

/** The fields of a form: of a repeated one the first. An unescaped plus of a phone number is read as a space. */
function fieldsOf(form: URLSearchParams): Record<string, string> {
  const fields: Record<string, string> = {};
  for (const [name, value] of form) fields[name] ??= value.replace(/^ (?=[1-9]\d{6,14}$)/, '+');
  return fields;
}
