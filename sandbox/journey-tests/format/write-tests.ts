import { existsSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { Document, isMap, isSeq, visit } from 'yaml';
import type { TestDocument } from './document.js';

const INSTALLED = 'node_modules/posthorn/test.schema.json';
/** Lists and objects of up to this many characters are written on one line. */
const MAX_FLOW = 100;

/**
 * The text of a test file. Its first line names the JSON Schema, so that editors complete and check the file.
 * `readTests` reads it back to the same tests.
 * @param folder where the file will be, to find the installed schema
 */
export function writeTests(document: TestDocument, folder = '.'): string {
  const yaml = new Document(document, { aliasDuplicateObjects: false });
  visit(yaml, {
    Collection(_, node, path) {
      // `steps`, `tests` and their entries stay blocks; what is inside a step is short.
      const isInside = path.length > 6 && !(isMap(node) && node.items.length === 1 && node.has('expect'));
      const json = JSON.stringify(node);
      if (isInside && (isSeq(node) || isMap(node)) && json.length <= MAX_FLOW && !json.includes('\\n')) node.flow = true;
    },
  });
  return `${schemaLine(folder)}\n${yaml.toString({ lineWidth: 0, blockQuote: 'literal' })}`;
}

const schemaLine = (folder: string): string => `# yaml-language-server: $schema=${schemaPath(folder)}`;

/** A test file that was written elsewhere, for this folder: its first line names the schema from there. */
export const withSchemaFrom = (folder: string, tests: string): string =>
  tests.replace(/^# yaml-language-server: .*/, () => schemaLine(folder));

/** The path of the installed schema, from a folder: editors resolve it relative to the file. */
function schemaPath(folder: string): string {
  for (let at = folder; ; at = dirname(at)) {
    if (existsSync(join(at, INSTALLED))) {
      const path = relative(folder, join(at, INSTALLED)).split(sep).join('/');
      return path.startsWith('.') ? path : `./${path}`;
    }
    if (dirname(at) === at) return `./${INSTALLED}`;
  }
}
