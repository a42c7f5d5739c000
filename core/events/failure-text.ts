/** Why a call to an endpoint failed, as sentences for people. */
const sentences: Readonly<Record<string, string>> = {
  refused: 'The connection was refused: no program listens at this address.',
  timed_out: 'It did not respond in time.',
  timeout: 'It did not respond in time.',
  reset: 'The connection was reset before a response.',
  closed: 'The connection was closed before a response.',
  unreachable: 'No connection to its address could be made.',
  unknown_host: 'The host name does not exist.',
  dns_not_found: 'The host name does not exist.',
  name_server: 'The name server did not respond, so the host name is unknown.',
  tls: 'The TLS connection failed, usually because of the certificate.',
  invalid_response: 'What it sent is not an HTTP response.',
  private_address: 'It was not called: the platform does not call private addresses.',
  blocked_address: 'It was not called: the platform does not call private addresses.',
  invalid_url: 'It was not called: its URL is not one that can be called.',
  bad_url: 'It was not called: its URL is not one that can be called.',
  invalid_request: 'It was not called: the request could not be sent as it is.',
  bad_request: 'It was not called: the request could not be sent as it is.',
  interrupted: 'The platform stopped during the call.',
  bad_answer: 'The body of its response is not the one that is required.',
  redirected: 'It redirected the call; redirects are not followed.',
  encoded: 'Its response has a content encoding; send it without compression.',
  too_large: 'Its response is too large.',
  not_json: 'Its response is not JSON.',
  too_deep: 'The JSON of its response is nested too deeply.',
  not_ready: 'Its handshake failed.',
  removed: 'The integration was deleted.',
  http_404: 'It has no such path.',
  http_405: 'It does not take POST at this path.',
  http_401: 'It rejected the signature.',
  http_403: 'It refused access.',
  http_429: 'It has a rate limit.',
};

/** Codes of which the status of the response says more. */
const ONLY_STATUS = /^(http_\w+|refused|failed)$/;

/** A sentence about a failed call. @param status of the response; undefined without one */
export function failureText({ code, status }: { readonly code: string; readonly status?: number | null | undefined }): string {
  if (status === undefined || status === null || status === 0) return sentences[code] ?? 'There was no response.';
  const known = sentences[ONLY_STATUS.test(code) ? `http_${status}` : code];
  return `It responded ${status}${known === undefined ? '' : `: ${known.charAt(0).toLowerCase()}${known.slice(1, -1)}`}.`;
}

export const reasons: Readonly<Record<string, string>> = {
  exhausted: 'every retry failed',
  expired: 'the retry was due too late',
  expired_in_queue: 'its retry waited too long in the queue',
  interrupted: 'the platform stopped during every attempt',
  http_4xx: 'the response says that a retry is pointless',
  http_502: 'a response 502 ends retries',
  dns_not_found: 'the host name does not exist',
  tls: 'the TLS connection failed',
  by_hand: 'an operator cancelled it',
  webhook_disabled: 'the webhook is disabled',
  webhook_removed: 'the webhook was deleted',
  blocked_address: 'the address is private',
  bad_url: 'the URL cannot be called',
  bad_request: 'the request could not be sent as it is',
  unknown_outcome: 'it is unknown whether the service accepted it',
  contact_erased: 'the contact was erased',
  not_connected: 'the number is not connected any more',
  earlier_part_failed: 'an earlier part of the message failed',
  network_error: 'the connection failed',
  timeout: 'there was no response in time',
};

/** Why a delivery was dropped or cancelled, to follow `because`. A reason of a plugin is shown in its own words. */
export const reasonText = (reason: string): string => reasons[reason] ?? reason.replaceAll('_', ' ');
