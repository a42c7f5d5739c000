import { Table } from '../../table.js';
import { dates } from './dates.js';
import type { FunctionDefinition } from './define.js';
import { lists } from './lists.js';
import { logic } from './logic.js';
import { numbers } from './numbers.js';
import { patterns } from './patterns.js';
import { phrases } from './phrases.js';
import { text } from './text.js';
import { types } from './types.js';
import { words } from './words.js';

/** Every function of the language, by family. */
export const families = { logic, numbers, text, words, types, phrases, patterns, lists, dates } as const;

/** Functions whose cost bounds how long they take. Patterns and dates search texts in many ways; the functions of plugins are unknown. */
const bounded: ReadonlySet<FunctionDefinition> = new Set([logic, numbers, text, words, types, phrases, lists].flat());

export const isBounded = (definition: FunctionDefinition): boolean => bounded.has(definition);

export const functions = new Table<FunctionDefinition>(
  Object.values(families)
    .flat()
    .map((definition) => [definition.name, definition] as const),
);
