import { anyValue, boolean, type JsonObject, object, type Route, record, route, string } from '#core';
import { pageResponse } from '../preview/page.js';
import { troublePage } from '../preview/trouble-page.js';
import type { Openings } from './openings.js';

const params = object({ uuid: string() });
const query = object({ token: string() });

const CLOSED = {
  title: 'This form is not open any more',
  sentence: 'It has been sent already, it was opened more than a day ago, or the address is not complete.',
  todo: 'Go back to the conversation and open it again.',
};

/** A flow that was opened from a conversation: the page, and where it sends what was filled in. Whoever holds the address may. */
export const openedRoutes = (openings: Openings): Route[] => [
  route({
    method: 'GET',
    path: '/flow-messages/{uuid}',
    summary: 'Shows the flow of a message to be filled in, as it was opened from the conversation.',
    auth: 'none',
    bucket: 'none',
    request: { params, query },
    responses: { 200: { contentType: 'text/html' } },
    errorPage: troublePage(() => CLOSED),
    async handler({ params: { uuid }, query: { token } }, h) {
      return pageResponse(h, await openings.content(uuid, token));
    },
  }),
  route({
    method: 'POST',
    path: '/flow-messages/{uuid}',
    summary: 'Takes what was filled in; it comes in as a message of the contact.',
    makesDeliveries: true,
    auth: 'none',
    bucket: 'none',
    request: { params, query, payload: object({ response: record(anyValue()) }) },
    responses: { 200: object({ success: boolean().valid(true) }) },
    async handler({ params: { uuid }, query: { token }, payload: { response } }) {
      await openings.answer(uuid, token, response as JsonObject);
      return { success: true };
    },
  }),
];
