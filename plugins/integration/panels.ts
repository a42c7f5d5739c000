import { type ConversationView, historyOf, type PluginContext, type Timer } from '#core';
import { contextPolled } from './events.js';
import type { Exchange } from './exchange.js';
import type { Integrations } from './integrations.js';
import type { IntegrationRecord, Trouble } from './records.js';
import { readUpdate, type Update } from './update.js';

/** Messages of its history that an integration is told (Integration context objects). */
const HISTORY = 10;
/** Conversations that are held open at the same time; the one that was looked at least recently is let go. */
const MOST_OPEN = 1_000;

/** What one integration shows beside one conversation. */
export interface Panel {
  readonly integration: string;
  readonly name: string;
  /** `stale`: the last attempt failed, and what was there before still stands. */
  readonly state: 'loaded' | 'stale' | 'failed';
  readonly loaded_at?: string;
  readonly trouble?: Trouble;
  readonly update?: Update;
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
    log,
    publicUrl,
  }: Pick<PluginContext, 'conversations' | 'contacts' | 'clock' | 'announce' | 'log' | 'publicUrl'>,
  integrations: Integrations,
  exchange: Exchange,
  { openMs }: { readonly openMs: number },
) {
  const all = new Map<string, Open>();

  return {
    /** The panels of a conversation in the order of its integrations; asked for when there are none yet, or on demand. */
    async load(opened: Opened, refresh: boolean): Promise<Panel[]> {
      const open = opening(opened);
      const wanted = (await integrations.ofNumber(opened.number.uuid)).filter(({ enabled }) => enabled);
      const isComplete = wanted.every(({ uuid }) => open.panels.has(uuid));
      if (refresh || !isComplete) open.polling ??= poll(open, wanted);
      await open.polling;
      return wanted.flatMap(({ uuid }) => open.panels.get(uuid) ?? []);
    },

    /** Asks again, if somebody still looks; an answer to a question from before counts no more. */
    async refresh(uuid: string): Promise<void> {
      await all.get(uuid)?.polling;
      const open = all.get(uuid);
      if (!open) return;
      const conversation = await conversations.require(uuid);
      const contact = await contacts.require(conversation.contact);
      await this.load({ ...open.opened, conversation, contact }, true);
    },

    /** What an integration shows in an open conversation. */
    shown: (conversation: string, integration: string): Panel | undefined => all.get(conversation)?.panels.get(integration),

    /** What an integration showed is over: it was changed or removed. */
    forget(integration: string): void {
      for (const { panels } of all.values()) panels.delete(integration);
    },

    close(): void {
      for (const { closing } of all.values()) closing.cancel();
      all.clear();
    },
  };

  function opening(opened: Opened): Open {
    const { uuid } = opened.conversation;
    const known = all.get(uuid);
    known?.closing.cancel();
    const open: Open = known ?? { opened, panels: new Map(), closing: { cancel: () => {} } };
    open.opened = opened;
    open.closing = clock.after(openMs, () => void all.delete(uuid));
    // Set anew, so that the order of the map is the order of the last look.
    all.delete(uuid);
    all.set(uuid, open);
    const [oldest] = all.keys();
    if (all.size > MOST_OPEN && oldest !== undefined) {
      all.get(oldest)?.closing.cancel();
      all.delete(oldest);
    }
    return open;
  }

  async function poll(open: Open, wanted: readonly IntegrationRecord[]): Promise<void> {
    try {
      const { conversation } = open.opened;
      const messages = await conversations.newest(conversation.uuid, HISTORY);
      const body = historyOf(publicUrl(), { ...open.opened, messages });
      await Promise.all(wanted.map((integration) => pollOne(open, integration, body)));
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
    // It was changed or removed meanwhile: what it says counts no more.
    const current = await integrations.get(uuid);
    if (current?.revision !== integration.revision) return;
    if ('trouble' in read) {
      log.info('an integration could not be asked', { integration: uuid, trouble: read.trouble.kind });
      open.panels.set(uuid, failed(read.trouble));
    } else {
      open.panels.set(uuid, { integration: uuid, name, state: 'loaded', loaded_at: clock.now().toISOString(), update: read });
    }
  }
}

const notReady = (trouble: Trouble | undefined): Trouble => ({
  kind: 'not_ready',
  reason: trouble ? `its handshake failed: ${trouble.reason}; mend it and repeat the handshake` : 'its handshake is still under way',
});
