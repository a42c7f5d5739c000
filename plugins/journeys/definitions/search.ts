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
      async find(query, bounds) {
        const found: Found[] = [];
        const all = (await records.list()).filter((journey) => journey.deleted_at === null && bounds.sees(journey));
        for (const journey of all.sort(newestFirst)) {
          if (!bounds.isNext({ at: journey.updated_at, id: journey.uuid })) continue;
          const part = await partWith(query, journey, await drafts.get(journey.draft), bounds);
          if (part) found.push(foundJourney(journey, part));
          if (!(await bounds.goOn())) return bounds.page(found, { at: journey.updated_at, id: journey.uuid });
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

const newestFirst = (a: JourneyRecord, b: JourneyRecord): number =>
  a.updated_at < b.updated_at || (a.updated_at === b.updated_at && a.uuid < b.uuid) ? 1 : -1;

const foundJourney = ({ uuid: id, name, number, updated_at: at }: JourneyRecord, part?: Part): Found => ({
  ...{ id, title: part?.card === undefined ? name : `${name}, ${part.card}`, text: part?.text ?? '', at, number },
  ...(part?.line !== undefined && { line: part.line }),
});

/** A part of the text of a journey. `line`: its first one, from 1; undefined for the name. */
interface Part {
  readonly card: string | undefined;
  readonly text: string;
  readonly line?: number;
}

/** The first part that has the words, with the line and the text around them. A card with such a name goes before one that mentions it. */
async function partWith(
  { excerptOf }: Parameters<Source['find']>[0],
  { name }: JourneyRecord,
  draft: RevisionRecord | undefined,
  { goOn }: Parameters<Source['find']>[1],
): Promise<Part | undefined> {
  const named = excerptOf(name);
  if (named !== undefined) return { card: undefined, text: named };
  const parts = draft?.notebook === undefined ? linesOf(draft?.definition) : partsOf(draft.notebook);
  const ofName = parts.find(({ card }) => card !== undefined && excerptOf(card) !== undefined);
  for (const { card, text, line } of ofName ? [ofName] : parts) {
    await goOn();
    const excerpt = excerptOf(text);
    if (excerpt === undefined) continue;
    const lines = text.split('\n');
    const at = lines.findIndex((one) => excerptOf(one) !== undefined);
    const shown = at < 0 ? excerpt : excerptOf(spokenIn(lines[at]!, excerptOf))!;
    return { card, text: shown, ...(line !== undefined && { line: line + Math.max(at, 0) }) };
  }
  return undefined;
}

const QUOTED = /"((?:[^"\\]|\\.)+)"/g;

/** The text in quotes that has the words, as contacts read it; else the whole line. */
const spokenIn = (line: string, excerptOf: Parameters<Source['find']>[0]['excerptOf']): string =>
  Array.from(line.matchAll(QUOTED), ([, quoted]) => quoted!).find((quoted) => excerptOf(quoted) !== undefined) ?? line.trim();

function partsOf(notebook: string): Part[] {
  const parts: Part[] = [];
  const lines = notebook.split('\n');
  for (let [card, first, line]: [string | undefined, number, number] = [undefined, 0, 0]; line <= lines.length; line++) {
    const [, named, heading] = CARD.exec(lines[line] ?? '') ?? [];
    if (line < lines.length && named === undefined && heading === undefined) continue;
    parts.push({ card, text: lines.slice(first, line).join('\n'), line: first + 1 });
    [card, first] = [named === undefined ? heading : `card ${named}`, line];
  }
  return parts;
}

/** The lines of a definition as editors show it. */
const linesOf = (definition: object | undefined): Part[] =>
  JSON.stringify(definition ?? {}, null, 2)
    .split('\n')
    .map((text, i) => ({ card: undefined, text, line: i + 1 }));
