import {
  anything,
  dictionary,
  fields,
  flag,
  type JsonObject,
  list,
  oneOf,
  type PluginContext,
  type Route,
  route,
  text,
  textUpTo,
  whole,
} from '#core';
import { findingSchema, journeySchema, revisionNames, triggerSchema, uuidInPath } from '#core/areas';
import { type AssetStores, knownAssets } from './assets/known-assets.js';
import { sessionSchema, sessions, viewOf } from './sessions.js';

const MAX_DEFINITION_BYTES = 10 * 1024 * 1024;

const params = fields({ uuid: uuidInPath() });
const oneJourney = fields({ journey: journeySchema });
const withProblems = fields({ journey: journeySchema, problems: list(findingSchema) });

/** Journeys, their drafts and revisions. */
export function journeyAdminRoutes(context: PluginContext, assets: AssetStores): Route[] {
  const { store, numbers, journeys } = context;
  const records = store.open(sessions);
  const enable = (verb: 'enable' | 'disable', summary: string): Route =>
    route({
      method: 'POST',
      path: `/journeys/{uuid}/${verb}`,
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
      summary: 'Lists the journeys of a number, oldest first.',
      request: { query: fields({ number: text() }) },
      responses: { 200: fields({ journeys: list(journeySchema) }) },
      async handler({ query: { number } }) {
        await numbers.require(number);
        return { journeys: await journeys.ofNumber(number) };
      },
    }),
    route({
      method: 'PUT',
      path: '/journeys/{uuid}',
      summary: 'Makes a journey or gives it a new draft, and says what is wrong with it.',
      maxBytes: MAX_DEFINITION_BYTES,
      request: {
        params,
        payload: fields(
          { number: text(), name: textUpTo(256), definition: dictionary(anything()) },
          { triggers: list(triggerSchema).max(100) },
        ),
      },
      responses: { 200: withProblems },
      async handler({ params: { uuid }, payload: { number, name, definition, triggers = [] } }) {
        await numbers.require(number);
        const known = await knownAssets(context, assets, number);
        const put = await store.transaction((tx) =>
          journeys.put(tx, { uuid, number, name, triggers, definition: definition as JsonObject }, known),
        );
        return { journey: put.journey, problems: [...put.problems] };
      },
    }),
    route({
      method: 'GET',
      path: '/journeys/{uuid}',
      summary: 'Shows a journey with the definition of its draft.',
      request: { params },
      responses: { 200: fields({ journey: journeySchema, definition: dictionary(anything()) }) },
      async handler({ params: { uuid } }) {
        const journey = await journeys.require(uuid);
        const { definition } = await journeys.revision(journey.draft);
        return { journey, definition };
      },
    }),
    route({
      method: 'POST',
      path: '/journeys/{uuid}/publish',
      summary: 'Makes the draft the staging or production revision, unless errors keep it from that; says what else there is to say.',
      request: { params, payload: fields({ revision: oneOf(...revisionNames) }) },
      responses: { 200: withProblems },
      async handler({ params: { uuid }, payload: { revision } }) {
        const known = await knownAssets(context, assets, (await journeys.require(uuid)).number);
        const journey = await store.transaction((tx) => journeys.publish(tx, uuid, revision, known));
        return { journey, problems: [...(await journeys.lint(uuid, known))] };
      },
    }),
    route({
      method: 'GET',
      path: '/journeys/{uuid}/problems',
      summary: 'Says what is wrong with the draft of a journey, errors first, and what to do about it.',
      request: { params },
      responses: { 200: fields({ problems: list(findingSchema) }) },
      async handler({ params: { uuid } }) {
        const known = await knownAssets(context, assets, (await journeys.require(uuid)).number);
        return { problems: [...(await journeys.lint(uuid, known))] };
      },
    }),
    enable('enable', 'Lets a journey answer again.'),
    enable('disable', 'Keeps a journey from answering.'),
    route({
      method: 'DELETE',
      path: '/journeys/{uuid}',
      summary: 'Deletes a journey; conversations in progress go on to their end.',
      request: { params },
      responses: { 200: fields({ success: flag() }) },
      async handler({ params: { uuid } }) {
        await store.transaction((tx) => journeys.delete(tx, uuid));
        return { success: true };
      },
    }),
    route({
      method: 'GET',
      path: '/journeys/{uuid}/sessions',
      summary: 'Lists conversations with a journey, newest first.',
      request: { params, query: fields({}, { limit: whole().min(1).max(500) }) },
      responses: { 200: fields({ sessions: list(sessionSchema) }) },
      async handler({ params: { uuid }, query: { limit = 100 } }) {
        await journeys.require(uuid);
        const found = await records.find('journey', { equals: [uuid], order: 'descending', limit });
        return { sessions: found.map(viewOf) };
      },
    }),
  ];
}
