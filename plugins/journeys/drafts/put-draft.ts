import { InvalidRequest, type JsonObject, type Transaction } from '#core';
import { type AssetStores, knownAssets } from '../assets/known-assets.js';
import type { JourneyRecord, RevisionName, Trigger } from '../definitions/journey.js';
import type { Finding } from '../engine/lint/finding.js';
import type { JourneysContext } from '../service.js';

/** A new draft of a journey: a definition, or a notebook. Number and name stay as they are unless given. */
export interface DraftRequest {
  readonly number?: string | undefined;
  readonly name?: string | undefined;
  readonly definition?: JsonObject | undefined;
  readonly notebook?: string | undefined;
  readonly triggers?: readonly Trigger[] | undefined;
  /** The uuid of the draft that it replaces. */
  readonly replaces?: string | undefined;
  /** Publishes the draft as this revision in the same transaction. */
  readonly revision?: RevisionName | undefined;
  /** Runs in the same transaction. */
  readonly also?: (tx: Transaction, journey: JourneyRecord) => Promise<JourneyRecord>;
}

/**
 * Creates a journey or replaces its draft, and publishes it when a revision is given; all of it or nothing. A definition and a notebook
 * take the same path, so both are checked and published alike.
 * @throws InvalidRequest, NotFound, InvalidJourney, Conflict if the journey has another draft than `replaces`
 */
export async function putDraft(
  context: JourneysContext,
  assets: AssetStores,
  uuid: string,
  { definition, notebook, triggers, replaces, revision, also, ...request }: DraftRequest,
): Promise<{ journey: JourneyRecord; problems: Finding[] }> {
  const { store, numbers, journeys } = context;
  const existing = await journeys.get(uuid);
  const { number = existing?.number, name = existing?.name } = request;
  if (definition !== undefined && notebook !== undefined) {
    throw new InvalidRequest([{ path: ['notebook'], rule: 'any.unknown', message: 'send either definition or notebook, not both' }]);
  }
  if (number === undefined) throw missing('number', 'number is required');
  await numbers.require(number);
  const draft = draftOf();
  const known = await knownAssets(context, assets, number);
  return store.transaction(async (tx) => {
    const put = await journeys.put(tx, draft, known);
    const published = revision ? await journeys.publish(tx, uuid, revision, known) : put.journey;
    return { journey: (await also?.(tx, published)) ?? published, problems: [...put.problems] };
  });

  function draftOf() {
    if (notebook !== undefined) return { uuid, number: number!, replaces, notebook, name: request.name, triggers };
    if (definition === undefined) throw missing('definition', 'definition is required, or notebook');
    if (name === undefined) throw missing('name', 'name is required');
    return { uuid, number: number!, replaces, name, definition, triggers: triggers ?? [] };
  }
}

const missing = (field: string, message: string): InvalidRequest => new InvalidRequest([{ path: [field], rule: 'any.required', message }]);
