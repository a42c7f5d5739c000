import { Forbidden, integer, NotFound, object, type Route, route, string } from '#core';
import { troublePage } from '../preview/trouble-page.js';
import type { LocalOperator } from './local-operator.js';

const EXPIRED = {
  title: 'This address is not good any more',
  sentence: 'An address to download a flow is good for an hour, for that flow alone.',
  todo: 'Ask for the assets of the flow again: they come with a new address.',
};
const UNKNOWN = {
  title: 'There is no flow here',
  sentence: 'The address is not complete, or the flow has been deleted.',
  todo: 'Check that you have all of the address, or ask for the assets of the flow again.',
};

/** Where definitions are fetched from by plain GET (Resources, "Flow asset"). */
export const downloadRoute = (operator: LocalOperator): Route =>
  route({
    method: 'GET',
    path: '/flow-assets/{flow_id}/flow.json',
    summary: 'Gives the definition of a flow to whoever holds its address.',
    auth: 'none',
    bucket: 'none',
    request: { params: object({ flow_id: string() }), query: object({ expires: integer(), signature: string() }) },
    responses: { 200: { contentType: 'application/json' } },
    errorPage: troublePage((error) => (error instanceof Forbidden ? EXPIRED : UNKNOWN)),
    async handler({ params: { flow_id }, query: { expires, signature } }, h) {
      operator.links.check(flow_id, expires, signature);
      const found = await operator.definition(flow_id);
      if (!found) throw new NotFound('flow', flow_id);
      return h
        .response(found.bytes)
        .type('application/json')
        .etag(found.sha256)
        .header('expires', new Date(expires * 1000).toUTCString())
        .header('cache-control', 'private')
        .header('content-disposition', 'attachment; filename="flow.json"')
        .header('x-content-type-options', 'nosniff');
    },
  });
