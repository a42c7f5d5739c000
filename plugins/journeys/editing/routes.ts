import {
  anyString,
  array,
  InvalidRequest,
  integer,
  NotFound,
  nullable,
  object,
  owned,
  type Route,
  route,
  string,
  type TypeOf,
  task,
} from '#core';
import { reservedFields } from '#core/messaging';
import { uuidInPath } from '#core/schemas';
import { type AssetStores, knownAssets } from '../assets/known-assets.js';
import { type JourneyRecord, revisionNames } from '../definitions/journey.js';
import type { Finding } from '../engine/lint/finding.js';
import type { CanvasAction } from '../engine/notebook/canvas/editing.js';
import { NOTEBOOK_LIMITS } from '../engine/notebook/limits.js';
import { ofJourney } from '../records.js';
import type { JourneysContext } from '../service.js';
import type { CanvasAnswer, CanvasInput } from './canvas.task.js';
import type { JourneyText, TextToDraw } from './graph.task.js';
import type { Places, PlacesInput } from './places.task.js';
import {
  canvasActionSchema,
  cardPartsSchema,
  completionSchema,
  type GraphView,
  graphSchema,
  type RevisionView,
  revisionSchema,
  type TextFinding,
  textChangeSchema,
  textFindingSchema,
  triggerInOrderSchema,
} from './schemas.js';
import { triggersInOrder } from './trigger-order.js';

/** Text that an editor can show; larger definitions are put without being edited. */
const MAX_TEXT = NOTEBOOK_LIMITS.bytes;
const MAX_BYTES = 4 * MAX_TEXT;
const LIMIT_MS = 30_000;

const weigh = (text: JourneyText | PlacesInput | CanvasInput): number => ('json' in text ? text.json : text.notebook).length;

export const journeyGraph = task<TextToDraw, GraphView | null>('journey.graph', new URL('./graph.task.js', import.meta.url), {
  weigh,
  limitMs: LIMIT_MS,
});
export const journeyCanvas = task<CanvasInput, CanvasAnswer>('journey.canvas', new URL('./canvas.task.js', import.meta.url), {
  weigh,
  limitMs: LIMIT_MS,
});
export const jsonPlaces = task<PlacesInput, Places>('journey.json-places', new URL('./places.task.js', import.meta.url), {
  weigh,
  limitMs: LIMIT_MS,
});

const params = object({ uuid: uuidInPath() });
/** Either a notebook or a definition as JSON text. */
const text = { notebook: anyString(), json: anyString().max(MAX_TEXT) };
const textPayload = object({}, text);
const exampleOfText = { notebook: 'card Hello do\n  text("Hello")\nend\n' };

interface UnsavedText {
  readonly notebook?: string | undefined;
  readonly json?: string | undefined;
}

/** The admin routes of an editor of journeys: lint and graph of texts that were not saved, revisions, and the order of triggers. */
export function editingRoutes(context: JourneysContext, assets: AssetStores): Route[] {
  const { journeys, numbers, workers } = context;

  async function journeyText(journey: JourneyRecord, revision: string): Promise<JourneyText> {
    const uuid = revision === 'draft' ? journey.draft : (journey.revisions[revision as keyof typeof journey.revisions] ?? revision);
    const found = await journeys.revision(uuid);
    if (found.journey !== journey.uuid) throw new NotFound('revision', revision);
    return found.notebook === undefined
      ? { json: JSON.stringify(found.definition, null, 2) }
      : { notebook: found.notebook, uuid: journey.uuid };
  }

  async function findingsOf({ uuid, number }: JourneyRecord, { notebook, json }: UnsavedText): Promise<TextFinding[]> {
    const known = await knownAssets(context, assets, number);
    if (notebook !== undefined) return (await journeys.lintText(uuid, { notebook }, known)).map((finding) => placed(finding, finding));
    const { faults } = await workers.run(jsonPlaces, { json: json!, paths: [] });
    const shown = faults.map(
      ({ severity, code, message, at: { line, column, length } }): TextFinding => ({
        severity,
        code,
        message,
        line,
        column,
        end: { line, column: column + length },
      }),
    );
    if (faults.some(({ severity }) => severity === 'error')) return shown;
    const findings = await journeys.lintText(uuid, { json: json! }, known);
    const { positions } = await workers.run(jsonPlaces, { json: json!, paths: findings.map(({ path }) => path) });
    return [
      ...shown,
      ...findings.map((finding, i) => {
        const { line, column, length } = positions[i]!;
        return placed(finding, { line, column, end: { line, column: column + length } });
      }),
    ];
  }

  return [
    route({
      method: 'GET',
      path: '/numbers/{uuid}/triggers',
      permission: 'journeys.read',
      accounts: { uuid: owned.number },
      summary:
        'Lists the triggers of a number’s journeys in the order in which they are tried, each with the trigger of another journey that always starts first, if there is one.',
      request: { params },
      responses: { 200: object({ triggers: array(triggerInOrderSchema) }) },
      async handler({ params: { uuid } }) {
        await numbers.require(uuid);
        return { triggers: triggersInOrder(await journeys.ofNumber(uuid)) };
      },
    }),
    route({
      method: 'POST',
      path: '/journeys/{uuid}/problems',
      permission: 'journeys.read',
      accounts: { uuid: ofJourney },
      summary: 'Lists the problems that a text would have as the draft of a journey, with their lines and columns. Stores nothing.',
      keepsNothing: true,
      maxBytes: MAX_BYTES,
      request: { params, payload: textPayload.example(exampleOfText) },
      responses: { 200: object({ problems: array(textFindingSchema) }) },
      async handler({ params: { uuid }, payload }) {
        const text = onlyOne(payload);
        return { problems: await findingsOf(await journeys.require(uuid), text) };
      },
    }),
    route({
      method: 'POST',
      path: '/notebooks/completions',
      permission: 'journeys.read',
      accounts: 'none',
      summary:
        'Completes a notebook, or a definition as JSON text, in an editor: cards, functions, variables and contact fields at an offset. The text may have errors.',
      keepsNothing: true,
      maxBytes: MAX_BYTES,
      request: { payload: object({ offset: integer().min(0) }, text).example({ ...exampleOfText, offset: 27 }) },
      responses: { 200: object({ from: integer(), to: integer(), options: array(completionSchema) }) },
      async handler({ payload: { offset, ...payload } }) {
        const fields = Object.keys(reservedFields(context.dialect, null));
        const { notebook, json } = onlyOne(payload);
        const { from, to, options } = await journeys.complete(notebook === undefined ? { json: json! } : { notebook }, offset, fields);
        return { from, to, options: [...options] };
      },
    }),
    route({
      method: 'GET',
      path: '/journeys/{uuid}/graph',
      permission: 'journeys.read',
      accounts: { uuid: ofJourney },
      summary:
        'Lays out the graph of a journey’s draft, of a published revision or of any revision by its uuid: boxes and arrows with coordinates, and the places in the text; of each section in `collapsed`, such as `0,2`, one box. Null if it has errors. The text of a definition is its JSON with an indent of 2.',
      request: {
        params,
        query: object({}, { revision: string(), collapsed: string().pattern(/^\d{1,4}(,\d{1,4}){0,499}$/, 'numbers and commas') }),
      },
      responses: { 200: object({ graph: nullable(graphSchema) }) },
      async handler({ params: { uuid }, query: { revision = 'draft', collapsed } }) {
        const journey = await journeys.require(uuid);
        const text = await journeyText(journey, published(journey, revision));
        return { graph: await journeys.workers.run(journeyGraph, { ...text, collapsed: collapsed?.split(',').map(Number) ?? [] }) };
      },
    }),
    route({
      method: 'POST',
      path: '/journeys/{uuid}/graph',
      permission: 'journeys.read',
      accounts: { uuid: ofJourney },
      summary: 'Lays out the graph of a text of a journey. Null if it has errors. Stores nothing.',
      keepsNothing: true,
      maxBytes: MAX_BYTES,
      request: {
        params,
        payload: object({}, { ...text, collapsed: array(integer().min(0)).max(500) }).example(exampleOfText),
      },
      responses: { 200: object({ graph: nullable(graphSchema) }) },
      async handler({ params: { uuid }, payload: { collapsed = [], ...payload } }) {
        const { notebook, json } = onlyOne(payload);
        await journeys.require(uuid);
        const drawn = notebook === undefined ? { json: json! } : { notebook, uuid };
        return { graph: await journeys.workers.run(journeyGraph, { ...drawn, collapsed }) };
      },
    }),
    route({
      method: 'POST',
      path: '/journeys/{uuid}/edits',
      permission: 'journeys.read',
      accounts: { uuid: ofJourney },
      summary:
        'Makes the changes of a notebook that edit a card, if `action` is given, or says why the text cannot express it; comments and layout stay. Lists the parts of the card that can be edited afterwards: null if the text has errors or no such card. Stores nothing.',
      keepsNothing: true,
      maxBytes: MAX_BYTES,
      request: {
        params,
        payload: object({ notebook: anyString(), card: anyString() }, { action: canvasActionSchema }).example({
          notebook: exampleOfText.notebook,
          card: 'Hello',
          action: { kind: 'text', at: 21, content: 'Good morning' },
        }),
      },
      responses: {
        200: object(
          { card: nullable(cardPartsSchema) },
          {
            /** In the order of the text, without overlaps. */
            changes: array(textChangeSchema),
            /** The other effects of the changes, such as removing the buttons that lead to a deleted card. */
            also: array(anyString()),
            refused: anyString(),
          },
        ),
      },
      async handler({ params: { uuid }, payload: { notebook, card, action } }) {
        await journeys.require(uuid);
        const { card: parts, edit } = await journeys.workers.run(journeyCanvas, {
          notebook,
          card,
          action: action && actionOf(action, card),
        });
        return { card: parts as TypeOf<typeof cardPartsSchema> | null, ...(edit as object) };
      },
    }),
    route({
      method: 'GET',
      path: '/journeys/{uuid}/revisions',
      permission: 'journeys.read',
      accounts: { uuid: ofJourney },
      summary: 'Lists the revisions of a journey, newest first, and those in use that are older.',
      request: { params, query: object({}, { limit: integer().min(1).max(500) }) },
      responses: { 200: object({ revisions: array(revisionSchema) }) },
      async handler({ params: { uuid }, query: { limit = 100 } }) {
        const journey = await journeys.require(uuid);
        const newest = await journeys.revisionsOf(uuid, limit);
        const used = [...new Set([journey.draft, ...Object.values(journey.revisions)])].filter((id) => id !== null);
        const older = used.filter((id) => !newest.some((one) => one.uuid === id)).map((id) => journeys.revision(id));
        const found = [...newest, ...(await Promise.all(older)).sort((a, b) => b.count - a.count)];
        return {
          revisions: found.map(({ uuid: id, count, created_at, published_at, notebook, definition }): RevisionView => {
            const uses = [['draft', journey.draft] as const, ...revisionNames.map((name) => [name, journey.revisions[name]] as const)];
            return {
              uuid: id,
              count,
              created_at,
              ...(published_at !== undefined && { published_at }),
              format: notebook === undefined ? 'definition' : 'notebook',
              used_as: uses.flatMap(([name, used]) => (used === id ? [name] : [])),
              length: (notebook ?? JSON.stringify(definition)).length,
            };
          }),
        };
      },
    }),
    route({
      method: 'GET',
      path: '/journeys/{uuid}/revisions/{revision}',
      permission: 'journeys.read',
      accounts: { uuid: ofJourney },
      summary: 'Shows the text of a revision: its notebook, or its definition as JSON with an indent of 2.',
      request: { params: object({ uuid: uuidInPath(), revision: uuidInPath() }) },
      responses: { 200: object({}, { notebook: anyString(), json: anyString() }) },
      async handler({ params: { uuid, revision } }) {
        const text = await journeyText(await journeys.require(uuid), revision);
        return 'notebook' in text ? { notebook: text.notebook } : text;
      },
    }),
  ];
}

/** A part that an action lacks is refused like one that is no longer in the text. */
function actionOf(
  { kind, at = -1, content = '', label = '', to = null, text }: TypeOf<typeof canvasActionSchema>,
  card: string,
): CanvasAction {
  if (kind === 'delete_card') return { kind, card };
  if (kind === 'rename_card') return { kind, card, to: to ?? '' };
  if (kind === 'text' || kind === 'condition') return { kind, at, content };
  if (kind === 'add_button') return { kind, at, label, to: to ?? '', text };
  return kind === 'connect' ? { kind, at, to, text } : { kind, at, label };
}

/** @throws NotFound for a revision that is not published */
function published({ uuid, revisions }: JourneyRecord, revision: string): string {
  const isName = revisionNames.some((name) => name === revision);
  if (isName && revisions[revision as (typeof revisionNames)[number]] === null)
    throw new NotFound(`${revision} revision of journey`, uuid, 'revision_not_found');
  return revision;
}

function onlyOne(text: UnsavedText): UnsavedText {
  if ((text.notebook === undefined) !== (text.json === undefined)) return text;
  throw new InvalidRequest([{ path: ['notebook'], rule: 'any.required', message: 'send either notebook or json' }]);
}

function placed(finding: Finding, { line = 1, column = 1, end }: Pick<Finding, 'line' | 'column' | 'end'>): TextFinding {
  return { ...finding, line, column, end: end ?? { line, column: column + 1 } };
}
