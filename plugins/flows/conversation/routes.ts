import { anyValue, boolean, type JsonObject, object, type PluginContext, type Route, record, route, string } from '#core';
import { type ErrorText, errorPageOf } from '../preview/error-page.js';
import { pageResponse } from '../preview/page.js';
import type { SentFlows } from './sent-flows.js';

const params = object({ uuid: string() });
const query = object({ token: string() });

/** Wrong links that a client may open in a minute. */
const MAX_WRONG = 30;

const UNKNOWN = {
  title: 'This form is not available',
  detail: 'The link is incomplete, or it was withdrawn.',
  action: 'Go back to the conversation and open it again.',
};
const BLOCKED = { title: 'This form is closed', detail: 'It cannot be filled in at the moment.', action: 'Please try again later.' };
const texts: Readonly<Record<string, ErrorText>> = {
  form_used: { title: 'This form was sent', detail: 'Your response has arrived.', action: 'You can close this page.' },
  form_expired: {
    title: 'This form has expired',
    detail: 'The link to it is not valid any more.',
    action: 'Go back to the conversation and ask for a new one.',
  },
  flow_blocked: BLOCKED,
  rate_limited: { title: 'Too many wrong links', detail: 'Links to forms are not checked now.', action: 'Try again in a minute.' },
};

/** Serves a flow that was sent in a message as a page, and receives the response. The token in the URL is the credential. */
export function sentFlowRoutes(
  sentFlows: SentFlows,
  { callLimit, clientAddress }: Pick<PluginContext, 'callLimit' | 'clientAddress'>,
): Route[] {
  // Behind a proxy all contacts have its address, so calls with the right link are not counted.
  const wrong = callLimit({ name: 'wrong links to forms', calls: MAX_WRONG });
  const common = { path: '/flow-messages/{uuid}', auth: 'none', bucket: 'none', errors: [409, 410, 429] } as const;
  return [
    route({
      ...common,
      method: 'GET',
      summary: 'Shows the flow of a message as a form; the token in the URL is the credential.',
      request: { params, query },
      responses: { 200: { contentType: 'text/html' } },
      errorPage: errorPageOf(({ code }) => texts[code] ?? UNKNOWN),
      async handler({ params: { uuid }, query: { token }, request }, h) {
        return pageResponse(h, await wrong.countMisses(clientAddress(request), sentFlows.content(uuid, token)));
      },
    }),
    route({
      ...common,
      method: 'POST',
      summary: 'Submits the form; the response arrives as a message of the contact.',
      makesDeliveries: true,
      request: { params, query, payload: object({ response: record(anyValue()) }) },
      responses: { 200: object({ success: boolean().valid(true) }) },
      async handler({ params: { uuid }, query: { token }, payload: { response }, request }) {
        await wrong.countMisses(clientAddress(request), sentFlows.answer(uuid, token, response as JsonObject));
        return { success: true };
      },
    }),
  ];
}
