import type { ConversationView, Logger, PluginContext, Timer } from '#core';
import { historyOf } from '#core/messaging';
import { readUpdate, type Update } from '../answers/update.js';
import type { Cause } from '../client/call-log.js';
import type { Exchange } from '../client/exchange.js';
import { contextPolled } from '../events.js';
import type { Integrations } from '../integrations.js';
import type { IntegrationRecord } from '../records.js';
import type { Trouble } from '../schemas.js';

/** Number of messages that a request to an integration contains (Integration context objects). */
const HISTORY = 10;
/** Maximum number of open conversations in memory. Beyond it, the least recently viewed conversation is evicted. */
const MAX_OPEN = 1_000;

export interface Panel {
  readonly integration: string;
  readonly name: string;
  /** `stale`: the last call failed, and `update` is from an earlier call. */
  readonly state: 'loaded' | 'stale' | 'failed';
  readonly loaded_at?: string;
  readonly trouble?: Trouble;
  readonly update?: Update;
  /** The size of the response that contained the update. */
  readonly bytes: number;
}

type Opened = Omit<Parameters<ConversationView['load']>[0], 'refresh'>;

interface Open {
  opened: Opened;
  panels: Map<string, Panel>;
  closing: Timer;
  /** The poll in flight; concurrent callers share it. */
  polling?: Promise<void>;
}

/**
 * The panels of open conversations. They exist only in the memory of this process and expire when the conversation has not been viewed for
 * a while: nothing that an integration returns is stored (Integration context API).
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
    /** Returns the panels of a conversation in the order of its integrations. Polls the integrations if panels are missing, or for `refresh`. */
    async load(opened: Opened, refresh: boolean): Promise<Panel[]> {
      return view(opening(opened), refresh ? 'requested' : undefined);
    },

    /** Polls the integrations of an open conversation again, after the poll in flight. Does not extend the expiry of the conversation; does nothing if the conversation is not open. */
    async refresh(opened: string, log: Logger, cause: Cause): Promise<void> {
      // The contact may have been merged into another one since.
      const conversation = await conversations.require(opened);
      const { uuid } = conversation;
      await all.get(uuid)?.polling;
      const open = all.get(uuid);
      if (!open) return;
      const contact = await contacts.require(conversation.contact);
      open.opened = { ...open.opened, conversation, contact, log };
      await view(open, cause);
    },

    shown: (conversation: string, integration: string): Panel | undefined => all.get(conversation)?.panels.get(integration),

    /** Drops the panels of an integration that was changed, disabled or removed. */
    drop(integration: string): void {
      for (const { panels } of all.values()) panels.delete(integration);
    },

    /** Drops the panels of a conversation. */
    forget: evict,

    close(): void {
      for (const uuid of all.keys()) evict(uuid);
    },
  };

  /** @param cause polls the integrations in any case */
  async function view(open: Open, cause: Cause | undefined): Promise<Panel[]> {
    const { opened } = open;
    let expected = await enabledFor(opened);
    if (cause || !isComplete(open, expected)) {
      const isShared = open.polling !== undefined;
      await polled(open, expected, cause);
      expected = await enabledFor(opened);
      // The shared poll may have started before an integration was created or fixed.
      if (isShared && !isComplete(open, expected)) await polled(open, expected);
    } else await open.polling;
    return expected.flatMap(({ uuid, name }) => {
      const panel = open.panels.get(uuid);
      return panel ? { ...panel, name } : [];
    });
  }

  /** Starts a poll, or joins the poll in flight. */
  function polled(open: Open, expected: readonly IntegrationRecord[], cause: Cause = 'opened'): Promise<void> {
    open.polling ??= poll(open, expected, cause);
    return open.polling;
  }

  async function enabledFor({ number }: Opened): Promise<IntegrationRecord[]> {
    return (await integrations.ofNumber(number.uuid)).filter(({ enabled }) => enabled);
  }

  function opening(opened: Opened): Open {
    const { uuid } = opened.conversation;
    const known = all.get(uuid);
    known?.closing.cancel();
    const open: Open = known ?? { opened, panels: new Map(), closing: { cancel: () => {} } };
    open.opened = opened;
    open.closing = clock.after(openMs, () => evict(uuid), {
      kind: 'panel',
      id: uuid,
      title: `close of the panels beside conversation ${uuid}`,
    });
    // Inserted again, so that the map is ordered by last view.
    all.delete(uuid);
    all.set(uuid, open);
    if (all.size > MAX_OPEN) evict([...all.keys()][0]!);
    return open;
  }

  function evict(uuid: string): void {
    all.get(uuid)?.closing.cancel();
    all.delete(uuid);
  }

  /** Evicts the least recently viewed conversations, except the last, until the responses fit into `openBytes`. */
  function evictExcess(): void {
    const sizes = [...all].map(([uuid, { panels }]) => ({ uuid, bytes: sum([...panels.values()].map(({ bytes }) => bytes)) }));
    let total = sum(sizes.map(({ bytes }) => bytes));
    for (const { uuid, bytes } of sizes.slice(0, -1)) {
      if (total <= openBytes) return;
      evict(uuid);
      total -= bytes;
    }
  }

  async function poll(open: Open, expected: readonly IntegrationRecord[], cause: Cause): Promise<void> {
    try {
      const { conversation } = open.opened;
      const messages = await conversations.newest(conversation.uuid, HISTORY);
      const body = await historyOf({ media, publicUrl }, { ...open.opened, messages });
      await Promise.all(expected.map((integration) => pollOne(open, integration, body, cause)));
      evictExcess();
    } finally {
      delete open.polling;
    }
  }

  async function pollOne(open: Open, integration: IntegrationRecord, body: object, cause: Cause): Promise<void> {
    const { uuid, name, number, handshake } = integration;
    const previous = open.panels.get(uuid);
    const failed = (trouble: Trouble): Panel => ({
      integration: uuid,
      name,
      state: previous?.update ? 'stale' : 'failed',
      trouble,
      bytes: previous?.bytes ?? 0,
      ...(previous?.update && { update: previous.update, loaded_at: previous.loaded_at! }),
    });
    if (!handshake.capabilities) {
      open.panels.set(uuid, failed(notReady(handshake.trouble)));
      return;
    }
    const about = { kind: 'context' as const, conversation: open.opened.conversation.uuid, cause };
    const answer = await exchange.post(integration, integration.url, body, about);
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
    // Ignores the response if the integration was changed, disabled or removed in the meantime.
    const current = await integrations.get(uuid);
    if (!current?.enabled || current.revision !== integration.revision) return;
    if ('trouble' in read) {
      open.opened.log.info('a call to an integration failed', {
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

/** Whether every integration has a panel. A panel that failed because of the handshake counts as missing once the handshake succeeds. */
const isComplete = ({ panels }: Open, expected: readonly IntegrationRecord[]): boolean =>
  expected.every(({ uuid, handshake }) => {
    const panel = panels.get(uuid);
    return panel && !(panel.trouble?.kind === 'not_ready' && handshake.capabilities);
  });

const sum = (all: readonly number[]): number => all.reduce((sum, one) => sum + one, 0);

const notReady = (trouble: Trouble | undefined): Trouble => ({
  kind: 'not_ready',
  reason: trouble ? `its handshake failed: ${trouble.reason}; fix it and repeat the handshake` : 'its handshake is still in progress',
});
