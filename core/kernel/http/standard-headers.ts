import type { Request, ResponseObject } from '@hapi/hapi';
import { RETRY_AFTER_SECONDS } from './answers.js';
import { BROWSER_HEADERS } from './browser-guard.js';
import { withCorsHeaders } from './cors.js';
import { mountedRoute, requestId } from './mounted-route.js';
import { rateHeaders, rateStateOf } from './rate-limit.js';

/** Adds the headers that every response of the platform has. */
export function withStandardHeaders(request: Request, response: ResponseObject): ResponseObject {
  const rate = rateStateOf(request);
  // Set directly: `response.header` does more work than these headers need.
  const { headers } = response;
  headers['x-request-id'] = requestId(request);
  if (response.statusCode >= 500) headers['retry-after'] ??= RETRY_AFTER_SECONDS;
  if (rate) Object.assign(headers, rateHeaders(rate));
  // Also the answers of preflight requests, whose routes are not those of the platform.
  if (request.method === 'options' || mountedRoute(request)?.route.origins) withCorsHeaders(request, response);
  for (const name in BROWSER_HEADERS) headers[name] ||= BROWSER_HEADERS[name]!;
  return response;
}
