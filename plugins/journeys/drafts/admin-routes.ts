import { anyString, array, NotFound, object, oneOf, operatorOf, owned, type Route, route, string, stringUpTo } from '#core';
import { uuidInPath } from '#core/schemas';
import type { AssetStores } from '../assets/known-assets.js';
import { journeySchema, revisionNames } from '../definitions/journey.js';
import { findingSchema } from '../engine/lint/finding.js';
import { NOTEBOOK_LIMITS } from '../engine/notebook/limits.js';
import { ofJourney } from '../records.js';
import type { JourneysContext } from '../service.js';
import { putDraft } from './put-draft.js';

/** The condition of a save. */
export const replaces = () =>
  string().guid().description('The uuid of the `draft` that this one replaces: 409 if the journey has another one now.');
export const MARKDOWN = { contentType: 'text/markdown', field: 'notebook' } as const;
/** More than a notebook can have, so that the error names the limit of notebooks and not that of the body. */
const MAX_BYTES = 2 * NOTEBOOK_LIMITS.bytes;

const params = object({ uuid: uuidInPath() });

/** The admin routes of a journey's notebook. */
export const notebookRoutes = (context: JourneysContext, assets: AssetStores): Route[] => [
  route({
    method: 'GET',
    path: '/journeys/{uuid}/notebook',
    permission: 'journeys.read',
    accounts: { uuid: ofJourney },
    summary: 'Returns the notebook of a journey’s draft or of a published revision, exactly as it was put.',
    request: { params, query: object({}, { revision: oneOf('draft', ...revisionNames) }) },
    responses: { 200: { contentType: MARKDOWN.contentType } },
    async handler({ params: { uuid }, query: { revision = 'draft' } }, h) {
      const journey = await context.journeys.require(uuid);
      const id = revision === 'draft' ? journey.draft : journey.revisions[revision];
      if (id === null) throw new NotFound(`${revision} revision of journey`, uuid, 'revision_not_found');
      const { notebook } = await context.journeys.revision(id);
      if (notebook === undefined) throw new NotFound('notebook of journey', uuid, 'notebook_not_found');
      return h.response(Buffer.from(notebook)).type(MARKDOWN.contentType);
    },
  }),
  route({
    method: 'PUT',
    path: '/journeys/{uuid}/notebook',
    permission: 'journeys.write',
    morePermissions: ['journeys.publish'],
    accounts: { uuid: ofJourney, number: owned.number },
    summary:
      'Replaces the draft of a journey by a notebook, lists its problems, and publishes it if asked to. With a number it creates the journey.',
    maxBytes: MAX_BYTES,
    text: MARKDOWN,
    request: {
      params,
      query: object({}, { number: string(), name: stringUpTo(256), revision: oneOf(...revisionNames), replaces: replaces() }),
      payload: object({ notebook: anyString() }),
    },
    responses: { 200: object({ journey: journeySchema, problems: array(findingSchema) }) },
    async handler({ params: { uuid }, query, payload: { notebook }, request }) {
      if (query.revision !== undefined) operatorOf(request).need('journeys.publish');
      if (query.number === undefined) await context.journeys.require(uuid);
      return putDraft(context, assets, uuid, { ...query, notebook });
    },
  }),
];
