import type { HttpOutcome } from '../ports/http-client.js';

/** Why an attempt got no response. The status of such an attempt, 502, 504 or 0, follows from the retry policy: no endpoint sent it. */
export const noResponses = [
  ...(['refused', 'timed_out', 'reset', 'closed', 'unreachable', 'unknown_host', 'name_server', 'tls', 'invalid_response'] as const),
  ...(['private_address', 'invalid_url', 'invalid_request', 'interrupted', 'failed'] as const),
] as const;
export type NoResponse = (typeof noResponses)[number];

/** By the codes of `HttpOutcome`. */
const byCode: Readonly<Record<string, NoResponse>> = {
  ECONNREFUSED: 'refused',
  ETIMEDOUT: 'timed_out',
  UND_ERR_CONNECT_TIMEOUT: 'timed_out',
  ECONNRESET: 'reset',
  ECONNABORTED: 'reset',
  EPIPE: 'closed',
  UND_ERR_SOCKET: 'closed',
  EHOSTUNREACH: 'unreachable',
  ENETUNREACH: 'unreachable',
  EADDRNOTAVAIL: 'unreachable',
  ENOTFOUND: 'unknown_host',
  ENODATA: 'unknown_host',
  EBADNAME: 'unknown_host',
  EAI_AGAIN: 'name_server',
  ESERVFAIL: 'name_server',
  ETIMEOUT: 'name_server',
  EREFUSED: 'name_server',
  TLS: 'tls',
  BAD_RESPONSE: 'invalid_response',
  UND_ERR_HEADERS_OVERFLOW: 'invalid_response',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'invalid_response',
  BLOCKED_ADDRESS: 'private_address',
  BAD_URL: 'invalid_url',
  BAD_REQUEST: 'invalid_request',
};

/** Why an attempt got no response; undefined if the endpoint responded. Without an outcome the attempt was interrupted. */
export function noResponseOf(outcome: HttpOutcome | undefined): NoResponse | undefined {
  if (!outcome) return 'interrupted';
  if (outcome.kind === 'response') return undefined;
  return outcome.kind === 'timeout' ? 'timed_out' : (byCode[outcome.code] ?? 'failed');
}
