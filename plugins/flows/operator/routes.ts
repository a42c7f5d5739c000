import { Forbidden, integer, NotFound, object, type Route, route, string } from '#core';
import { errorPageOf } from '../preview/error-page.js';
import type { LocalOperator } from './local-operator.js';

const EXPIRED = {
  title: 'This address is no longer valid',
  detail: 'The download address of a flow is valid for one hour.',
  action: 'Request the assets of the flow again to get a new address.',
};
const UNKNOWN = {
  title: 'Flow not found',
  detail: 'The link is incomplete, or the flow was deleted.',
  action: 'Check that you have the complete address, or request the assets of the flow again.',
};

/** Serves definitions to a plain GET; the signed URL is the credential (Resources, "Flow asset"). */
export const downloadRoute = (operator: LocalOperator): Route =>
  route({
    method: 'GET',
    path: '/flow-assets/{flow_id}/flow.json',
    summary: 'Downloads the definition of a flow; the signature in the address is the credential.',
    auth: 'none',
    bucket: 'none',
    request: { params: object({ flow_id: string() }), query: object({ expires: integer(), signature: string() }) },
    responses: { 200: { contentType: 'application/json' } },
    errorPage: errorPageOf((error) => (error instanceof Forbidden ? EXPIRED : UNKNOWN)),
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
