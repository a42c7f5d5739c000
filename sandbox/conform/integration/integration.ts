import { randomUUID } from 'node:crypto';
import { CONFORMANCE_MARK as MARK } from '../../../core/events/conformance-mark.js';
import { expect } from '../check.js';
import { type Exchange, gotOf, isSuccess, jsonOf } from '../exchange.js';
import { type Post, SignedEndpoint, type SignedOptions } from '../signed.js';

/** How a run reaches an integration. */
export interface IntegrationOptions extends SignedOptions {
  /** The token that the platform sends in the header Authorization; without it, checks of the token are skipped. */
  readonly token?: string | undefined;
  /** The scheme of the token; `Bearer` if not given. */
  readonly scheme?: 'Bearer' | 'Token' | undefined;
}

// biome-ignore lint/suspicious/noExplicitAny: checks look at any part of a response
export type Json = any;

/** The number of the contact of every conversation; no network assigns numbers that begin with 999. */
const OWNER = '+999000000001';

export class Integration extends SignedEndpoint {
  readonly #token: string | undefined;
  readonly #scheme: string;
  #handshake: Promise<Exchange> | undefined;
  #update: Promise<Exchange> | undefined;

  constructor(options: IntegrationOptions) {
    super(options);
    this.#token = options.token;
    this.#scheme = options.scheme ?? 'Bearer';
  }

  override missing(need: string): string | undefined {
    return need === 'token' && this.#token === undefined ? 'needs the API token of the integration: give --token' : undefined;
  }

  /** Requests to integrations have no subscription. */
  subscription(): undefined {
    return undefined;
  }

  sample(text: string): string {
    return JSON.stringify(this.conversation([message(text, 'inbound')]));
  }

  /** A conversation that loads (Resources, "Integration context objects"). */
  conversation(messages: readonly object[]): object {
    const chat = { uuid: randomUUID(), contact_uuid: randomUUID(), owner: OWNER, state: 'OPEN', state_reason: null, unread_count: 1 };
    return { chat: { ...chat, assigned_to: null, permalink: 'https://a.invalid', inserted_at: NOW, updated_at: NOW }, messages };
  }

  override post(body: string | Buffer, how: Post & { readonly token?: string | null } = {}): Promise<Exchange> {
    const token = how.token === undefined ? this.#token : how.token;
    const headers = [...(token ? [['Authorization', `${this.#scheme} ${token}`] as const] : []), ...(how.headers ?? [])];
    return super.post(body, { ...how, headers });
  }

  /** The response to a conversation with these messages, newest first. */
  refresh(messages: readonly object[]): Promise<Exchange> {
    return this.post(JSON.stringify(this.conversation(messages)));
  }

  /** The handshake, made once. */
  async handshake(): Promise<{ exchange: Exchange; json: Json; capabilities: Json }> {
    this.#handshake ??= this.post(JSON.stringify({ handshake: true, name: MARK }), { query: 'handshake=true' });
    const exchange = await this.#noted(this.#handshake);
    const json = jsonOf(exchange) as Json;
    return { exchange, json, capabilities: json?.capabilities ?? {} };
  }

  /** The response to a conversation with an inbound text, made once. */
  async update(): Promise<{ exchange: Exchange; json: Json }> {
    this.#update ??= this.refresh([message('When is my loan due?', 'inbound'), message('Welcome', 'outbound')]);
    const exchange = await this.#noted(this.#update);
    return { exchange, json: jsonOf(exchange) ?? {} };
  }

  /** Posts a click on the first action. @returns undefined if the integration offers none */
  async click(): Promise<Exchange | undefined> {
    const { json } = await this.update();
    const [action] = Object.values<Json>(isObject(json.actions) ? json.actions : {});
    if (!action) return undefined;
    const option = isObject(action.options) ? Object.keys(action.options)[0] : undefined;
    const body = {
      address: OWNER,
      integration_uuid: randomUUID(),
      integration_action_uuid: randomUUID(),
      message: message('When is my loan due?', 'inbound'),
      ...(option !== undefined && { option }),
      payload: action.payload,
    };
    return this.post(JSON.stringify(body), { url: new URL(action.url, this.url).href });
  }

  async #noted(exchange: Promise<Exchange>): Promise<Exchange> {
    const done = await exchange;
    this.log.note(done);
    return done;
  }
}

const NOW = '2026-01-05T08:00:00.000000Z';

export const isObject = (value: unknown): value is Record<string, Json> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A message of the history. */
export function message(text: string, direction: 'inbound' | 'outbound'): object {
  const about = { id: `${MARK}-${randomUUID()}`, timestamp: '1767600000', type: 'text', text: { body: text } };
  return {
    ...about,
    [direction === 'inbound' ? 'from' : 'to']: OWNER.slice(1),
    _vnd: { v1: { direction, author: { type: 'OWNER' }, labels: [] } },
  };
}

/** @throws CheckFailed unless the response is a JSON object with a 2XX status */
export function expectObject(exchange: Exchange, what: string): asserts exchange {
  expect(isSuccess(exchange), `a 2XX response to ${what}`, gotOf(exchange));
  expect(isObject(jsonOf(exchange)), `a JSON object in response to ${what}`, () => String(exchange.response?.body).slice(0, 200));
}
