import { families } from '../../plugins/journeys/engine/expression/functions/index.js';
import { code, table } from './table.js';

const titles: Readonly<Record<keyof typeof families, string>> = {
  logic: 'Logic',
  numbers: 'Numbers',
  text: 'Text',
  words: 'Words',
  types: 'Types and JSON',
  phrases: 'Tests of texts',
  patterns: 'Numbers, dates, contacts and patterns in texts',
  lists: 'Lists and maps',
  dates: 'Dates and times',
};

export function functionTables(): string {
  return Object.entries(families)
    .map(([family, definitions]) => {
      const rows = definitions.map(({ signature, summary, example: [source, printed] }) => [
        code(signature),
        summary,
        `${code(source)} gives ${printed === '' ? 'nothing' : code(printed)}`,
      ]);
      return `#### ${titles[family as keyof typeof families]}\n\n${table(['Function', 'Result', 'Example'], rows)}`;
    })
    .join('\n\n');
}
