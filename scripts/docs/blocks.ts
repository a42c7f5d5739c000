import { readdirSync, readFileSync } from 'node:fs';
import { blockTypes } from '../../core/journey/blocks/index.js';
import { oneLine } from './members.js';
import { code, table } from './table.js';

const FOLDER = 'core/journey/blocks';
const CASES = 'test/core/journey/step';

/** Every type of block: its line, from the comment above it, and the settings that its cases use. */
export function blockTable(): string {
  const sources = readdirSync(FOLDER).map((file) => readFileSync(`${FOLDER}/${file}`, 'utf8'));
  const index = readFileSync(`${FOLDER}/index.ts`, 'utf8');
  const rows = [...blockTypes.keys()].map((type) => {
    const name = new RegExp(`\\['${type.replaceAll('.', '\\.')}', (\\w+)\\]`).exec(index)?.[1];
    const comment = sources.map((source) => commentOf(source, name ?? '')).find((found) => found !== undefined);
    if (!comment) throw new Error(`the block ${type} (${name}) has no comment that says what it does`);
    return [code(type), comment, settingsOf(type, sources).map(code).join(', ')];
  });
  return table(['Type', 'What it does', 'Settings (`config`)'], rows);
}

function commentOf(source: string, name: string): string | undefined {
  const found = new RegExp(`/\\*\\*((?:(?!\\*/)[\\s\\S])*)\\*/\\nexport const ${name}\\b`).exec(source)?.[1];
  return found === undefined ? undefined : oneLine(found);
}

interface Block {
  readonly type?: unknown;
  readonly config?: object;
}

/** The settings of a type in its own cases, as far as the code of blocks knows them. */
function settingsOf(type: string, sources: readonly string[]): string[] {
  const keys = new Set<string>();
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    const block = value as Block;
    if (block.type === type && typeof block.config === 'object') for (const key of Object.keys(block.config)) keys.add(key);
    for (const inner of Object.values(value)) visit(inner);
  };
  visit(JSON.parse(readFileSync(`${CASES}/${type}.json`, 'utf8')));
  return [...keys].filter((key) => !GENERAL.has(key) && sources.some((source) => new RegExp(`\\b${key}\\b`).test(source))).sort();
}

/** Settings that any block may have; the page tells of them. */
const GENERAL = new Set(['set_contact_property', 'timeout']);
