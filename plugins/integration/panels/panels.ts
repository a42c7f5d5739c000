import type { ConversationView, Logger, PluginContext, Timer } from '#core';
import { historyOf } from '#core/areas';
import { readUpdate, type Update } from '../answers/update.js';
import type { Exchange } from '../client/exchange.js';
import { contextPolled } from '../events.js';
import type { Integrations } from '../integrations.js';
import type { IntegrationRecord } from '../records.js';
import type { Trouble } from '../schemas.js';

/** Messages of its history that an integration is told (Integration context objects). */
const HISTORY = 10;
/** Conversations that are held open at the same time; the one that was looked at least recently is let go. */
const MAX_OPEN = 1_000;

/** What one integration shows beside one conversation. */
export interface Panel {
  readonly integration: string;
  readonly name: string;
  /** `stale`: the last attempt failed, and what was there before still stands. */
  readonly state: 'loaded' | 'stale' | 'failed';
  readonly loaded_at?: string;
  readonly trouble?: Trouble;
  readonly update?: Update;
  /** Of the answer that the update was in. */
  readonly bytes: number;
}

type Opened = Omit<Parameters<ConversationView['load']>[0], 'refresh'>;

interface Open {
  opened: Opened;
  panels: Map<string, Panel>;
  closing: Timer;
  /** The poll under way, which whoever comes meanwhile waits for as well. */
  polling?: Promise<void>;
}

/**
 * What integrations returned for the conversations that are open. It lives in the memory of this process and nowhere else,
 * and goes when nobody has looked for a while: nothing an integration returns is stored (Integration context API).
 */
export type Panels = ReturnType<typeof createPanels>;

export function createPanels(
  {
    conversations,
    contacts,
    clock,
    announce,
    media,
    publicUrl,
  }: Pick<PluginContext, 'conversations' | 'contacts' | 'clock' | 'announce' | 'media' | 'publicUrl'>,
  integrations: Integrations,
  exchange: Exchange,
  { openMs, openBytes }: { readonly openMs: number; readonly openBytes: number },
) {
  const all = new Map<string, Open>();

  return {
    /** The panels of a conversation in the order of its integrations; asked for when there are none yet, or on demand. */
    async load(opened: Opened, refresh: boolean): Promise<Panel[]> {
      return look(opening(opened), refresh);
    },

    /** Asks again, if somebody still looks; an answer to a question from before counts no more. It is no look by itself. */
    async refresh(uuid: string, log: Logger): Promise<void> {
      await all.get(uuid)?.polling;
      const open = all.get(uuid);
      if (!open) return;
      const conversation = await conversations.require(uuid);
      const contact = await contacts.require(conversation.contact);
      open.opened = { ...open.opened, conversation, contact, log };
      await look(open, true);
    },

    /** What an integration shows in an open conversation. */
    shown: (conversation: string, integration: string): Panel | undefined => all.get(conversation)?.panels.get(integration),

    /** What an integration showed is over: it was changed, switched off or removed. */
    forget(integration: string): void {
      for (const { panels } of all.values()) panels.delete(integration);
    },

    close(): void {
      for (const uuid of all.keys()) letGo(uuid);
    },
  };

  async function look(open: Open, refresh: boolean): Promise<Panel[]> {
    const { opened } = open;
    let wanted = await expectedBy(opened);
    if (refresh || !isComplete(open, wanted)) {
      const isOfOthers = open.polling !== undefined;
      await polled(open, wanted);
      wanted = await expectedBy(opened);
      // It began before an integration was made or mended.
      if (isOfOthers && !isComplete(open, wanted)) await polled(open, wanted);
    } else await open.polling;
    return wanted.flatMap(({ uuid, name }) => {
      const panel = open.panels.get(uuid);
      return panel ? { ...panel, name } : [];
    });
  }

  function polled(open: Open, wanted: readonly IntegrationRecord[]): Promise<void> {
    open.polling ??= poll(open, wanted);
    return open.polling;
  }

  async function expectedBy({ number }: Opened): Promise<IntegrationRecord[]> {
    return (await integrations.ofNumber(number.uuid)).filter(({ enabled }) => enabled);
  }

  function opening(opened: Opened): Open {
    const { uuid } = opened.conversation;
    const known = all.get(uuid);
    known?.closing.cancel();
    const open: Open = known ?? { opened, panels: new Map(), closing: { cancel: () => {} } };
    open.opened = opened;
    open.closing = clock.after(openMs, () => letGo(uuid));
    // Set anew, so that the order of the map is the order of the last look.
    all.delete(uuid);
    all.set(uuid, open);
    if (all.size > MAX_OPEN) letGo([...all.keys()][0]!);
    return open;
  }

  function letGo(uuid: string): void {
    all.get(uuid)?.closing.cancel();
    all.delete(uuid);
  }

  /** Lets go of the conversations that were looked at least recently, until what integrations returned is not too much. */
  function makeRoom(): void {
    const sizes = [...all].map(([uuid, { panels }]) => ({ uuid, bytes: sum([...panels.values()].map(({ bytes }) => bytes)) }));
    let held = sum(sizes.map(({ bytes }) => bytes));
    for (const { uuid, bytes } of sizes.slice(0, -1)) {
      if (held <= openBytes) return;
      letGo(uuid);
      held -= bytes;
    }
  }

  async function poll(open: Open, wanted: readonly IntegrationRecord[]): Promise<void> {
    try {
      const { conversation } = open.opened;
      const messages = await conversations.newest(conversation.uuid, HISTORY);
      const body = await historyOf({ media, publicUrl }, { ...open.opened, messages });
      await Promise.all(wanted.map((integration) => pollOne(open, integration, body)));
      makeRoom();
    } finally {
      delete open.polling;
    }
  }

  async function pollOne(open: Open, integration: IntegrationRecord, body: object): Promise<void> {
    const { uuid, name, number, handshake } = integration;
    const before = open.panels.get(uuid);
    const failed = (trouble: Trouble): Panel => ({
      integration: uuid,
      name,
      state: before?.update ? 'stale' : 'failed',
      trouble,
      bytes: before?.bytes ?? 0,
      ...(before?.update && { update: before.update, loaded_at: before.loaded_at! }),
    });
    if (!handshake.capabilities) {
      open.panels.set(uuid, failed(notReady(handshake.trouble)));
      return;
    }
    const answer = await exchange.post(integration, integration.url, body);
    const read = answer.kind === 'trouble' ? answer : readUpdate(answer.body, handshake.capabilities);
    const trouble = 'trouble' in read ? read.trouble : undefined;
    const event = { integration: uuid, number, conversation: open.opened.conversation.uuid, ms: answer.ms };
    announce(contextPolled, {
      ...event,
      state: trouble ? 'failed' : 'loaded',
      ...(trouble && { trouble: trouble.kind }),
      ...(answer.status !== undefined && { status: answer.status }),
      ...(answer.kind === 'answered' && { bytes: answer.body.byteLength }),
    });
    // It was changed, switched off or removed meanwhile: what it says counts no more.
    const current = await integrations.get(uuid);
    if (!current?.enabled || current.revision !== integration.revision) return;
    if ('trouble' in read) {
      open.opened.log.info('an integration could not be asked', {
        integration_id: uuid,
        conversation_id: open.opened.conversation.uuid,
        trouble: read.trouble.kind,
      });
      open.panels.set(uuid, failed(read.trouble));
    } else {
      const bytes = answer.kind === 'answered' ? answer.body.byteLength : 0;
      open.panels.set(uuid, { integration: uuid, name, state: 'loaded', loaded_at: clock.now().toISOString(), update: read, bytes });
    }
  }
}

/** Nothing is missing; what could not be asked because of its handshake is, once that has been mended. */
const isComplete = ({ panels }: Open, wanted: readonly IntegrationRecord[]): boolean =>
  wanted.every(({ uuid, handshake }) => {
    const panel = panels.get(uuid);
    return panel && !(panel.trouble?.kind === 'not_ready' && handshake.capabilities);
  });

const sum = (all: readonly number[]): number => all.reduce((sum, one) => sum + one, 0);

const notReady = (trouble: Trouble | undefined): Trouble => ({
  kind: 'not_ready',
  reason: trouble ? `its handshake failed: ${trouble.reason}; mend it and repeat the handshake` : 'its handshake is still under way',
});
