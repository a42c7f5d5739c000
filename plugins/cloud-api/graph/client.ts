import type Joi from 'joi';
import type { HttpOutcome, PluginContext } from '#core';
import { type FormPart, multipart, ServiceUnreachable } from '#core/messaging';
import { GraphError, graphUnreachable, readGraph } from './errors.js';
import { delayBefore, ruleOf } from './remedies.js';

const DEADLINE_MS = 15_000;
const TRANSFER_DEADLINE_MS = 120_000;
const MAX_RESPONSE_BYTES = 4 * 1024 * 1024;

/** A call to the network's Graph API. */
export interface GraphCall {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Below the version: `/1065…/messages`. */
  readonly path: string;
  readonly token: string;
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly json?: object;
  readonly form?: readonly FormPart[];
  /** Repeats the call after temporary errors. The default for GET; a repeated call must not have an effect twice. */
  readonly isRepeatable?: boolean;
  readonly deadlineMs?: number;
  /** The fields that the caller reads of the response, which can have others. If not given, any JSON is returned. */
  readonly reads?: Joi.ObjectSchema;
}

/** Where the network's API is. */
export interface GraphAddress {
  /** Without the version: `https://host`. */
  readonly graphUrl: string;
  /** Such as `v25.0`. */
  readonly graphVersion: string;
  /** Host names to which a download sends the token, besides that of `graphUrl`; a name that begins with a dot allows its subdomains. */
  readonly mediaHosts: readonly string[];
}

/** The client of the network's Graph API, on the platform's HTTP port. */
export type Graph = ReturnType<typeof createGraph>;

export function createGraph({ http, clock, ids }: Pick<PluginContext, 'http' | 'clock' | 'ids'>, address: GraphAddress) {
  const base = `${address.graphUrl.replace(/\/+$/, '')}/${address.graphVersion}`;

  return {
    /** The absolute URL of a path. */
    urlOf: (path: string): string => `${base}${path}`,

    /**
     * Calls the API and returns the JSON of its response. @throws GraphError when the network refuses the call, ServiceUnreachable without a
     * response that can be read
     */
    async call<T = unknown>(call: GraphCall): Promise<T> {
      const { method, isRepeatable = method === 'GET' } = call;
      for (let attempt = 1; ; attempt++) {
        try {
          return (await once(call)) as T;
        } catch (error) {
          const delay = isRepeatable || isSurelyNotSent(error) ? repetition(error, attempt) : undefined;
          if (delay === undefined) throw error;
          await clock.sleep(delay);
        }
      }
    },

    /**
     * Downloads a file. Sends the token only to the hosts that are allowed, also after a redirect, of which it follows one.
     * @throws GraphError for any status but 2XX, ServiceUnreachable without a response
     */
    async download(url: string, token: string, maxBytes: number): Promise<{ bytes: Uint8Array; isCut: boolean; type: string | undefined }> {
      let at = url;
      for (let hops = 0; ; hops++) {
        const outcome = await http.send({
          method: 'GET',
          url: at,
          headers: mayHaveToken(at) ? { Authorization: `Bearer ${token}` } : {},
          deadlineMs: TRANSFER_DEADLINE_MS,
          maxResponseBytes: maxBytes,
        });
        const next = redirectOf(outcome, at);
        if (next !== undefined && hops === 0) at = next;
        else return fileOf(outcome, maxBytes);
      }
    },
  };

  async function once({ method, path, token, query, json, form, deadlineMs, reads }: GraphCall): Promise<unknown> {
    const url = new URL(`${base}${path}`);
    for (const [name, value] of Object.entries(query ?? {})) if (value !== undefined) url.searchParams.set(name, String(value));
    const body = form ? multipart(form) : json ? { body: JSON.stringify(json), type: 'application/json' } : undefined;
    const outcome = await http.send({
      method,
      url: url.href,
      headers: { Authorization: `Bearer ${token}`, ...(body && { 'Content-Type': body.type }) },
      ...(body && { body: body.body }),
      deadlineMs: deadlineMs ?? (form ? TRANSFER_DEADLINE_MS : DEADLINE_MS),
      maxResponseBytes: MAX_RESPONSE_BYTES,
    });
    const answer = readGraph(outcome);
    const fault = reads?.validate(answer, { allowUnknown: true, convert: false }).error;
    // A proxy or another server answers at the address: a repetition gets the same answer.
    if (fault) throw graphUnreachable(`its response is not one of its API: ${fault.message}`, { isPermanent: true });
    return answer;
  }

  function repetition(error: unknown, attempt: number): number | undefined {
    if (error instanceof ServiceUnreachable) {
      return error.isPermanent ? undefined : delayBefore({ remedy: 'repeat' }, { attempt, random: ids.random() });
    }
    if (!(error instanceof GraphError)) return undefined;
    return delayBefore(ruleOf(error.code, error.status), { attempt, random: ids.random(), retryAfterMs: error.retryAfterMs });
  }

  function mayHaveToken(url: string): boolean {
    if (!URL.canParse(url)) return false;
    const { hostname, host } = new URL(url);
    if (host === new URL(address.graphUrl).host) return true;
    return address.mediaHosts.some((name) => (name.startsWith('.') ? hostname.endsWith(name) : hostname === name));
  }
}

const isSurelyNotSent = (error: unknown): boolean => error instanceof ServiceUnreachable && !error.isSent;

function redirectOf(outcome: HttpOutcome, from: string): string | undefined {
  if (outcome.kind !== 'response' || outcome.status < 300 || outcome.status > 399) return undefined;
  const { location } = outcome.headers;
  return location !== undefined && URL.canParse(location, from) ? new URL(location, from).href : undefined;
}

function fileOf(outcome: HttpOutcome, maxBytes: number): { bytes: Uint8Array; isCut: boolean; type: string | undefined } {
  if (outcome.kind === 'response' && outcome.status >= 200 && outcome.status < 300) {
    const length = Number(outcome.headers['content-length'] ?? outcome.body.length);
    if (!outcome.cut) return { bytes: outcome.body, isCut: false, type: outcome.headers['content-type'] };
    if (length > maxBytes || outcome.body.length >= maxBytes) return { bytes: outcome.body, isCut: true, type: undefined };
    throw graphUnreachable('the file was cut off');
  }
  readGraph(outcome);
  throw graphUnreachable('the file is missing in the response');
}
