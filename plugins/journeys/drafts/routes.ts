import { anyString, array, boolean, nullable, object, PlatformError, type Route, route, string, stringUpTo, type TypeOf } from '#core';
import { type AssetStores, knownAssets } from '../assets/known-assets.js';
import type { JourneyRecord } from '../definitions/journey.js';
import type { Finding } from '../engine/lint/finding.js';
import { NOTEBOOK_LIMITS } from '../engine/notebook/limits.js';
import { inMicroseconds, sentences } from '../schemas.js';
import type { JourneysContext } from '../service.js';
import { putDraft } from './put-draft.js';

/** A journey as the management API shows it. */
const stackSchema = object({
  name: string(),
  uuid: string(),
  inserted_at: string(),
  updated_at: string(),
  is_canvas: boolean(),
  url: string(),
  /** Whether the latest changes have no errors, so that they can be published. */
  is_notebook_valid: boolean(),
  production_notebook_revision_uuid: nullable(string()),
  enabled: boolean(),
  has_unpublished_changes: boolean(),
});
type StackView = TypeOf<typeof stackSchema>;

const changes = { publish_latest_changes: boolean(), enabled: boolean() };
const params = object({ uuid: stringUpTo(64) });
const refusals = { 400: sentences, 404: sentences, 409: sentences, 413: sentences };
/** JSON escapes of a notebook at its limit. */
const MAX_BYTES = 4 * NOTEBOOK_LIMITS.bytes;

/** Routes that create, change and list journeys as notebooks, for the number of the token. The service calls journeys `stacks`. */
export function stackRoutes(context: JourneysContext, assets: AssetStores): Route[] {
  const { journeys, store, ids, publicUrl } = context;

  const viewOf = (journey: JourneyRecord, problems: readonly Finding[]): StackView => ({
    name: journey.name,
    uuid: journey.uuid,
    inserted_at: inMicroseconds(journey.created_at),
    updated_at: inMicroseconds(journey.updated_at),
    is_canvas: false,
    url: `${publicUrl()}/v1/stacks/${journey.uuid}`,
    is_notebook_valid: problems.every(({ severity }) => severity !== 'error'),
    production_notebook_revision_uuid: journey.revisions.production,
    enabled: journey.enabled,
    has_unpublished_changes: journey.draft !== journey.revisions.production,
  });

  async function stackOf(number: string, uuid: string): Promise<JourneyRecord> {
    const journey = await journeys.get(uuid.toLowerCase());
    if (journey?.number !== number || journey.deleted_at !== null) throw new PlatformError(404, 'journey_not_found', 'Journey not found');
    return journey;
  }

  return [
    route({
      method: 'GET',
      path: '/v1/stacks',
      summary: 'Lists the journeys of a number, oldest first.',
      responses: { 200: array(object({ name: string(), uuid: string() })) },
      handler: async ({ caller: { number } }) => (await journeys.ofNumber(number.uuid)).map(({ name, uuid }) => ({ name, uuid })),
    }),
    route({
      method: 'GET',
      path: '/v1/stacks/{uuid}',
      summary: 'Shows whether a journey is enabled, valid and published.',
      request: { params },
      responses: { 200: stackSchema, ...refusals },
      async handler({ params: { uuid }, caller: { number } }) {
        const journey = await stackOf(number.uuid, uuid);
        return viewOf(journey, await journeys.lint(journey.uuid, await knownAssets(context, assets, number.uuid)));
      },
    }),
    route({
      method: 'POST',
      path: '/v1/stacks',
      summary: 'Creates a journey from a notebook. With `publish_latest_changes` it is published, unless the notebook has errors.',
      maxBytes: MAX_BYTES,
      request: { payload: object({ name: stringUpTo(256), notebook: anyString() }, changes) },
      responses: { 201: stackSchema, ...refusals },
      async handler({ payload: { name, notebook, publish_latest_changes = false, enabled = true }, caller: { number } }, h) {
        const { journey, problems } = await putDraft(context, assets, ids.uuid(), {
          number: number.uuid,
          name,
          notebook,
          ...(publish_latest_changes && { revision: 'production' }),
          also: async (tx, put) => (enabled ? put : journeys.setEnabled(tx, put.uuid, false)),
        });
        return h.response(viewOf(journey, problems)).code(201);
      },
    }),
    route({
      method: 'PATCH',
      path: '/v1/stacks/{uuid}',
      summary: 'Changes the notebook or the name of a journey, publishes its latest changes, enables or disables it; all or nothing.',
      maxBytes: MAX_BYTES,
      request: { params, payload: object({}, { name: stringUpTo(256), notebook: anyString(), ...changes }) },
      responses: { 200: stackSchema, ...refusals },
      async handler({ params, payload: { name, notebook, publish_latest_changes = false, enabled }, caller: { number } }) {
        const { uuid, name: current } = await stackOf(number.uuid, params.uuid);
        if (notebook !== undefined) {
          const { journey, problems } = await putDraft(context, assets, uuid, {
            name: name ?? current,
            notebook,
            ...(publish_latest_changes && { revision: 'production' }),
            also: async (tx, put) => (enabled === undefined ? put : journeys.setEnabled(tx, uuid, enabled)),
          });
          return viewOf(journey, problems);
        }
        const known = await knownAssets(context, assets, number.uuid);
        await store.transaction(async (tx) => {
          if (name !== undefined) await journeys.rename(tx, uuid, name);
          if (publish_latest_changes) await journeys.publish(tx, uuid, 'production', known);
          if (enabled !== undefined) await journeys.setEnabled(tx, uuid, enabled);
        });
        return viewOf(await journeys.require(uuid), await journeys.lint(uuid, known));
      },
    }),
  ];
}
