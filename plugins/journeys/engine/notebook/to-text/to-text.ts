import { type Block, compile, type Flow, textAt } from '../../compile.js';
import type { Container, ContainerLanguage } from '../../floip.js';
import { compileNotebook, type NotebookTrigger } from '../notebook.js';
import { besidesBlocks, type Counterparts, differences, type Unsaid } from './differences.js';
import { Writer } from './writer.js';

export type { Unsaid } from './differences.js';

export interface NotebookText {
  /** Compiles without errors, and is formatted. */
  readonly text: string;
  /** Parts of the journey that the text omits or changes; empty when it compiles to the same journey. */
  readonly unsaid: readonly Unsaid[];
}

export interface NotebookTextOptions {
  /** Containers do not contain triggers. */
  readonly triggers?: readonly NotebookTrigger[];
}

/**
 * Writes a journey as a notebook. A journey that was compiled from one gets its cards back, without comments and prose; others get
 * cards by the structure of their exits. Blocks that a notebook cannot express become comments and are listed in `unsaid`, as is every
 * difference between the journey and the recompiled text.
 *
 * @param container a container without errors (`checkContainer`)
 */
export function notebookOf(container: Container, { triggers = [] }: NotebookTextOptions = {}): NotebookText {
  const definition = compile(container);
  const flow = definition.entry;
  const language = flow.languages[0]?.id ?? '';
  const writer = new Writer(flow, language);
  const text = writer.text(container, triggers);
  const made = compileNotebook(text, {
    uuid: container.uuid,
    name: container.name,
    language: languageOf(container),
    lastModified: container.flows[0]?.last_modified ?? undefined,
  });
  const unsaid = [...besidesBlocks(definition, language), ...writer.unsaid];
  if (!made.container) {
    // Only journeys that lint refuses can end here, such as one over a limit of notebooks.
    for (const { message, line } of made.findings) unsaid.push({ path: '/flows/0', message: `line ${line}: ${message}` });
    return { text, unsaid };
  }
  const compiled = compile(made.container);
  return { text, unsaid: [...unsaid, ...compare(flow, compiled.entry, language, writer.places)] };
}

/** Differences between the blocks of a flow and of its recompiled notebook. */
function compare(flow: Flow, made: Flow, language: string, places: ReadonlyMap<string, string>): Unsaid[] {
  const byPlace = placed(made);
  const counterparts: Counterparts = new Map(
    [...flow.blocks.keys()].flatMap((uuid) => {
      const twin = byPlace.get(places.get(uuid) ?? '');
      return twin ? [[uuid, twin] as const] : [];
    }),
  );
  const sides = [
    { flow, language },
    { flow: made, language: made.languages[0]!.id },
  ] as const;
  return [...flow.blocks.values()].flatMap((block, i) => {
    const twin = counterparts.get(block.uuid);
    if (!twin) return [];
    return differences(block, twin, sides, counterparts).map((part) => ({
      path: `/flows/0/blocks/${i}/${part}`,
      block: block.name,
      message: `a notebook cannot express ${part} as it is`,
    }));
  });
}

/** Blocks by card, clause, item and position within the item. */
function placed({ blocks }: Flow): Map<string, Block> {
  const found = new Map<string, Block>();
  for (const block of blocks.values()) {
    const { own } = block.hints;
    const item = `${textAt(own, 'card')}/${own.clause ?? ''}/${own.item ?? ''}`;
    let n = 0;
    while (found.has(`${item}/${n}`)) n++;
    found.set(`${item}/${n}`, block);
  }
  return found;
}

function languageOf(container: Container): Exclude<ContainerLanguage, string> | undefined {
  const [language] = container.flows[0]?.languages ?? [];
  return typeof language === 'string' ? { id: language } : language;
}
