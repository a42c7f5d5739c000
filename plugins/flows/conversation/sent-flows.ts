import {
  type Clock,
  Conflict,
  isSameSecret,
  type JsonObject,
  type MessageRecord,
  NotFound,
  type PluginContext,
  type Transaction,
  unixSeconds,
} from '#core';
import { findMessage } from '#core/messaging';
import type { Ids } from '#core/ports';
import type { LocalOperator } from '../operator/local-operator.js';
import type { PageContent } from '../preview/page-content.js';
import { type FlowRecord, type Opening, openings } from '../records.js';

const TOKEN_BYTES = 24;
/** Lifetime of the link to an opened flow. */
const OPEN_MS = 24 * 60 * 60 * 1000;
const ID_BYTES = 39;

interface Parameters {
  readonly flow_id: string;
  readonly flow_token?: string;
  readonly flow_action?: string;
  readonly flow_action_payload?: NonNullable<PageContent['opened']>['flow_action_payload'];
}

type Ports = Pick<PluginContext, 'store' | 'messages' | 'numbers' | 'contacts' | 'publicUrl'> & { clock: Clock; ids: Ids };

export type SentFlows = ReturnType<typeof createSentFlows>;

/** Plays the phone of a contact for flows that were sent in messages: opens the flow, and sends the contact's response. */
export function createSentFlows(
  { store, messages, numbers, contacts, clock, ids, publicUrl }: Ports,
  operator: LocalOperator,
  host?: string,
) {
  return {
    /** Deletes the links to the flows of messages that have expired. */
    async forget({ messages: expired }: { readonly messages: readonly string[] }, tx: Transaction): Promise<void> {
      for (const message of expired)
        for (const { token } of await tx.in(openings).find('message', { equals: [message] })) tx.in(openings).delete(token);
    },

    /** Creates a link to the flow of a message. @param id of the message @throws NotFound if the message has no flow of the local operator, Conflict if the flow is blocked */
    async open(id: string): Promise<{ readonly url: string; readonly expires_at: string }> {
      const found = await findMessage({ numbers, messages }, id);
      const { message, flow } = await flowIn(found?.uuid ?? id);
      if (flow.status === 'BLOCKED') throw new Conflict('flow_blocked', `The flow ${flow.id} is blocked and cannot be opened`);
      const opening = {
        token: ids.secret(TOKEN_BYTES),
        message: message.uuid,
        expires_at: new Date(clock.now().getTime() + OPEN_MS).toISOString(),
      };
      await store.transaction((tx) => tx.in(openings).put(opening));
      return { url: `${host ?? publicUrl()}/flow-messages/${message.uuid}?token=${opening.token}`, expires_at: opening.expires_at };
    },

    /** Returns the content of the page at the link. @throws NotFound when the token is unknown, expired or used */
    async content(uuid: string, token: string): Promise<PageContent> {
      requireValid(await store.open(openings).get(token), uuid, token);
      const { message, flow, parameters } = await flowIn(uuid);
      const definition = await operator.definition(flow.id);
      const { flow_token = 'unused', flow_action = 'navigate', flow_action_payload = {} } = parameters;
      return {
        name: flow.name,
        status: flow.status,
        definition: definition?.bytes.toString() ?? '',
        errors: flow.validation_errors,
        hints: [],
        entries: flow.outline.entries,
        // Relative, because the host may serve the page under a prefix.
        opened: { answers: `${message.uuid}?token=${token}`, flow_token, flow_action, flow_action_payload },
      };
    },

    /** Invalidates the token and records the response as an inbound message of the contact. @throws NotFound when the token is unknown, expired or used */
    async answer(uuid: string, token: string, response: JsonObject): Promise<void> {
      const { message, parameters } = await flowIn(uuid);
      const [number, contact] = await Promise.all([numbers.require(message.number), contacts.require(message.contact)]);
      const { flow_token = 'unused' } = parameters;
      const nfm_reply = { name: 'flow', body: 'Sent', response_json: JSON.stringify({ ...response, flow_token }) };
      await store.transaction(async (tx) => {
        requireValid(await tx.in(openings).get(token), uuid, token);
        tx.in(openings).delete(token);
        await messages.received(tx, number, {
          id: `wamid.${ids.secret(ID_BYTES)}`,
          contact: { id: contact.id, name: typeof contact.fields.name === 'string' ? contact.fields.name : contact.id },
          from: contact.address,
          timestamp: unixSeconds(clock.now()),
          type: 'interactive',
          content: { interactive: { type: 'nfm_reply', nfm_reply } },
          context: { id: message.external_id ?? message.uuid, from: number.address },
        });
      });
    },
  };

  function requireValid(opening: Opening | undefined, message: string, token: string): void {
    const isValid =
      opening !== undefined &&
      isSameSecret(opening.token, token) &&
      opening.message === message &&
      Date.parse(opening.expires_at) > clock.now().getTime();
    if (!isValid) throw new NotFound('opened flow', message);
  }

  async function flowIn(uuid: string): Promise<{ message: MessageRecord; flow: FlowRecord; parameters: Parameters }> {
    const message = await messages.get(uuid);
    const interactive = message?.content.interactive as { type?: string; action?: { parameters?: Parameters } } | undefined;
    const parameters = interactive?.type === 'flow' ? interactive.action?.parameters : undefined;
    const flow = parameters && (await operator.get(parameters.flow_id));
    if (message?.direction !== 'outbound' || !flow) throw new NotFound('message with a flow', uuid, 'message_not_found');
    return { message, flow, parameters };
  }
}
