import { isIP } from 'node:net';
import { messageOf } from '../../errors.js';

/** Why a response is missing or incomplete. */
export interface HttpFailure {
  readonly permanent: boolean;
  readonly code: string;
  readonly reason: string;
}

const UNKNOWN_NAME = new Set(['ENOTFOUND', 'ENODATA', 'EBADNAME']);
const UNTRUSTED = 'the certificate is not signed by an authority that this machine trusts';

const reasons: Readonly<Record<string, string>> = {
  EAI_AGAIN: 'the host name could not be resolved; the name server may be temporarily unavailable',
  ESERVFAIL: 'the name server failed',
  ETIMEOUT: 'the name server did not respond',
  EREFUSED: 'the name server refused the query',
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was reset',
  ECONNABORTED: 'the connection was aborted',
  EPIPE: 'the connection was closed while the request was sent',
  EHOSTUNREACH: 'the host is unreachable',
  ENETUNREACH: 'the network of the host is unreachable',
  EADDRNOTAVAIL: 'the network of the host is unreachable',
  ETIMEDOUT: 'the host did not accept the connection in time',
  UND_ERR_CONNECT_TIMEOUT: 'the host did not accept the connection in time',
  BAD_RESPONSE: 'the response is not valid HTTP',
  UND_ERR_SOCKET: 'the connection was closed before the response was complete',
  UND_ERR_HEADERS_OVERFLOW: 'the headers of the response are larger than 128 KB',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'the response body does not match its content-length',
  CERT_HAS_EXPIRED: 'TLS: the certificate has expired',
  CERT_NOT_YET_VALID: 'TLS: the certificate is not valid yet',
  ERR_TLS_CERT_ALTNAME_INVALID: 'TLS: the certificate is for another name',
  DEPTH_ZERO_SELF_SIGNED_CERT: `TLS: ${UNTRUSTED}`,
  SELF_SIGNED_CERT_IN_CHAIN: `TLS: ${UNTRUSTED}`,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: `TLS: ${UNTRUSTED}`,
  UNABLE_TO_GET_ISSUER_CERT: `TLS: ${UNTRUSTED}`,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: `TLS: ${UNTRUSTED}`,
  EPROTO: 'TLS: the handshake failed',
};

/** Converts a network error to a code and a reason in plain English. */
export function failureOf(error: unknown, host: string): HttpFailure {
  const code = codeOf(error);
  if (UNKNOWN_NAME.has(code)) return { permanent: true, code, reason: nameReason(error) ?? `the host ${host} does not exist` };
  if (code === 'BLOCKED_ADDRESS') return blockedFailure(host);
  if (code === 'UND_ERR_DESTROYED' || code === 'UND_ERR_CLOSED') return stoppedFailure;
  const reason = (reasons[code] ?? reasonByKind(code, error)) + (code === 'BAD_RESPONSE' ? parserReason(error) : '');
  return { permanent: false, code: reason.startsWith('TLS:') ? 'TLS' : code, reason };
}

export const blockedFailure = (host: string): HttpFailure => ({
  permanent: true,
  code: 'BLOCKED_ADDRESS',
  reason: `${host} ${isIP(host) === 0 ? 'resolves to' : 'is'} a loopback or private address, which privateTargets does not allow`,
});

/** The request itself is invalid; nothing was sent. */
export const unusable = (code: 'BAD_URL' | 'BAD_REQUEST', reason: string): HttpFailure => ({ permanent: true, code, reason });

/** The platform aborted the request. */
export const stoppedFailure: HttpFailure = { permanent: false, code: 'STOPPED', reason: 'the platform is stopping' };

/** The caller aborted the request with its signal. */
export const abortedFailure: HttpFailure = { permanent: false, code: 'ABORTED', reason: 'the caller aborted the request' };

function codeOf(error: unknown): string {
  const { code, name, errors } = error as { code?: unknown; name?: unknown; errors?: readonly unknown[] };
  if (name === 'HTTPParserError') return 'BAD_RESPONSE';
  if (typeof code === 'string') return code;
  // A connection attempt to several addresses reports one error per address.
  return errors?.[0] === undefined ? 'UNKNOWN' : codeOf(errors[0]);
}

/** Why no host can have the name, if that is known. */
const nameReason = (error: unknown): string | undefined => (error as { readonly reason?: string }).reason;

/** The fault that the parser has found, for example `Invalid header token`. */
function parserReason(error: unknown): string {
  const found = /\((.+)\)$/.exec(messageOf(error))?.[1];
  return found === undefined ? '' : `: ${found}`;
}

function reasonByKind(code: string, error: unknown): string {
  if (code.startsWith('ERR_SSL')) return 'TLS: the handshake failed';
  const message = messageOf(error);
  return /^(ERR_TLS|CERT_|UNABLE_TO|INVALID_CA|HOSTNAME_|CRL_)/.test(code) ? `TLS: ${message}` : `the request failed: ${message}`;
}
