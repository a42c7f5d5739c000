import {
  advice,
  beforeCommit,
  contactMerged,
  contactSplit,
  deliverySettled,
  type MessageRecord,
  type NumberRecord,
  type PluginContext,
  type Subscription,
  type Transaction,
  type WebhookClaims,
} from '#core';
import { type ContactMerged, type ContactSplit, isInput, messageHandedBack } from '#core/messaging';
import { type ClaimRecord, claims as claimRecords } from '../records.js';

/** A claim ends so long after the newest message, or extension, like the wait of a journey. */
const CLAIM_MS = 5 * 60 * 1000;
/** Claimed messages of a contact that can be handed back. */
const MAX_CLAIMED = 100;

/** The claims of webhooks: which messages a webhook answers instead of journeys, and until when. */
export type Claims = ReturnType<typeof createClaims>;

export function createClaims(context: PluginContext) {
  const { store, webhooks, messages, numbers, ids, clock, dialect, isAwaited } = context;
  const isLive = ({ until }: ClaimRecord): boolean => until > clock.now().toISOString();
  const later = (): string => new Date(clock.now().getTime() + CLAIM_MS).toISOString();

  const contributed: WebhookClaims = {
    async of(tx, { number, contact, message }) {
      const known = await tx.in(claimRecords).get(contact.uuid);
      if (known?.message === message.uuid) return known;
      // Journeys never receive these.
      if (!isInput(message)) return undefined;
      const listening = await webhooks.listening(tx, number.uuid, 'network');
      const webhook = listening.find(({ claims, enabled, paused_at: pausedAt }) => claims && enabled && pausedAt === undefined);
      if (!webhook || (await isAwaited(tx, number.uuid, contact.uuid))) return undefined;
      const now = clock.now().toISOString();
      const renewed = known && known.webhook === webhook.uuid && isLive(known) ? known : undefined;
      const { uuid, created_at, first_message } = renewed ?? { uuid: ids.uuid(), created_at: now, first_message: message.uuid };
      const claim: ClaimRecord = {
        contact: contact.uuid,
        number: number.uuid,
        uuid,
        webhook: webhook.uuid,
        message: message.uuid,
        first_message,
        created_at,
        updated_at: now,
        until: later(),
        claimed: [...(known?.claimed ?? []), message.uuid].slice(-MAX_CLAIMED),
      };
      tx.in(claimRecords).put(claim);
      return claim;
    },

    async live(_, contact) {
      const known = await store.open(claimRecords).get(contact);
      return known && isLive(known) ? known : undefined;
    },

    async over({ uuid, contact }) {
      const known = await store.open(claimRecords).get(contact);
      return known?.claimed.includes(uuid) ? known : undefined;
    },

    async end(tx, contact, claim) {
      const known = await tx.in(claimRecords).get(contact);
      if (known?.uuid === claim && isLive(known)) put(tx, known, clock.now().toISOString());
    },
  };

  return {
    contributed,

    /**
     * Extends or ends the claim that a client names with a message. A message is sent whatever the client names: if it is not the live
     * claim of the recipient, advice is issued.
     */
    async sent(
      tx: Transaction,
      message: MessageRecord,
      named: { readonly extend?: string | undefined; readonly release?: string | undefined },
    ) {
      const id = named.release ?? named.extend;
      if (id === undefined) return;
      const known = await tx.in(claimRecords).get(message.contact);
      if (known?.uuid === id && isLive(known)) return put(tx, known, named.release === undefined ? later() : clock.now().toISOString());
      tx.emit(advice, {
        name: 'claim_not_live',
        number: message.number,
        message: `A message to ${message.to} was sent with the claim ${JSON.stringify(id.slice(0, 100))}, which is not the live claim of the contact. Neither was changed.`,
        fix: `Send the id that ${dialect.headers.claim} had on the newest message of the contact, within ${CLAIM_MS / 60_000} minutes.`,
        about: { message: message.uuid },
      });
    },

    /** Lets journeys answer a message that a webhook had claimed, and ends the claim. Does nothing if the message is not claimed. */
    handBack,

    listeners: [
      // A webhook that cannot be reached must not silence the number.
      beforeCommit(deliverySettled, async ({ delivery: { state, kind, webhook, message: id } }, tx) => {
        if (state === 'delivered' || kind !== 'network' || id === undefined) return;
        const message = await messages.current(tx, id);
        const known = message && (await tx.in(claimRecords).get(message.contact));
        if (known?.webhook === webhook) await handBack(tx, await numbers.require(message!.number), message!);
      }),
      beforeCommit(contactMerged, merged),
      beforeCommit(contactSplit, split),
    ] as Subscription[],
  };

  function put(tx: Transaction, claim: ClaimRecord, until: string): void {
    tx.in(claimRecords).put({ ...claim, until, updated_at: clock.now().toISOString() });
  }

  async function handBack(tx: Transaction, number: NumberRecord, message: MessageRecord): Promise<void> {
    const known = await tx.in(claimRecords).get(message.contact);
    if (!known?.claimed.includes(message.uuid)) return;
    const claimed = known.claimed.filter((one) => one !== message.uuid);
    put(tx, { ...known, claimed }, isLive(known) ? clock.now().toISOString() : known.until);
    tx.emit(messageHandedBack, { number, message });
  }

  /** The claim that ends later stays. */
  async function merged({ contact, merged: { uuid } }: ContactMerged, tx: Transaction): Promise<void> {
    const other = await tx.in(claimRecords).get(uuid);
    if (!other) return;
    const own = await tx.in(claimRecords).get(contact.uuid);
    const claim = own && own.until > other.until ? own : other;
    const claimed = [...new Set([...(own?.claimed ?? []), ...other.claimed])].slice(-MAX_CLAIMED);
    tx.in(claimRecords).put({ ...claim, contact: contact.uuid, claimed });
    tx.in(claimRecords).delete(uuid);
  }

  /** The claim stays; the messages of the other contact can still be handed back. */
  async function split({ contact, split: { uuid }, messages }: ContactSplit, tx: Transaction): Promise<void> {
    const known = await tx.in(claimRecords).get(contact.uuid);
    const moved = known?.claimed.filter((one) => messages.includes(one)) ?? [];
    if (!known || moved.length === 0) return;
    tx.in(claimRecords).put({ ...known, claimed: known.claimed.filter((one) => !moved.includes(one)) });
    put(tx, { ...known, contact: uuid, claimed: moved }, clock.now().toISOString());
  }
}
