import { readdirSync, readFileSync } from 'node:fs';
import { blockTypes } from '../../plugins/journeys/engine/blocks/index.js';
import { namesOf } from '../../plugins/journeys/engine/blocks/settings.js';
import { oneLine } from './members.js';
import { code, table } from './table.js';

const FOLDER = 'plugins/journeys/engine/blocks';
const CASES = 'test/plugins/journeys/engine/step';

/** The table of block types: the comment above each, its settings, and an example from its test cases. */
export function blockTable(): string {
  const sources = readdirSync(FOLDER).map((file) => readFileSync(`${FOLDER}/${file}`, 'utf8'));
  const index = readFileSync(`${FOLDER}/index.ts`, 'utf8');
  const rows = [...blockTypes].map(([type, { settings }]) => {
    const name = new RegExp(`\\['${type.replaceAll('.', '\\.')}', (\\w+)\\]`).exec(index)?.[1];
    const comment = sources.map((source) => commentOf(source, name ?? '')).find((found) => found !== undefined);
    if (!comment) throw new Error(`the block ${type} (${name}) has no doc comment`);
    return [code(type), comment, [...namesOf(settings)].sort().map(code).join(', '), exampleOf(configsOf(type, isSound))];
  });
  return table(['Type', 'What it does', 'Settings (`config`)', 'Example'], rows);
}

function commentOf(source: string, name: string): string | undefined {
  const found = new RegExp(`/\\*\\*((?:(?!\\*/)[\\s\\S])*)\\*/\\nexport const ${name}\\b`).exec(source)?.[1];
  return found === undefined ? undefined : oneLine(found);
}

interface Block {
  readonly type?: unknown;
  readonly config?: object;
}

const isSound = (written: unknown): boolean => !/"[a-z_]*(failed|warning|error|invalid|fail)"/.test(JSON.stringify(written));

function configsOf(type: string, isWanted: (written: unknown) => boolean): object[] {
  const found: object[] = [];
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    const block = value as Block;
    if (block.type === type && typeof block.config === 'object') found.push(block.config);
    for (const inner of Object.values(value)) visit(inner);
  };
  visit((JSON.parse(readFileSync(`${CASES}/${type}.json`, 'utf8')) as unknown[]).filter(isWanted));
  return found;
}

/** The longest example of at most 160 characters; otherwise the shortest. Examples with null settings are skipped. */
function exampleOf(configs: readonly object[]): string {
  const telling = configs.filter((config) => !Object.values(config).includes(null));
  const written = telling.map((config) => JSON.stringify(config)).filter((text) => text.length > 2);
  const short = written.filter((text) => text.length <= EXAMPLE_LENGTH);
  const [longest] = short.sort((one, other) => other.length - one.length);
  const [shortest] = written.sort((one, other) => one.length - other.length);
  const example = longest ?? shortest;
  return example === undefined ? '' : code(example.replaceAll('`', "'"));
}

const EXAMPLE_LENGTH = 160;
