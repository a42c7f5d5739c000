import { readShownJson } from '#core/basics';
import type { HttpCall, HttpEffect, SecretTemplate } from '../engine/effect.js';

/** A request as text: with the values of secrets for sending, or with placeholders for showing to people. */
export interface HttpRequestText {
  readonly method: string;
  /** Including the query. */
  readonly url: string;
  /** Names keep their spelling; repeated headers are joined with commas. */
  readonly headers: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly body: string | null;
}

/** The placeholder of a secret where people can read it. */
export const redacted = (name: string): string => `‹redacted:${name}›`;

/** Builds the text of a request. `secret` returns the text for a name. Escapes the query values, but not the existing URL. */
export function requestText({ method, url, query, headers, body }: HttpEffect, secret: (name: string) => string): HttpRequestText {
  const plain = (template: SecretTemplate): string =>
    typeof template === 'string' ? template : template.map((part) => (typeof part === 'string' ? part : secret(part.secret))).join('');
  const [base = '', fragment] = plain(url).trim().split('#', 2);
  const added = query.map(([name, value]) => [name, plain(value)] as const);
  const addedQuery = added.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join('&');
  const fullUrl = addedQuery === '' ? base : `${base}${base.includes('?') ? '&' : '?'}${addedQuery}`;
  const fields: Record<string, string> = {};
  for (const [name, value] of headers) {
    const text = plain(value);
    const existing = Object.keys(fields).find((key) => key.toLowerCase() === name.toLowerCase());
    fields[existing ?? name] = existing === undefined ? text : `${fields[existing]}, ${text}`;
  }
  return {
    method,
    url: fragment === undefined ? fullUrl : `${fullUrl}#${fragment}`,
    headers: fields,
    query: { ...Object.fromEntries(new URLSearchParams(base.split('?')[1] ?? '')), ...Object.fromEntries(added) },
    body: body === null ? null : plain(body),
  };
}

/** The record of an HTTP call that has no response yet. */
export const callOf = (request: HttpRequestText): HttpCall => ({
  ...request,
  json: readShownJson(request.body),
  params: {},
  status: null,
  mocked: false,
  failures: [],
});
