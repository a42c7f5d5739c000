import type { FaultRules, NetworkFault, RecordedCall, Reply, StandInReply } from '#core/testing';
import { errorAnswer, GraphError, unknownObject } from './graph-error.js';
import type { GraphVersion, Network } from './network.js';
import { refusalOf, ruleFor, type StandInRule } from './rules.js';

/** A call of Graph: `/v25.0/{id}` or `/v25.0/{id}/{edge}`. */
export interface GraphRequest {
  readonly method: string;
  readonly id: string;
  /** '' if the path ends with the id. */
  readonly edge: string;
  readonly query: URLSearchParams;
  readonly version: GraphVersion;
  /** The fault rule that applies to the accepted request. */
  readonly rule: StandInRule | undefined;
  /** The fields of a JSON body, of a form, or of the query. @throws GraphError 100 for a body that cannot be read */
  fields(): Promise<Readonly<Record<string, unknown>>>;
  /** @throws GraphError 100 for a body that is not a form */
  form(): Promise<FormData>;
  /** Whether a part of the form has a content type of its own. */
  hasOwnType(part: string): boolean;
}

/** Objects of Graph: numbers, accounts, media, templates or flows. */
export interface GraphNodes {
  has(id: string): boolean;
  /** The JSON body of the response; undefined for a method or an edge that the node does not have. @throws GraphError */
  call(request: GraphRequest): unknown;
}

/** A path without a version has that of the app. */
const VERSIONED = /^(?:\/v(\d+)\.(\d+)(\/.*)|(\/\d.*))$/;
const APP_VERSION = { major: 25, minor: 0 } as const;

/** Routes calls to the nodes that they name, after the token was checked and the fault rules were applied. */
export class Graph {
  readonly #network: Network;
  readonly #rules: FaultRules<StandInRule>;
  readonly #accessToken: string;
  readonly #nodes: readonly GraphNodes[];
  #errors = 0;

  constructor(parts: { network: Network; rules: FaultRules<StandInRule>; accessToken: string; nodes: readonly GraphNodes[] }) {
    this.#network = parts.network;
    this.#rules = parts.rules;
    this.#accessToken = parts.accessToken;
    this.#nodes = parts.nodes;
  }

  /** Whether a call has the token. */
  isAuthorized({ headers }: RecordedCall): boolean {
    return headers.authorization === `Bearer ${this.#accessToken}`;
  }

  /** Answers a call whose path begins with a version or with an id; undefined for other paths. */
  async answer(call: RecordedCall, url: URL): Promise<StandInReply | NetworkFault | undefined> {
    const [, major, minor, versioned, path = versioned] = VERSIONED.exec(url.pathname) ?? [];
    if (path === undefined) return undefined;
    try {
      return await this.#call(
        call,
        major === undefined ? APP_VERSION : { major: Number(major), minor: Number(minor) },
        path,
        url.searchParams,
      );
    } catch (error) {
      if (!(error instanceof GraphError)) throw error;
      return this.refused(error);
    }
  }

  /** The response for an error. */
  refused({ fields }: GraphError): Reply {
    return errorAnswer(fields, `A${String(++this.#errors).padStart(22, '0')}`, this.#network.switches.throttledStatus);
  }

  async #call(call: RecordedCall, version: GraphVersion, path: string, query: URLSearchParams): Promise<StandInReply | NetworkFault> {
    this.#authorize(call);
    const rule = ruleFor(this.#rules, call, path);
    const refusal = rule && refusalOf(rule);
    if (refusal) return refusal;
    const [, id = '', ...edges] = decoded(path).split('/');
    const request = { method: call.method, id, edge: edges.join('/'), query, version, rule, ...bodyOf(call, query) };
    const body = await this.#nodes.find((nodes) => nodes.has(id))?.call(request);
    if (body === undefined) throw unknownObject(id);
    if (rule?.connection === 'reset after') return 'reset';
    if (rule?.connection === 'silent') return 'hang';
    const isDoubled = rule?.connection === 'answer twice';
    return { body, ...(rule?.holdMs !== undefined && { afterMs: rule.holdMs }), ...(isDoubled && { isDoubled }) };
  }

  /** @throws GraphError 190, 104 */
  #authorize(call: RecordedCall): void {
    if (this.isAuthorized(call)) return;
    if (call.headers.authorization !== undefined) {
      throw new GraphError(190, undefined, { message: 'Invalid OAuth access token - Cannot parse access token' });
    }
    throw new GraphError(this.#network.switches.missingToken, undefined, {
      message: '(#200) Provide valid app ID',
      ...(this.#network.switches.missingToken === 104 && { message: 'An access token is required to request this resource.', status: 200 }),
    });
  }
}

/** @throws GraphError 100 for a path that is not percent-encoded text */
function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    throw unknownObject(path.slice(1));
  }
}

/** Readers of the body of a call. */
function bodyOf(call: RecordedCall, query: URLSearchParams): Pick<GraphRequest, 'fields' | 'form' | 'hasOwnType'> {
  const type = call.headers['content-type'] ?? '';
  const unreadable = (): GraphError => new GraphError(100, undefined, { message: '(#100) The body of the request cannot be read.' });
  const form = async (): Promise<FormData> => {
    try {
      return await new Response(Buffer.from(call.body), { headers: { 'content-type': type } }).formData();
    } catch {
      throw unreadable();
    }
  };
  return {
    form,
    hasOwnType(part) {
      const heads = Buffer.from(call.body)
        .toString('latin1')
        .split('\r\n\r\n')
        .map((text) => text.slice(text.lastIndexOf('\r\n--') + 1));
      return heads.some((head) => new RegExp(`\\bname="?${part}"?(;|\\s|$)`, 'i').test(head) && /^content-type:/im.test(head));
    },
    async fields() {
      if (call.body.length === 0) return Object.fromEntries(query);
      if (/form/.test(type)) return Object.fromEntries(await form());
      try {
        const value: unknown = call.json;
        if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
      } catch {
        // Refused below, as JSON that is not an object.
      }
      throw unreadable();
    },
  };
}
