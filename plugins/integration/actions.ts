import { Conflict, InvalidRequest, type MessageRecord, NotFound, type PluginContext, Unauthorized } from '#core';
import { historyMessage } from '#core/messaging';
import type { OfferedAction } from './answers/update.js';
import type { Exchange } from './client/exchange.js';
import { actionClicked, actionFinished } from './events.js';
import type { Integrations } from './integrations.js';
import type { Panels } from './panels/panels.js';
import { type ClickRecord, clicks } from './records.js';
import type { Trouble } from './schemas.js';

/** Time during which a click is stored and can be finished. */
const CLICK_LIFE_MS = 24 * 3_600_000;
/** Maximum number of expired clicks that a new click deletes. */
const MAX_DELETED = 20;
/** Number of recent messages in which to look for the last message of the contact. */
const MAX_SEARCHED = 50;

export interface Click {
  readonly conversation: string;
  readonly integration: string;
  readonly action: string;
  readonly option?: string | undefined;
  /** The message that the click is about; default: the last message of the contact. */
  readonly message?: string | undefined;
}

/** Clicks on actions of integrations (Integration context, "Action click" and the refresh rules). */
export type Actions = ReturnType<typeof createActions>;

export function createActions(
  {
    store,
    ids,
    clock,
    announce,
    conversations,
    contacts,
    messages,
    media,
    dialect,
  }: Pick<PluginContext, 'store' | 'ids' | 'clock' | 'announce' | 'conversations' | 'contacts' | 'messages' | 'media' | 'dialect'>,
  integrations: Integrations,
  panels: Panels,
  exchange: Exchange,
) {
  const records = store.open(clicks);

  return {
    /**
     * Posts a click to the integration. A failed call is a state of the returned click; it is not retried.
     * @returns the click, and whether the integration asked for a refresh
     * @throws NotFound, InvalidRequest, Conflict if the action is not offered, or the integration is disabled
     */
    async click({
      conversation: uuid,
      integration: owner,
      action: name,
      option,
      message: chosen,
    }: Click): Promise<{ click: ClickRecord; refresh: boolean }> {
      const integration = await integrations.require(owner);
      if (!integration.enabled) throw new Conflict('integration_off', `The integration '${integration.name}' is disabled; enable it first`);
      const conversation = await conversations.require(uuid);
      const offered = panels.shown(uuid, owner)?.update?.actions.find(({ action }) => action === name);
      if (!offered) throw new NotFound('action offered in the open panel of this conversation', name, 'action_not_found');
      checkOption(offered, option);
      const message = await messageFor(uuid, chosen);
      const contact = await contacts.require(conversation.contact);
      const click: ClickRecord = {
        uuid: ids.uuid(),
        integration: owner,
        number: integration.number,
        conversation: uuid,
        clicked_at: clock.now().toISOString(),
        state: 'sent',
      };
      // Stored before the call, because the integration may call notify/finish before it responds.
      await store.transaction(async (tx) => {
        const limit = new Date(clock.now().getTime() - CLICK_LIFE_MS).toISOString();
        const oldest = await tx.in(clicks).find('age', { limit: MAX_DELETED });
        for (const { uuid, clicked_at } of oldest) if (clicked_at < limit) tx.in(clicks).delete(uuid);
        tx.in(clicks).put(click);
      });
      const answer = await post();
      const trouble = answer.kind === 'trouble' ? answer.trouble : undefined;
      const refresh =
        answer.kind === 'answered' && answer.headers[dialect.headers.integrationRefresh.toLowerCase()]?.trim().toLowerCase() === 'true';
      const state = trouble ? ('failed' as const) : ('accepted' as const);
      const settled = await store.transaction(async (tx) => {
        // The integration may have been removed, or have finished the click, in the meantime.
        const current = await tx.in(clicks).get(click.uuid);
        const settled: ClickRecord = {
          ...(current ?? click),
          state,
          ...(answer.status !== undefined && { status: answer.status }),
          ...(trouble && { trouble }),
        };
        // Only the caller gets the full reason. It may contain a URL from the integration, so the stored click gets the kind of failure only.
        if (current) tx.in(clicks).put(trouble ? { ...settled, trouble: { ...trouble, reason: trouble.kind } } : settled);
        return settled;
      });
      announce(actionClicked, {
        integration: owner,
        number: integration.number,
        conversation: uuid,
        click: click.uuid,
        state,
        refresh,
        ...(trouble && { trouble: trouble.kind }),
        ...(answer.status !== undefined && { status: answer.status }),
      });
      return { click: settled, refresh };

      async function post() {
        const url = webUrl(offered!.url, integration.url);
        if (!url) {
          const failure: Trouble = { kind: 'bad_answer', reason: 'the URL of the action is not a valid HTTP or HTTPS URL' };
          return { kind: 'trouble' as const, trouble: failure, status: undefined };
        }
        const callback = {
          address: contact.id,
          integration_uuid: owner,
          integration_action_uuid: click.uuid,
          message: await historyMessage(media, message),
          ...(option !== undefined && { option }),
          payload: offered!.payload,
        };
        const about = { kind: 'action' as const, conversation: uuid, action: name, click: click.uuid };
        return exchange.post(integration, url, callback, { ...about, ...(option !== undefined && { option }) });
      }
    },

    /**
     * Finishes a click for an integration (refresh rule 2). The two uuids authorize the call; a token, if sent, must belong to the number of
     * the click. Idempotent.
     * @param number the number of the token
     * @returns whether this call finished the click, so that the conversation must be refreshed
     * @throws NotFound, Unauthorized
     */
    async finish(integration: string, uuid: string, number: string | undefined): Promise<boolean> {
      const known = await records.get(uuid);
      const isOver = known && clock.now().getTime() - Date.parse(known.clicked_at) > CLICK_LIFE_MS;
      if (!known || known.integration !== integration || isOver) throw new NotFound('action of this integration', uuid, 'action_not_found');
      if (number !== undefined && number !== known.number) throw new Unauthorized('The token belongs to another number');
      const isFirst = await store.transaction(async (tx) => {
        const click = await tx.in(clicks).get(uuid);
        if (!click || click.finished_at !== undefined) return false;
        tx.in(clicks).put({ ...click, finished_at: clock.now().toISOString() });
        tx.emit(actionFinished, { integration, number: click.number, conversation: click.conversation, click: uuid });
        return true;
      });
      return isFirst;
    },

    /** The newest clicks on actions of an integration, newest first. */
    clicksOf: (integration: string, limit: number): Promise<ClickRecord[]> =>
      records.find('integration', { equals: [integration], order: 'descending', limit }),

    conversationOf: async (uuid: string): Promise<string | undefined> => (await records.get(uuid))?.conversation,
  };

  /** Returns the message of a click; it must be a message of the contact. @throws NotFound, Conflict */
  async function messageFor(conversation: string, uuid: string | undefined): Promise<MessageRecord> {
    if (uuid !== undefined) {
      const message = await messages.get(uuid);
      if (message?.conversation !== conversation || message.direction !== 'inbound')
        throw new NotFound('message of the contact', uuid, 'message_not_found');
      return message;
    }
    const newest = (await conversations.newest(conversation, MAX_SEARCHED)).find(({ direction }) => direction === 'inbound');
    if (!newest) throw new Conflict('no_message', 'The action needs a message of the contact, and the contact has written none');
    return newest;
  }
}

function checkOption({ options }: OfferedAction, option: string | undefined): void {
  const known = options.map(({ option: key }) => key);
  if (options.length === 0 && option === undefined) return;
  if (option !== undefined && known.includes(option)) return;
  const message =
    known.length === 0 ? 'option is not allowed: this action has none' : `option must be one of ${known.slice(0, 20).join(', ')}`;
  throw new InvalidRequest([{ path: ['option'], rule: 'any.only', message }]);
}

function webUrl(written: string, base: string): string | undefined {
  if (!URL.canParse(written, base)) return undefined;
  const { protocol, username, password, href } = new URL(written, base);
  return (protocol === 'https:' || protocol === 'http:') && username === '' && password === '' ? href : undefined;
}
