import type { RecordedCall } from '#core';
import { texts } from './texts.js';

const UNAUTHORIZED = 401;
const TOO_MANY = 429;

/** Why a call has no number: it was refused, it was posted in place of a connector, or its route needs no token. */
export function withoutToken({ route, status }: Pick<RecordedCall, 'route' | 'status'>): string {
  if (route === null) return texts.noRoute;
  if (status === UNAUTHORIZED || status === TOO_MANY) return texts.noValidToken;
  return /^POST \/v1\/numbers\/[^/]+\/(messages|statuses)$/.test(route) ? texts.throughAdminApi : texts.noTokenNeeded;
}
