import type { WebhookSender } from '#core/testing';
import { presentFields } from './fields.js';
import type { GraphNodes, GraphRequest } from './graph.js';
import { GraphError } from './graph-error.js';
import type { MediaStore } from './media.js';
import type { Messages } from './messages.js';
import type { Network } from './network.js';

/** The industries of a business profile. */
const VERTICALS: ReadonlySet<string> = new Set(
  `ALCOHOL APPAREL AUTO BEAUTY EDU ENTERTAIN EVENT_PLAN FINANCE GOVT GROCERY HEALTH HOTEL MATRIMONY_SERVICE NONPROFIT NOT_A_BIZ ONLINE_GAMBLING
  OTC_DRUGS OTHER PHYSICAL_GAMBLING PROF_SERVICES RESTAURANT RETAIL TRAVEL UNDEFINED`.split(/\s+/),
);
/** Calls of a number that only succeed. */
const ACKNOWLEDGED = new Set(['register', 'deregister', 'request_code', 'verify_code']);

/** `/{phone-number-id}`: its messages, media, profile and callback. */
export class NumberNodes implements GraphNodes {
  readonly #network: Network;
  readonly #messages: Messages;
  readonly #media: MediaStore;
  readonly #send: WebhookSender;
  readonly #profiles = new Map<string, Record<string, unknown>>();
  /** Set by `quality`: GREEN, YELLOW or RED. */
  readonly #quality = new Map<string, string>();

  constructor(parts: { network: Network; messages: Messages; media: MediaStore; send: WebhookSender }) {
    this.#network = parts.network;
    this.#messages = parts.messages;
    this.#media = parts.media;
    this.#send = parts.send;
  }

  has(id: string): boolean {
    return this.#network.numbers.some(({ phoneNumberId }) => phoneNumberId === id);
  }

  async call(request: GraphRequest): Promise<unknown> {
    const { method, id, edge } = request;
    const number = this.#network.number(id);
    if (method === 'POST' && edge === 'messages') {
      return this.#messages.post(number, await request.fields(), request.version, request.rule);
    }
    if (method === 'POST' && edge === 'media') return this.#media.upload(number, request);
    if (method === 'POST' && ACKNOWLEDGED.has(edge)) return { success: true };
    if (edge === 'whatsapp_business_profile') return this.#profile(request);
    if (edge !== '') return undefined;
    if (method === 'POST') return this.#configure(id, presentFields(await request.fields()));
    if (method !== 'GET') return undefined;
    const about = {
      id,
      display_phone_number: number.address,
      verified_name: 'Stand-in',
      quality_rating: this.#quality.get(id) ?? 'GREEN',
      throughput: { level: 'STANDARD' },
      code_verification_status: 'VERIFIED',
      webhook_configuration: { application: this.#network.webhooks.callbackOf('app'), phone_number: this.#network.webhooks.callbackOf(id) },
    };
    return selected(about, request.query, ['id', 'display_phone_number', 'verified_name', 'quality_rating']);
  }

  setQuality(id: string, quality: string): void {
    this.#quality.set(id, quality);
  }

  async #profile({ method, id, ...request }: GraphRequest): Promise<unknown> {
    const known = this.#profiles.get(id) ?? { messaging_product: 'whatsapp', vertical: 'UNDEFINED' };
    if (method === 'GET') return { data: [selected(known, request.query, Object.keys(known), 'messaging_product')] };
    // Here '' clears a field.
    const change = Object.fromEntries(Object.entries(await request.fields()).filter(([, value]) => value !== null));
    if ('vertical' in change && !VERTICALS.has(String(change.vertical || 'UNDEFINED')))
      throw new GraphError(100, undefined, { message: `(#100) Param vertical must be one of {${[...VERTICALS].join(', ')}}` });
    this.#profiles.set(id, { ...known, ...change, ...(change.vertical === '' && { vertical: 'UNDEFINED' }) });
    return { success: true };
  }

  /** The callback of the number alone. */
  async #configure(id: string, { webhook_configuration: configuration }: Readonly<Record<string, unknown>>): Promise<unknown> {
    const { override_callback_uri: url, verify_token: token } = Object(configuration) as Record<string, unknown>;
    if (url === undefined) this.#network.webhooks.unsubscribe(id);
    else await subscribe(this.#network, this.#send, id, url, token);
    return { success: true };
  }
}

/** `/{waba-id}`: its numbers and its subscription. Templates and flows of the account are nodes of their own. */
export class AccountNodes implements GraphNodes {
  readonly #network: Network;
  readonly #send: WebhookSender;
  readonly #edges: readonly GraphNodes[];

  /** `edges` are the nodes that know further edges of accounts. */
  constructor(parts: { network: Network; send: WebhookSender; edges: readonly GraphNodes[] }) {
    this.#network = parts.network;
    this.#send = parts.send;
    this.#edges = parts.edges;
  }

  has(id: string): boolean {
    return this.#network.numbers.some(({ wabaId }) => wabaId === id);
  }

  async call(request: GraphRequest): Promise<unknown> {
    const { method, id, edge } = request;
    const numbers = this.#network.account(id);
    if (edge === '' && method === 'GET') return selected({ ...accountOf(id), currency: 'EUR' }, request.query, Object.keys(accountOf(id)));
    if (edge === 'phone_numbers' && method === 'GET') {
      const data = numbers.map(({ phoneNumberId, address }) => ({
        id: phoneNumberId,
        display_phone_number: address,
        verified_name: 'Stand-in',
      }));
      return { data };
    }
    if (edge === 'subscribed_apps') return this.#subscription(request);
    for (const nodes of this.#edges) {
      const body = await nodes.call(request);
      if (body !== undefined) return body;
    }
    return undefined;
  }

  async #subscription({ method, id, ...request }: GraphRequest): Promise<unknown> {
    const { webhooks } = this.#network;
    if (method === 'GET') return { data: webhooks.isTied(id) ? [{ whatsapp_business_api_data: { id: '1', name: 'Stand-in app' } }] : [] };
    webhooks.tie(id, method === 'POST');
    const { override_callback_uri: url, verify_token: token } = presentFields(await request.fields());
    if (method === 'POST' && url !== undefined) await subscribe(this.#network, this.#send, id, url, token);
    else webhooks.unsubscribe(id);
    return { success: true };
  }
}

/** @throws GraphError 100 when the callback does not answer with the challenge */
async function subscribe({ webhooks }: Network, send: WebhookSender, key: string, url: unknown, token: unknown): Promise<void> {
  if (await webhooks.subscribe(key, String(url), String(token ?? ''), send)) return;
  throw new GraphError(100, undefined, {
    message: '(#2200) Callback verification failed: the callback did not answer with the challenge.',
  });
}

/** An account with the fields that the network shows by default. Clients require them also in the account of a flow. */
export const accountOf = (id: string) => ({ id, name: 'Stand-in account', timezone_id: '1', message_template_namespace: 'stand_in' });

/** The fields of `?fields=a,b{…}`, or the default ones, and the one that is always there. */
export function selected(
  object: Readonly<Record<string, unknown>>,
  query: URLSearchParams,
  defaults: readonly string[],
  constant = 'id',
): Record<string, unknown> {
  const asked = query
    .get('fields')
    ?.replace(/\{[^}]*\}|\([^)]*\)/g, '')
    .split(',');
  const names = asked?.map((name) => name.trim().split('.')[0]!) ?? defaults;
  return Object.fromEntries(
    Object.entries(object).filter(([name, value]) => value !== undefined && (name === constant || names.includes(name))),
  );
}
