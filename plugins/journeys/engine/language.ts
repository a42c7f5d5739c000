import { messageOf } from '#core/basics';
import type { BlockType } from './blocks/block-type.js';
import type { ContributedBlock } from './blocks/contributed.js';
import { blockTypes } from './blocks/index.js';
import type { ExpressionFunction } from './expression/functions/contributed.js';
import type { FunctionDefinition } from './expression/functions/define.js';
import { functions } from './expression/functions/index.js';
import { RESERVED_NAMES } from './limits.js';
import { wordOf } from './notebook/contributed.js';
import { reservedWords } from './notebook/tokens.js';
import { headOptions, topWords, type Word, words } from './notebook/words.js';

/** The additions of a plugin to the language of journeys: the default export of its module, which imports `posthorn/engine` only. */
export interface JourneyLanguage {
  /** Block types, as `blockType` returns them. */
  readonly blocks?: readonly ContributedBlock[];
  /** Functions for expressions, as `functionType` returns them. */
  readonly functions?: readonly ExpressionFunction[];
}

/** A module of a plugin with its language. */
export interface LanguageModule {
  readonly plugin: string;
  /** The URL of the module, which every thread that checks or runs journeys imports. */
  readonly url: string;
}

/** The platform adds this to the input of each task that runs the engine, if plugins have modules. */
export interface WithModules {
  readonly language?: readonly LanguageModule[];
}

/** The additions of several plugins. */
interface Additions {
  readonly blocks: Map<string, BlockType>;
  readonly functions: Map<string, FunctionDefinition>;
  readonly words: Map<string, Word>;
}

const loaded = new Map<string, Additions>();

/**
 * Runs work with the language of these modules besides our own. Without modules, or when they are loaded already, it runs immediately. Two
 * platforms of a process do not see the modules of each other, because the work is synchronous.
 * @throws TypeError when a module is not as `JourneyLanguage` says, or a name is taken
 */
export function withModules<T>({ language: modules }: WithModules, work: () => T): T | Promise<T> {
  if (!modules) return work();
  const known = loaded.get(keyOf(modules));
  return known ? inside(known, work) : loadModules(modules).then((language) => inside(language, work));
}

/** Imports modules, unless they are loaded. @throws TypeError when a module is not as `JourneyLanguage` says, or a name is taken */
export async function loadModules(modules: readonly LanguageModule[]): Promise<Additions> {
  const language: Additions = { blocks: new Map(), functions: new Map(), words: new Map() };
  const owners = new Map<string, string>();
  for (const { plugin, url } of modules) {
    try {
      const { default: added } = (await import(url)) as { readonly default?: JourneyLanguage };
      if (typeof added !== 'object' || added === null) throw new TypeError('it has no default export with blocks or functions');
      addTo(language, plugin, added, owners);
    } catch (error) {
      throw new TypeError(`the language of plugin '${plugin}' (${url}) cannot be used: ${messageOf(error)}`);
    }
  }
  loaded.set(keyOf(modules), language);
  return language;
}

/**
 * Adds the language of modules to all work of this thread, for commands: a platform uses `withModules`, because others may run beside it.
 * @returns a function that removes it @throws TypeError as `loadModules`
 */
export async function useModules(modules: readonly LanguageModule[]): Promise<() => void> {
  const { blocks, functions: added, words: known } = await loadModules(modules);
  const ends = [blockTypes.extend(blocks), functions.extend(added), words.extend(known)];
  return () => {
    for (const end of ends) end();
  };
}

/** Runs work with the language of plugins besides our own: lint, notebooks, expressions and steps know it. The work must not be asynchronous. */
export function withLanguage<T>(languages: Readonly<Record<string, JourneyLanguage>>, work: () => T): T {
  const language: Additions = { blocks: new Map(), functions: new Map(), words: new Map() };
  const owners = new Map<string, string>();
  for (const [plugin, added] of Object.entries(languages)) addTo(language, plugin, added, owners);
  return inside(language, work);
}

const keyOf = (modules: readonly LanguageModule[]): string => modules.map(({ plugin, url }) => `${plugin} ${url}`).join('\n');

const inside = <T>({ blocks, functions: added, words: known }: Additions, work: () => T): T =>
  blockTypes.extended(blocks, () => functions.extended(added, () => words.extended(known, work)));

const NAME = /^[a-z][a-z0-9_]*$/;
const OTHER_NAMES: ReadonlySet<string> = new Set([...reservedWords, ...RESERVED_NAMES, ...topWords, ...headOptions]);

function addTo(
  language: Additions,
  plugin: string,
  { blocks = [], functions: added = [] }: JourneyLanguage,
  owners: Map<string, string>,
): void {
  const claim = (kind: string, name: string, isOurs: boolean): void => {
    const owner = isOurs ? 'journeys' : owners.get(name);
    if (owner !== undefined) throw new TypeError(`plugin '${plugin}' adds the ${kind} '${name}', but '${owner}' already has that name`);
    owners.set(name, plugin);
  };
  const claimWord = (kind: string, name: string): void => {
    if (!NAME.test(name)) throw new TypeError(`plugin '${plugin}' adds the ${kind} '${name}': use lower-case letters, digits and _`);
    claim(kind, name, OTHER_NAMES.has(name) || functions.has(name) || words.has(name));
  };
  for (const block of blocks) {
    const { type, word, declared } = block;
    if (!declared) throw new TypeError(`plugin '${plugin}' adds a block that blockType() of posthorn/engine did not make`);
    if (!type.startsWith(`${plugin}.`))
      throw new TypeError(`plugin '${plugin}' adds the block '${type}': its type must begin with '${plugin}.'`);
    claim('block', type, blockTypes.has(type));
    language.blocks.set(type, block);
    if (word === undefined) continue;
    claimWord('word', word);
    language.words.set(word, wordOf(block, word));
  }
  for (const definition of added as readonly FunctionDefinition[]) {
    if (!definition.run) throw new TypeError(`plugin '${plugin}' adds a function that functionType() of posthorn/engine did not make`);
    claimWord('function', definition.name);
    language.functions.set(definition.name, definition);
  }
}
