import {
  anyString,
  anyValue,
  array,
  boolean,
  Conflict,
  integer,
  type JsonObject,
  NotFound,
  object,
  oneOf,
  owned,
  type Route,
  record,
  route,
  string,
  stringUpTo,
} from '#core';
import { uuidInPath } from '#core/schemas';
import { AI_LOG_LENGTH } from './answering/ai-log.js';
import { type Connections, connectionRoutes } from './assets/ai-connections.js';
import { skillRoutes } from './assets/code-skills.js';
import { cardRoutes } from './assets/content-cards.js';
import { type AssetStores, knownAssets } from './assets/known-assets.js';
import { journeySchema, revisionNames, triggerSchema } from './definitions/journey.js';
import { MARKDOWN, notebookRoutes, replaces } from './drafts/admin-routes.js';
import { putDraft } from './drafts/put-draft.js';
import { editingRoutes } from './editing/routes.js';
import { findingSchema } from './engine/lint/finding.js';
import { aiCalls, ofJourney, recordings, sessions } from './records.js';
import { aiCallSchema, assetParams, newSecretSchema, secretSchema, sessionSchema, trafficSchema } from './schemas.js';
import { type JourneySecrets, viewOf as secretView } from './secrets/secrets.js';
import type { JourneysContext } from './service.js';
import { isWaiting, viewOf } from './sessions/session.js';
import type { SessionStore } from './sessions/session-store.js';
import { waitingSessions } from './sessions/waiting.js';
import type { PendingStarts } from './starting/pending-starts.js';

const MAX_DEFINITION_BYTES = 10 * 1024 * 1024;

const params = object({ uuid: uuidInPath() });
const oneJourney = object({ journey: journeySchema });
const withProblems = object({ journey: journeySchema, problems: array(findingSchema) });

export interface JourneyServices {
  readonly assets: AssetStores;
  readonly secrets: JourneySecrets;
  readonly sessionStore: SessionStore;
  readonly pendingStarts: PendingStarts;
}

/** The admin routes of journeys, of their assets, secrets, AI log and starts. */
export const journeyAdminRoutes = (
  context: JourneysContext,
  { assets, secrets, sessionStore, pendingStarts }: JourneyServices,
): Route[] => [
  ...definitionRoutes(context, assets),
  trafficRoute(context, sessionStore),
  ...notebookRoutes(context, assets),
  ...editingRoutes(context, assets),
  ...secretRoutes(context, secrets),
  ...cardRoutes(context, assets.cards),
  ...skillRoutes(context, assets.skills),
  ...connectionRoutes(context, assets.connections),
  ...recordingRoutes(context, assets.connections),
  ...aiLogRoutes(context),
  ...startRoutes(context, pendingStarts),
  claimRoute(context, sessionStore),
];

function definitionRoutes(context: JourneysContext, assets: AssetStores): Route[] {
  const { store, numbers, journeys } = context;
  const records = store.open(sessions);
  const enable = (verb: 'enable' | 'disable', summary: string): Route =>
    route({
      method: 'POST',
      path: `/journeys/{uuid}/${verb}`,
      permission: 'journeys.publish',
      accounts: { uuid: ofJourney },
      summary,
      keepsNothing: true,
      request: { params },
      responses: { 200: oneJourney },
      handler: async ({ params: { uuid } }) => ({
        journey: await store.transaction((tx) => journeys.setEnabled(tx, uuid, verb === 'enable')),
      }),
    });

  return [
    route({
      method: 'GET',
      path: '/journeys',
      permission: 'journeys.read',
      accounts: { number: owned.number },
      summary: 'Lists the journeys of a number, oldest first.',
      request: { query: object({ number: string() }) },
      responses: { 200: object({ journeys: array(journeySchema) }) },
      async handler({ query: { number } }) {
        await numbers.require(number);
        return { journeys: await journeys.ofNumber(number) };
      },
    }),
    route({
      method: 'PUT',
      path: '/journeys/{uuid}',
      permission: 'journeys.write',
      accounts: { uuid: ofJourney, number: owned.number },
      summary: 'Creates a journey or replaces its draft by a definition or a notebook, and lists the problems of the draft.',
      maxBytes: MAX_DEFINITION_BYTES,
      text: MARKDOWN,
      request: {
        params,
        query: object({}, { number: string(), name: stringUpTo(256), replaces: replaces() }),
        payload: object(
          {},
          {
            number: string(),
            name: stringUpTo(256),
            definition: record(anyValue()),
            notebook: anyString(),
            triggers: array(triggerSchema).max(100),
            replaces: replaces(),
          },
        ).example({ number: 'b7a0c1de-6c1f-4b8a-9d0e-3f2a1b4c5d6e', name: 'Hello', notebook: 'card Hello do\n  text("Hello")\nend\n' }),
      },
      responses: { 200: withProblems },
      handler: ({ params: { uuid }, query, payload: { definition, ...payload } }) =>
        putDraft(context, assets, uuid, { ...query, ...payload, definition: definition as JsonObject | undefined }),
    }),
    route({
      method: 'GET',
      path: '/journeys/{uuid}',
      permission: 'journeys.read',
      accounts: { uuid: ofJourney },
      summary: 'Shows a journey with the definition of its draft or of a published revision, and the notebook that it was compiled from.',
      request: { params, query: object({}, { revision: oneOf('draft', ...revisionNames) }) },
      responses: { 200: object({ journey: journeySchema, definition: record(anyValue()) }, { notebook: anyString() }) },
      async handler({ params: { uuid }, query: { revision = 'draft' } }) {
        const journey = await journeys.require(uuid);
        const id = revision === 'draft' ? journey.draft : journey.revisions[revision];
        if (id === null) throw new NotFound(`${revision} revision of journey`, uuid, 'revision_not_found');
        const { definition, notebook } = await journeys.revision(id);
        return { journey, definition, ...(notebook !== undefined && { notebook }) };
      },
    }),
    route({
      method: 'POST',
      path: '/journeys/{uuid}/publish',
      permission: 'journeys.publish',
      accounts: { uuid: ofJourney },
      summary:
        'Publishes the draft as the staging or production revision, unless it has errors. `of` is the uuid of an earlier revision, which becomes the draft and is published; the triggers of a definition stay as they are. Lists the problems of the draft.',
      request: {
        params,
        payload: object({ revision: oneOf(...revisionNames) }, { of: string().guid(), replaces: replaces() }).example({
          revision: 'production',
        }),
      },
      responses: { 200: withProblems },
      async handler({ params: { uuid }, payload: { revision, of, replaces } }) {
        const known = await knownAssets(context, assets, (await journeys.require(uuid)).number);
        const journey = await store.transaction((tx) => journeys.publish(tx, uuid, revision, known, { of, replaces }));
        return { journey, problems: [...(await journeys.lint(uuid, known))] };
      },
    }),
    route({
      method: 'GET',
      path: '/journeys/{uuid}/problems',
      permission: 'journeys.read',
      accounts: { uuid: ofJourney },
      summary: 'Lists the problems of a draft with their fixes, errors first.',
      request: { params },
      responses: { 200: object({ problems: array(findingSchema) }) },
      async handler({ params: { uuid } }) {
        const known = await knownAssets(context, assets, (await journeys.require(uuid)).number);
        return { problems: [...(await journeys.lint(uuid, known))] };
      },
    }),
    enable('enable', 'Enables a journey, so that it answers again.'),
    enable('disable', 'Disables a journey, so that it no longer answers.'),
    route({
      method: 'DELETE',
      path: '/journeys/{uuid}',
      permission: 'journeys.write',
      accounts: { uuid: ofJourney },
      summary: 'Deletes a journey; sessions in progress run to their end.',
      request: { params },
      responses: { 200: object({ success: boolean() }) },
      async handler({ params: { uuid } }) {
        await store.transaction((tx) => journeys.delete(tx, uuid));
        return { success: true };
      },
    }),
    route({
      method: 'GET',
      path: '/journeys/{uuid}/sessions',
      permission: 'messages.read_bodies',
      accounts: { uuid: ofJourney },
      summary: 'Lists the sessions of a journey, newest first; with `waiting`, only those that wait for their contacts.',
      request: { params, query: object({}, { waiting: boolean(), limit: integer().min(1).max(500) }) },
      responses: { 200: object({ sessions: array(sessionSchema) }) },
      async handler({ params: { uuid }, query: { waiting = false, limit = 100 } }) {
        const journey = await journeys.require(uuid);
        const found = waiting
          ? await waitingSessions(context, journey, limit)
          : await records.find('journey', { equals: [uuid], order: 'descending', limit });
        return { sessions: found.map(viewOf) };
      },
    }),
    route({
      method: 'GET',
      path: '/sessions/{uuid}',
      permission: 'messages.read_bodies',
      accounts: { uuid: owned.record(sessions, 'session') },
      summary: 'Shows a session of a journey.',
      request: { params },
      responses: { 200: object({ session: sessionSchema }) },
      async handler({ params: { uuid } }) {
        const found = await records.get(uuid);
        if (!found) throw new NotFound('session', uuid);
        return { session: viewOf(found) };
      },
    }),
  ];
}

const trafficRoute = ({ journeys }: JourneysContext, { traffic }: SessionStore): Route =>
  route({
    method: 'GET',
    path: '/journeys/{uuid}/traffic',
    permission: 'journeys.read',
    accounts: { uuid: ofJourney },
    summary: 'Counts what sessions of a journey did in the last hours: the exits they took, and the questions they answered or left.',
    request: { params, query: object({}, { hours: integer().min(1).max(168) }) },
    responses: { 200: object({ traffic: trafficSchema }) },
    async handler({ params: { uuid }, query: { hours = 24 } }) {
      await journeys.require(uuid);
      return { traffic: await traffic.since(uuid, hours) };
    },
  });

/** The same as `DELETE /v1/contacts/{contact}/claim`, for operators who take over a conversation. */
const claimRoute = ({ store, contacts, clock }: JourneysContext, sessionStore: SessionStore): Route =>
  route({
    method: 'DELETE',
    path: '/contacts/{uuid}/claim',
    permission: 'messages.send',
    accounts: { uuid: owned.contact },
    summary: 'Ends the wait of a journey for a contact, so that an operator can take over.',
    request: { params },
    responses: { 200: object({ session: sessionSchema }) },
    async handler({ params: { uuid } }) {
      const contact = await contacts.require(uuid);
      const ended = await store.transaction(async (tx) => {
        const parked = await tx.in(sessions).getBy('parked', [contact.number, uuid]);
        if (!isWaiting(parked, clock.now())) throw new Conflict('no_claim', 'No journey waits for this contact');
        await sessionStore.expire(tx, parked);
        return tx.in(sessions).get(parked.uuid);
      });
      return { session: viewOf(ended!) };
    },
  });

function startRoutes({ journeys, contacts, clock }: JourneysContext, pendingStarts: PendingStarts): Route[] {
  return [
    route({
      method: 'POST',
      path: '/journeys/{uuid}/start',
      permission: 'journeys.start',
      accounts: { uuid: ofJourney, contact: owned.contact },
      summary: 'Starts a journey for a contact that has written before; 409 while another session waits for the contact.',
      request: { params, payload: object({ contact: string().guid() }) },
      responses: { 202: object({ journey: string(), contact: string() }) },
      async handler({ params: { uuid }, payload: { contact: id } }, h) {
        const journey = await journeys.require(uuid);
        const contact = await contacts.get(id);
        if (contact?.number !== journey.number) throw new NotFound('contact', id);
        if (journey.deleted_at !== null) throw new Conflict('journey_deleted', 'This journey has been deleted');
        if (!journey.enabled) throw new Conflict('journey_disabled', 'This journey is disabled');
        if (journey.revisions.production === null) throw new Conflict('journey_not_published', 'This journey has no production revision');
        await pendingStarts.start(async (tx) => {
          const parked = await tx.in(sessions).getBy('parked', [journey.number, contact.uuid]);
          if (isWaiting(parked, clock.now())) {
            throw new Conflict('session_active', `Another session waits for this contact: ${parked.uuid}`);
          }
          return { number: journey.number, contact: contact.uuid, journey: journey.uuid };
        });
        return h.response({ journey: journey.uuid, contact: contact.uuid }).code(202);
      },
    }),
  ];
}

/** Routes for the secrets that journeys use in their requests as `@secrets.NAME`. No route returns the value of a secret. */
function secretRoutes({ store, numbers }: JourneysContext, secrets: JourneySecrets): Route[] {
  return [
    route({
      method: 'GET',
      path: '/numbers/{uuid}/secrets',
      permission: 'journeys.read',
      accounts: { uuid: owned.number },
      summary: 'Lists the names of the secrets of a number’s journeys.',
      request: { params },
      responses: { 200: object({ secrets: array(secretSchema) }) },
      async handler({ params: { uuid } }) {
        await numbers.require(uuid);
        return { secrets: (await secrets.list(uuid)).map(secretView) };
      },
    }),
    route({
      method: 'PUT',
      path: '/numbers/{uuid}/secrets',
      permission: 'journeys.secrets',
      accounts: { uuid: owned.number },
      summary: 'Stores or replaces a secret for the requests of a number’s journeys.',
      request: { params, payload: newSecretSchema },
      responses: { 200: object({ secret: secretSchema }) },
      async handler({ params: { uuid }, payload: { name, value } }) {
        await numbers.require(uuid);
        return { secret: await store.transaction((tx) => secrets.put(tx, uuid, name, value)) };
      },
    }),
    route({
      method: 'DELETE',
      path: '/numbers/{uuid}/secrets/{name}',
      permission: 'journeys.secrets',
      accounts: { uuid: owned.number },
      summary: 'Deletes a secret of a number’s journeys.',
      request: { params: object({ uuid: uuidInPath(), name: stringUpTo(64) }) },
      responses: { 200: object({ success: boolean() }) },
      async handler({ params: { uuid, name } }) {
        await numbers.require(uuid);
        if (!(await store.transaction((tx) => secrets.delete(tx, uuid, name)))) throw new NotFound('secret', name);
        return { success: true };
      },
    }),
  ];
}

function recordingRoutes({ store }: JourneysContext, connections: Connections): Route[] {
  return [
    route({
      method: 'GET',
      path: '/ai-connections/{uuid}/recordings',
      permission: 'messages.read_bodies',
      accounts: { uuid: owned.record(connections.type, 'AI connection') },
      summary: 'Lists the recorded calls of a connection, in the form that a replay connection takes.',
      request: { params: assetParams },
      responses: { 200: object({ recordings: array(object({ key: string(), request: string(), reply: anyValue() })) }) },
      async handler({ params: { uuid } }) {
        await connections.require(uuid);
        const found = await store.open(recordings).find('connection', { equals: [uuid] });
        return { recordings: found.map(({ key, request, reply }) => ({ key, request, reply })) };
      },
    }),
  ];
}

function aiLogRoutes({ store, numbers }: JourneysContext): Route[] {
  return [
    route({
      method: 'GET',
      path: '/ai-calls',
      permission: 'messages.read_bodies',
      accounts: { number: owned.number },
      summary: 'Lists the AI calls of a number’s conversations, newest first. AI calls of simulations are not logged.',
      request: { query: object({ number: string() }, { limit: integer().min(1).max(AI_LOG_LENGTH) }) },
      responses: { 200: object({ ai_calls: array(aiCallSchema) }) },
      async handler({ query: { number, limit = 100 } }) {
        await numbers.require(number);
        const found = await store.open(aiCalls).find('count', { equals: [number], order: 'descending', limit });
        return { ai_calls: found.map(({ count: _, ...call }) => call) };
      },
    }),
  ];
}
