import {
  type Clock,
  Conflict,
  type Forms,
  isSameSecret,
  type JsonObject,
  type MessageRecord,
  NotFound,
  type NumberRecord,
  type PersonalData,
  PlatformError,
  type PluginContext,
  type Transaction,
  unixSeconds,
} from '#core';
import { findMessage } from '#core/messaging';
import type { Ids } from '#core/ports';
import type { LocalOperator } from '../operator/local-operator.js';
import type { PageContent } from '../preview/page-content.js';
import { type FlowRecord, type Opening, openings } from '../records.js';

const TOKEN_BYTES = 16;
const DAY_MS = 24 * 60 * 60 * 1000;
/** Lifetime of a link that is opened in the contact's place, and of one that the contact got. */
const OPEN_MS = DAY_MS;
const LINK_MS = 30 * DAY_MS;
const ID_BYTES = 39;
const PAGE = 100;

interface Parameters {
  readonly flow_id: string;
  readonly flow_cta?: string;
  readonly flow_token?: string;
  readonly flow_action?: string;
  readonly flow_action_payload?: NonNullable<PageContent['opened']>['flow_action_payload'];
}

type Ports = Pick<PluginContext, 'store' | 'messages' | 'numbers' | 'contacts' | 'conversations' | 'publicUrl'> & {
  clock: Clock;
  ids: Ids;
};

export type SentFlows = ReturnType<typeof createSentFlows>;

/** The pages of flows that were sent in messages: their links, what they show, and the responses of contacts. */
export function createSentFlows(
  { store, messages, numbers, contacts, conversations, clock, ids, publicUrl }: Ports,
  operator: LocalOperator,
  host?: string,
) {
  return {
    /** Deletes the links to the flows of messages that have expired. */
    async forget({ messages: expired }: { readonly messages: readonly string[] }, tx: Transaction): Promise<void> {
      for (const message of expired) await revoke(tx, message);
    },

    /** The pages of forms for channels: see `Forms`. */
    forms: {
      async definition({ account }, id) {
        const flow = await operator.get(id);
        return isOf(flow, account) ? (await operator.definition(id))?.bytes.toString() : undefined;
      },

      async refusal({ account }, { flow_id, flow_action }) {
        const flow = await operator.get(String(flow_id));
        if (!isOf(flow, account))
          return `The form ${JSON.stringify(flow_id)} is not one of this platform, so there is no page that shows it`;
        const asks = flow.outline.data_api_version !== undefined || flow_action === 'data_exchange';
        return asks ? `The form ${flow.id} asks an endpoint for data, and pages of forms call no endpoint` : undefined;
      },

      async link(tx, { uuid }) {
        const opening = { ...openingOf(uuid, LINK_MS), sent: true as const };
        tx.in(openings).put(opening);
        return urlOf(opening);
      },

      async linkOf(message) {
        const found = (await linksOf(message)).filter(({ used_at, expires_at }) => used_at === undefined && !isOver(expires_at));
        const newest = found.sort((a, b) => a.expires_at.localeCompare(b.expires_at)).at(-1);
        return newest && urlOf(newest);
      },

      revoke,
    } satisfies Partial<Forms>,

    personalData: {
      // They are deleted with their messages.
      erase: async () => ({}),
      async export({ conversations: theirs }) {
        const links: JsonObject[] = [];
        for (const conversation of theirs)
          for (let position = 0, page: MessageRecord[] | undefined; page === undefined || page.length === PAGE; ) {
            page = await conversations.after(conversation, position, PAGE);
            position = page.at(-1)?.position ?? position;
            for (const { uuid, direction, type } of page)
              if (direction === 'outbound' && type === 'interactive')
                links.push(...(await linksOf(uuid)).map(({ token: _, ...link }) => link));
          }
        return links.length > 0 ? { form_links: links } : undefined;
      },
    } satisfies PersonalData,

    /** Creates a link to the flow of a message. @param id of the message @throws NotFound if the message has no flow of the local operator, Conflict if the flow is blocked */
    async open(id: string): Promise<{ readonly url: string; readonly expires_at: string }> {
      const found = await findMessage({ numbers, messages }, id);
      const { message, flow } = await flowIn(found?.uuid ?? id);
      requireOpen(flow);
      const opening = openingOf(message.uuid, OPEN_MS);
      await store.transaction((tx) => tx.in(openings).put(opening));
      return { url: urlOf(opening), expires_at: opening.expires_at };
    },

    /** Returns the content of the page at the link. @throws NotFound when the token is unknown, 410 when it is expired or used, Conflict if the flow is blocked */
    async content(uuid: string, token: string): Promise<PageContent> {
      requireValid(await store.open(openings).get(token), uuid, token);
      const { message, flow, parameters } = await flowIn(uuid);
      requireOpen(flow);
      const definition = await operator.definition(flow.id);
      const { flow_token = 'unused', flow_action = 'navigate', flow_action_payload = {}, flow_cta } = parameters;
      return {
        // The label of the button, which the contact has seen; the name of the flow is for its authors.
        name: flow_cta || flow.name,
        status: flow.status,
        definition: definition?.bytes.toString() ?? '',
        errors: flow.validation_errors,
        hints: [],
        entries: flow.outline.entries,
        // Relative, because the host may serve the page under a prefix.
        opened: { answers: `${message.uuid}?token=${token}`, flow_token, flow_action, flow_action_payload },
      };
    },

    /** Uses the link, and records the response as a message of the contact. @throws like `content` */
    async answer(uuid: string, token: string, response: JsonObject): Promise<void> {
      const { message, flow, parameters } = await flowIn(uuid);
      const number = await numbers.require(message.number);
      const { flow_token = 'unused' } = parameters;
      const nfm_reply = { name: 'flow', body: 'Sent', response_json: JSON.stringify({ ...response, flow_token }) };
      await store.transaction(async (tx) => {
        const opening = requireValid(await tx.in(openings).get(token), uuid, token);
        requireOpen(flow);
        const contact = await contacts.latest(tx, { uuid: message.contact });
        tx.in(openings).put({ ...opening, used_at: clock.now().toISOString() });
        await messages.received(tx, number, {
          id: number.kind === 'channel' ? ids.uuid() : `wamid.${ids.secret(ID_BYTES)}`,
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

  function openingOf(message: string, ms: number): Opening {
    return { token: ids.secret(TOKEN_BYTES), message, expires_at: new Date(clock.now().getTime() + ms).toISOString() };
  }

  function urlOf({ message, token }: Opening): string {
    return `${host ?? publicUrl()}/flow-messages/${message}?token=${token}`;
  }

  function isOver(at: string): boolean {
    return Date.parse(at) <= clock.now().getTime();
  }

  async function linksOf(message: string): Promise<Opening[]> {
    return (await store.open(openings).find('message', { equals: [message] })).filter(({ sent }) => sent);
  }

  async function revoke(tx: Transaction, message: string): Promise<void> {
    for (const { token } of await tx.in(openings).find('message', { equals: [message] })) tx.in(openings).delete(token);
  }

  function requireValid(opening: Opening | undefined, message: string, token: string): Opening {
    if (!opening || !isSameSecret(opening.token, token) || opening.message !== message) throw new NotFound('opened flow', message);
    if (opening.used_at !== undefined) throw new PlatformError(410, 'form_used', `The form was sent at ${opening.used_at}`);
    if (isOver(opening.expires_at)) throw new PlatformError(410, 'form_expired', `The link to the form expired at ${opening.expires_at}`);
    return opening;
  }

  function requireOpen({ id, status }: FlowRecord): void {
    if (status === 'BLOCKED') throw new Conflict('flow_blocked', `The flow ${id} is blocked and cannot be opened`);
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

/** Whether a number of this account can show the flow: that of another account is like none. */
const isOf = (flow: FlowRecord | undefined, account: NumberRecord['account']): flow is FlowRecord =>
  flow !== undefined && (account === null || account === flow.account);
