import { anyValue, boolean, type JsonObject, object, type Route, record, route, string } from '#core';
import { errorPageOf } from '../preview/error-page.js';
import { pageResponse } from '../preview/page.js';
import type { SentFlows } from './sent-flows.js';

const params = object({ uuid: string() });
const query = object({ token: string() });

const CLOSED = {
  title: 'This form is closed',
  detail: 'It was sent already, it was opened more than a day ago, or the link is incomplete.',
  action: 'Go back to the conversation and open it again.',
};

/** Serves a flow that was sent in a message as a page, and receives the response. The token in the URL is the credential. */
export const sentFlowRoutes = (sentFlows: SentFlows): Route[] => [
  route({
    method: 'GET',
    path: '/flow-messages/{uuid}',
    summary: 'Shows the flow of a message as a form; the token in the URL is the credential.',
    auth: 'none',
    bucket: 'none',
    request: { params, query },
    responses: { 200: { contentType: 'text/html' } },
    errorPage: errorPageOf(() => CLOSED),
    async handler({ params: { uuid }, query: { token } }, h) {
      return pageResponse(h, await sentFlows.content(uuid, token));
    },
  }),
  route({
    method: 'POST',
    path: '/flow-messages/{uuid}',
    summary: 'Submits the form; the response arrives as a message of the contact.',
    makesDeliveries: true,
    auth: 'none',
    bucket: 'none',
    request: { params, query, payload: object({ response: record(anyValue()) }) },
    responses: { 200: object({ success: boolean().valid(true) }) },
    async handler({ params: { uuid }, query: { token }, payload: { response } }) {
      await sentFlows.answer(uuid, token, response as JsonObject);
      return { success: true };
    },
  }),
];
