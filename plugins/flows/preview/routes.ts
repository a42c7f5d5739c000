import { type Clock, isSameSecret, NotFound, object, type Route, route, string } from '#core';
import { PreviewExpired } from '../errors.js';
import type { LocalOperator } from '../operator/local-operator.js';
import { errorPageOf } from './error-page.js';
import { pageResponse } from './page.js';

const EXPIRED = {
  title: 'This preview has expired',
  detail: 'The address of a preview is valid for 30 days.',
  action: 'Ask the person who sent you this address for a new one.',
};
const UNKNOWN = {
  title: 'Preview not found',
  detail: 'The link is incomplete, a newer link has replaced it, or the flow was deleted.',
  action: 'Check that you have the complete address, or ask the person who sent it to you for a new one.',
};

/** Serves preview pages. The token in the URL is the credential. */
export const previewRoute = (operator: LocalOperator, clock: Clock): Route =>
  route({
    method: 'GET',
    path: '/flow-preview/{flow_id}',
    summary: 'Shows the preview of a flow; the token in the URL is the credential.',
    auth: 'none',
    bucket: 'none',
    request: { params: object({ flow_id: string() }), query: object({}, { token: string().allow('') }) },
    responses: { 200: { contentType: 'text/html' } },
    errors: [410],
    errorPage: errorPageOf((error) => (error instanceof PreviewExpired ? EXPIRED : UNKNOWN)),
    async handler({ params: { flow_id }, query: { token = '' } }, h) {
      const preview = await operator.previewOf(flow_id);
      if (!preview || !isSameSecret(token, preview.token)) throw new NotFound('preview', flow_id);
      if (Date.parse(preview.expires_at) <= clock.now().getTime()) throw new PreviewExpired(preview.expires_at);
      const [flow, definition] = await Promise.all([operator.get(flow_id), operator.definition(flow_id)]);
      if (!flow || !definition) throw new NotFound('preview', flow_id);
      return pageResponse(h, {
        name: flow.name,
        status: flow.status,
        definition: definition.bytes.toString(),
        errors: flow.validation_errors,
        hints: flow.hints,
        entries: flow.outline.entries,
      });
    },
  });
