import { placeholdersOf, type TemplateRecord } from '#core/messaging';
import type { AssetKind, AssetLookup } from '../engine/lint/references.js';
import type { JourneysContext } from '../service.js';
import type { Connections } from './ai-connections.js';
import type { Skills } from './code-skills.js';
import type { Cards } from './content-cards.js';

export interface AssetStores {
  readonly cards: Cards;
  readonly skills: Skills;
  readonly connections: Connections;
}

/** A template as lint compares it with the messages of a journey. */
const knownTemplate = (template: TemplateRecord) => ({
  language: template.language,
  header: placeholdersOf(template, 'header'),
  body: placeholdersOf(template, 'body'),
});

/** Answers, for lint, whether a number currently has an asset; undefined for a reference that cannot be checked. */
export async function knownAssets(
  { numbers, journeys, templates, forms }: JourneysContext,
  assets: AssetStores,
  number: string,
): Promise<AssetLookup> {
  const record = await numbers.require(number);
  const [cards, skills, connections, callable, approved, sendable] = await Promise.all([
    assets.cards.list(number),
    assets.skills.list(number),
    assets.connections.list(number),
    journeys.ofNumber(number),
    templates.list(number),
    forms(record),
  ]);
  const idsOf = (things: readonly { readonly uuid: string; readonly name: string }[]): ReadonlySet<string> =>
    new Set(things.flatMap(({ uuid, name }) => [uuid, name]));
  const known: Readonly<Record<Exclude<AssetKind, 'template'>, ReadonlySet<string> | undefined>> = {
    content_card: idsOf(cards),
    code_skill: new Set([...idsOf(skills), ...assets.skills.ofPlugins]),
    ai_connection: idsOf(connections),
    // References to journeys and forms are ids, never names.
    journey: new Set(callable.map(({ uuid }) => uuid)),
    form: sendable,
  };
  // On channel numbers the connector knows the templates; the platform does not.
  const templateNamed = (id: string) => {
    const found = approved.filter(({ name }) => name === id);
    return record.kind === 'channel' ? undefined : found.length > 0 && found.map(knownTemplate);
  };
  return (kind, id) => (kind === 'template' ? templateNamed(id) : known[kind]?.has(id));
}
