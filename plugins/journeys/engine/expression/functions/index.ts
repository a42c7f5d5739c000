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

export const functions = new Table<FunctionDefinition>(
  Object.values(families)
    .flat()
    .map((definition) => [definition.name, definition] as const),
);
