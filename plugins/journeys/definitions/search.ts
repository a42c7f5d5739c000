import type { Contributions } from '#core';
import { journeyRecords, revisions, sessions } from '../records.js';
import type { JourneysContext } from '../service.js';
import type { JourneyRecord, RevisionRecord } from './journey.js';

type Source = NonNullable<Contributions['search']>[number];
type Found = Awaited<ReturnType<Source['find']>>['found'][number];

/** The first line of a card, or a heading, of a notebook. */
const CARD = /^(?:card\s+(\w+)|#+\s+(.+))/;

/** Lets searches find journeys: names, cards and the texts in their drafts; sessions by their ids. */
export function journeySearch({ store }: Pick<JourneysContext, 'store'>): readonly Source[] {
  const records = store.open(journeyRecords);
  const drafts = store.open(revisions);
  return [
    {
      kind: 'journey',
      permission: 'journeys.read',
      async find({ excerptOf }, bounds) {
        const found: Found[] = [];
        const all = (await records.list()).filter((journey) => journey.deleted_at === null && bounds.sees(journey));
        for (const journey of all.sort(newestFirst)) {
          for (const [card, text] of partsOf(journey, await drafts.get(journey.draft))) {
            const isInTime = await bounds.goOn();
            const excerpt = excerptOf(text);
            if (excerpt !== undefined) {
              found.push(foundJourney(journey, card, excerpt));
              break;
            }
            if (!isInTime) return bounds.page(found, { at: journey.updated_at });
          }
        }
        return bounds.page(found);
      },
      async byId(id) {
        const journey = await records.get((await drafts.get(id))?.journey ?? id);
        return journey?.deleted_at === null ? [foundJourney(journey)] : [];
      },
    },
    {
      kind: 'session',
      permission: 'messages.read_bodies',
      find: async (_, bounds) => bounds.page([]),
      async byId(uuid) {
        const session = await store.open(sessions).get(uuid);
        const journey = session && (await records.get(session.journey));
        if (!session || !journey) return [];
        const { number, journey: id, created_at: at } = session;
        return [{ id: uuid, title: `session of ${journey.name}`, text: '', at, number, on: { kind: 'journey', id } }];
      },
    },
  ];
}

const newestFirst = (a: JourneyRecord, b: JourneyRecord): number => (a.updated_at < b.updated_at ? 1 : -1);

const foundJourney = ({ uuid: id, name, number, updated_at: at }: JourneyRecord, card?: string, text = ''): Found => ({
  id,
  title: card === undefined ? name : `${name}, ${card}`,
  text,
  at,
  number,
});

/** The texts of a draft, each with the card that it is in. */
function* partsOf(
  { name }: JourneyRecord,
  draft: RevisionRecord | undefined,
): Generator<readonly [card: string | undefined, text: string]> {
  yield [undefined, name];
  if (draft?.notebook === undefined) {
    for (const text of textsIn(draft?.definition)) yield [undefined, text];
    return;
  }
  let card: string | undefined;
  let lines: string[] = [];
  for (const line of draft.notebook.split('\n')) {
    const [, named, heading] = CARD.exec(line) ?? [];
    if (named !== undefined || heading !== undefined) {
      yield [card, lines.join('\n')];
      card = named === undefined ? heading : `card ${named}`;
      lines = [];
    }
    lines.push(line);
  }
  yield [card, lines.join('\n')];
}

function* textsIn(value: unknown): Generator<string> {
  if (typeof value === 'string') yield value;
  else if (typeof value === 'object' && value !== null) for (const part of Object.values(value)) yield* textsIn(part);
}
