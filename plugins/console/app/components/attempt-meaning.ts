import { failureText } from '../../../../core/events/failure-text.js';
import type { AttemptRecord } from '../data/records.js';

/** Explanations of failures by error code. */
const MEANINGS: Readonly<Record<string, { readonly means: string; readonly fix: string }>> = {
  network_error: {
    means: 'The endpoint could not be reached, or closed the connection.',
    fix: 'Check that the program runs and listens on this host and port.',
  },
  timeout: { means: 'The endpoint did not respond within five seconds.', fix: 'Respond first, and do the work afterwards.' },
  dns_not_found: { means: 'The host name of the endpoint does not exist.', fix: 'Check the endpoint for typing errors.' },
  tls: { means: 'The TLS connection failed, usually because of the certificate.', fix: 'Check the certificate with curl -v.' },
  blocked_address: {
    means: 'The platform does not call private addresses.',
    fix: 'Allow private targets in its options, or use a public address.',
  },
  bad_url: { means: 'The endpoint is not a URL that can be called.', fix: 'Change the endpoint.' },
  bad_request: { means: 'The request could not be sent as it is.', fix: 'Check the additional headers of the webhook.' },
  bad_answer: {
    means: 'The response has status 2XX, but not the body that is required.',
    fix: 'Respond with {"messages":[{"id":"…"}]}.',
  },
  http_502: { means: 'A proxy before the endpoint did not reach it. This ends retries.', fix: 'Start the program behind the proxy.' },
  interrupted: { means: 'The platform stopped during the attempt.', fix: 'Nothing; the attempt is repeated.' },
};

const BY_STATUS: Readonly<Record<number, { readonly means: string; readonly fix: string }>> = {
  401: {
    means: 'The endpoint rejected the signature. This ends retries.',
    fix: 'Compare its secret, and sign the raw body. The page Signature finds the mistake.',
  },
  403: { means: 'The endpoint refused the call. This ends retries.', fix: 'Compare its secret and its access rules.' },
  404: { means: 'The endpoint has no such path. This ends retries.', fix: 'Check the path of the endpoint.' },
  405: { means: 'The endpoint does not take POST. This ends retries.', fix: 'Accept POST at this path.' },
  429: { means: 'The endpoint has a rate limit. This ends retries.', fix: 'Raise the limit for the platform.' },
};

/** Explains a failed attempt, and says how to fix it. */
export function meaningOf({ error_code: code, status, response, error, no_response: noResponse }: AttemptRecord): {
  readonly means: string;
  readonly fix: string;
} {
  const known = BY_STATUS[status] ?? MEANINGS[code ?? ''];
  if (known) return code === 'network_error' && noResponse ? { ...known, means: failureText({ code: noResponse }) } : known;
  // The status is not the one of the endpoint.
  if (response === null) return { means: `${error ?? 'The attempt failed'}.`, fix: 'The delivery has the details.' };
  if (status >= 300 && status < 400)
    return { means: 'The endpoint redirected the call; redirects are not followed.', fix: 'Enter the final URL as the endpoint.' };
  if (status >= 400 && status < 500)
    return { means: `The endpoint refused the call with ${status}. This ends retries.`, fix: 'Its response says why.' };
  if (status >= 500) return { means: `The endpoint failed with ${status}.`, fix: 'Look into the log of the endpoint.' };
  return { means: error ?? 'The attempt failed.', fix: 'The delivery has the details.' };
}
