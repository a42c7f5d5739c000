import { fields, NotFound, type Route, route, text, whole } from '#core';
import type { LocalOperator } from './local-operator.js';

/** Where definitions are fetched from by plain GET (Resources, "Flow asset"). */
export const downloadRoute = (operator: LocalOperator): Route =>
  route({
    method: 'GET',
    path: '/flow-assets/{flow_id}/flow.json',
    summary: 'Gives the definition of a flow to whoever holds its address.',
    auth: 'none',
    bucket: 'none',
    request: { params: fields({ flow_id: text() }), query: fields({ expires: whole(), signature: text() }) },
    responses: { 200: { contentType: 'application/json' } },
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
