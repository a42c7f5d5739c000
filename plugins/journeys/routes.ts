import {
  type NumberRecord,
  nullable,
  object,
  PlatformError,
  type Route,
  route,
  string,
  stringUpTo,
  type TypeOf,
  type WebhookClaim,
} from '#core';
import { networkId } from '#core/messaging';
import { type SessionRecord, sessions } from './records.js';
import { claimSchema, contactParams, inMicroseconds, sentences, startedSchema } from './schemas.js';
import type { JourneysContext } from './service.js';
import { isWaiting } from './sessions/session.js';
import type { SessionStore } from './sessions/session-store.js';
import type { PendingStarts } from './starting/pending-starts.js';

/** Routes that start a journey with a contact, and that show or end the claim of a waiting journey. The service calls journeys `stacks`. */
export function journeyRoutes(context: JourneysContext, sessionStore: SessionStore, pendingStarts: PendingStarts): Route[] {
  const { store, journeys, contacts, clock, webhookClaims } = context;
  async function claimOf(number: NumberRecord, name: string, uuid?: string) {
    const contact = await contacts.find(number, name);
    const parked = contact && (await store.open(sessions).getBy('parked', [number.uuid, contact.uuid]));
    const session = isWaiting(parked, clock.now()) ? parked : undefined;
    const found = session ? claimOfSession(session) : contact && claimOfWebhook(await webhookClaims()?.live(number, contact.uuid));
    if (found && (uuid === undefined || uuid === found.uuid)) return { claim: found, contact: contact!.uuid };
    throw new PlatformError(404, 'claim_not_found', `Active conversation claim for "${name}" not found`);
  }

  return [
    route({
      method: 'POST',
      path: '/v1/stacks/{uuid}/start',
      summary:
        'Starts a journey with a contact. Responds 201 after the first turn, or 202 if the journey starts later, for example after a session in progress.',
      request: { params: object({ uuid: stringUpTo(64) }), payload: object({ wa_id: stringUpTo(256) }) },
      responses: { 201: startedSchema, 202: startedSchema, 400: sentences, 404: sentences, 409: sentences },
      async handler({ params: { uuid }, payload: { wa_id }, caller: { number } }, h) {
        const journey = await journeys.get(uuid);
        if (journey?.number !== number.uuid || journey.deleted_at !== null)
          throw new PlatformError(404, 'journey_not_found', 'Journey not found');
        if (!journey.enabled) throw new PlatformError(400, 'journey_disabled', 'Journey is disabled');
        if (journey.revisions.production === null) {
          throw new PlatformError(400, 'journey_not_published', 'Journey has no published production revision');
        }
        const known = await contacts.find(number, wa_id);
        const id = known?.id ?? (number.kind === 'channel' ? wa_id : networkId(wa_id));
        if (id === undefined) {
          throw new PlatformError(400, 'recipient_not_valid', `${JSON.stringify(wa_id)} is not an international phone number`);
        }
        const who = known ?? { id, address: id };
        const outcome = await pendingStarts.start(async (tx) => {
          const contact = await contacts.findOrCreate(tx, number, { id: who.id, address: who.address });
          return { number: number.uuid, contact: contact.uuid, journey: uuid };
        });
        return h.response({ success: true }).code(outcome === 'started' ? 201 : 202);
      },
    }),
    route({
      method: 'GET',
      path: '/v1/contacts/{contact}/claim',
      summary: 'Shows which journey waits for a contact, or which webhook answers it, and until when.',
      request: { params: contactParams },
      responses: { 200: claimSchema, 404: sentences },
      handler: async ({ params: { contact }, caller: { number } }) => (await claimOf(number, contact)).claim,
    }),
    route({
      method: 'DELETE',
      path: '/v1/contacts/{contact}/claim',
      summary: 'Ends the wait of a journey for a contact, or the claim of a webhook; with `claim_uuid` only if it is that one.',
      request: { params: contactParams, payload: nullable(object({}, { claim_uuid: nullable(stringUpTo(256)) })) },
      responses: { 200: object({ claim_uuid: string() }), 404: sentences },
      async handler({ params: { contact: name }, payload, caller: { number } }) {
        const { claim, contact } = await claimOf(number, name, payload?.claim_uuid ?? undefined);
        await store.transaction(async (tx) => {
          if (claim.scope === 'webhook') return webhookClaims()?.end(tx, contact, claim.uuid);
          const parked = await tx.in(sessions).get(claim.uuid);
          if (parked?.state === 'waiting') await sessionStore.expire(tx, parked);
        });
        return { claim_uuid: claim.uuid };
      },
    }),
  ];
}

type ShownClaim = TypeOf<typeof claimSchema>;

const claimOfSession = ({ uuid, journey, created_at, updated_at, expires_at }: SessionRecord): ShownClaim => ({
  scope: 'stack',
  scope_id: journey,
  metadata: {},
  uuid,
  message_uuid: null,
  first_message_uuid: null,
  inserted_at: inMicroseconds(created_at),
  updated_at: inMicroseconds(updated_at),
  claimed_at: inMicroseconds(updated_at),
  claimed_until: inMicroseconds(expires_at ?? updated_at),
});

const claimOfWebhook = (claim: WebhookClaim | undefined): ShownClaim | undefined =>
  claim && {
    scope: 'webhook',
    scope_id: claim.webhook,
    metadata: {},
    uuid: claim.uuid,
    message_uuid: claim.message,
    first_message_uuid: claim.first_message,
    inserted_at: inMicroseconds(claim.created_at),
    updated_at: inMicroseconds(claim.updated_at),
    claimed_at: inMicroseconds(claim.updated_at),
    claimed_until: inMicroseconds(claim.until),
  };
