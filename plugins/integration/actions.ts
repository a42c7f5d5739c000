import { Conflict, InvalidRequest, type MessageRecord, NotFound, type PluginContext, Unauthorized } from '#core';
import { historyMessage } from '#core/areas';
import type { OfferedAction } from './answers/update.js';
import type { Exchange } from './client/exchange.js';
import { actionClicked, actionFinished } from './events.js';
import type { Integrations } from './integrations.js';
import type { Panels } from './panels/panels.js';
import { type ClickRecord, clicks } from './records.js';
import type { Trouble } from './schemas.js';

/** Milliseconds for which a click can be finished, and is remembered. */
const CLICK_LIFE_MS = 24 * 3_600_000;
/** Old clicks that go with every new one. */
const SWEPT = 20;
/** Messages among which the one that an action is about is looked for when none is named. */
const SEARCHED = 50;

export interface Click {
  readonly conversation: string;
  readonly integration: string;
  readonly action: string;
  readonly option?: string | undefined;
  /** The message it is about; the newest of the contact if not given. */
  readonly message?: string | undefined;
}

/** What a person clicks on, and what becomes of it (Integration context, "Action click" and the refresh rules). */
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
     * Tells the integration of a click. A failure is a state of the click, and the click is not repeated by itself.
     * @throws NotFound, InvalidRequest, Conflict when there is nothing to click on
     */
    async click({
      conversation: uuid,
      integration: owner,
      action: name,
      option,
      message: chosen,
    }: Click): Promise<{ click: ClickRecord; refresh: boolean }> {
      const integration = await integrations.require(owner);
      if (!integration.enabled) throw new Conflict('integration_off', `The integration '${integration.name}' is switched off`);
      const conversation = await conversations.require(uuid);
      const offered = panels.shown(uuid, owner)?.update?.actions.find(({ action }) => action === name);
      if (!offered) throw new NotFound('action offered in this conversation as it is open now', name);
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
      // It is there before the integration hears of it, which may say that it is done before it has answered.
      await store.transaction(async (tx) => {
        const limit = new Date(clock.now().getTime() - CLICK_LIFE_MS).toISOString();
        const oldest = await tx.in(clicks).find('age', { limit: SWEPT });
        for (const { uuid, clicked_at } of oldest) if (clicked_at < limit) tx.in(clicks).delete(uuid);
        tx.in(clicks).put(click);
      });
      const answer = await tell();
      const trouble = answer.kind === 'trouble' ? answer.trouble : undefined;
      const refresh =
        answer.kind === 'answered' && answer.headers[dialect.headers.integrationRefresh.toLowerCase()]?.trim().toLowerCase() === 'true';
      const state = trouble ? ('failed' as const) : ('accepted' as const);
      const settled = await store.transaction(async (tx) => {
        // The integration may have been removed meanwhile, or have said that it is done.
        const current = await tx.in(clicks).get(click.uuid);
        const settled: ClickRecord = {
          ...(current ?? click),
          state,
          ...(answer.status !== undefined && { status: answer.status }),
          ...(trouble && { trouble }),
        };
        // Whoever clicked reads the reason, which may name an address that the integration returned; it is not kept.
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

      async function tell() {
        const url = webUrl(offered!.url, integration.url);
        if (!url) {
          const wrong: Trouble = { kind: 'bad_answer', reason: 'the address of the action is none on the web' };
          return { kind: 'trouble' as const, trouble: wrong, status: undefined };
        }
        const callback = {
          address: contact.id,
          integration_uuid: owner,
          integration_action_uuid: click.uuid,
          message: await historyMessage(media, message),
          ...(option !== undefined && { option }),
          payload: offered!.payload,
        };
        // What it answers is not looked at, so that an answer that is packed or long is as good as any.
        return exchange.post(integration, url, callback, { bodyMatters: false });
      }
    },

    /**
     * An integration says that an action is done (refresh rule 2). The two names are what it has to know; a token, when there
     * is one, has to be of the same number. Said again it changes nothing. @throws NotFound, Unauthorized
     * @returns whether there is something to refresh
     */
    async finish(integration: string, uuid: string, number: string | undefined): Promise<boolean> {
      const known = await records.get(uuid);
      const isOver = known && clock.now().getTime() - Date.parse(known.clicked_at) > CLICK_LIFE_MS;
      if (!known || known.integration !== integration || isOver) throw new NotFound('action of this integration', uuid);
      if (number !== undefined && number !== known.number) throw new Unauthorized('The token is of another number');
      const isFirst = await store.transaction(async (tx) => {
        const click = await tx.in(clicks).get(uuid);
        if (!click || click.finished_at !== undefined) return false;
        tx.in(clicks).put({ ...click, finished_at: clock.now().toISOString() });
        tx.emit(actionFinished, { integration, number: click.number, conversation: click.conversation, click: uuid });
        return true;
      });
      return isFirst;
    },

    conversationOf: async (uuid: string): Promise<string | undefined> => (await records.get(uuid))?.conversation,
  };

  /** The message an action is about is one that the contact wrote. */
  async function messageFor(conversation: string, uuid: string | undefined): Promise<MessageRecord> {
    if (uuid !== undefined) {
      const message = await messages.get(uuid);
      if (message?.conversation !== conversation || message.direction !== 'inbound') throw new NotFound('message of the contact', uuid);
      return message;
    }
    const newest = (await conversations.newest(conversation, SEARCHED)).find(({ direction }) => direction === 'inbound');
    if (!newest) throw new Conflict('no_message', 'The contact has written nothing that an action could be about');
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
