import { readFileSync, writeFileSync } from 'node:fs';
import { families } from '../core/journey/expression/functions/index.js';

/** A part of a page that is made from the code it describes. */
export interface GeneratedPart {
  /** The page, from the root of the project. */
  readonly file: string;
  /** The name in its marks: `<!-- generated: name -->` before, `<!-- end -->` after. */
  readonly name: string;
  readonly make: () => string;
}

export const generatedParts: readonly GeneratedPart[] = [
  { file: 'core/journey/expression/README.md', name: 'functions', make: functionTables },
];

/** The page with its part as the code has it now. @throws when the page has no such marks */
export function withPart(page: string, { file, name, make }: GeneratedPart): string {
  const [before, after] = [`<!-- generated: ${name} -->\n`, '<!-- end -->'];
  const from = page.indexOf(before);
  const to = page.indexOf(after, from);
  if (from < 0 || to < 0) throw new Error(`${file} has no marks for '${name}'`);
  return `${page.slice(0, from + before.length)}\n${make().trim()}\n\n${page.slice(to)}`;
}

/** Rewrites every page that has a generated part; says which ones changed. */
export function writeDocs(): void {
  for (const part of generatedParts) {
    const page = readFileSync(part.file, 'utf8');
    const made = withPart(page, part);
    if (made === page) continue;
    writeFileSync(part.file, made);
    console.log(`${part.file}: ${part.name}`);
  }
}

/** A table as Markdown, with the bars of its cells escaped. */
export const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`).join('\n');

const titles: Readonly<Record<keyof typeof families, string>> = {
  logic: 'Logic',
  numbers: 'Numbers',
  text: 'Text',
  words: 'Words',
  types: 'Types and JSON',
  phrases: 'What an answer says',
  patterns: 'What an answer contains',
  lists: 'Lists and maps',
  dates: 'Dates and times',
};

function functionTables(): string {
  return Object.entries(families)
    .map(([family, definitions]) => {
      const rows = definitions.map(({ signature, summary, example: [source, printed] }) => [
        `\`${signature}\``,
        summary,
        `\`${source}\` gives ${printed === '' ? 'nothing' : `\`${printed}\``}`,
      ]);
      return `#### ${titles[family as keyof typeof families]}\n\n${table(['Function', 'What it is', 'Example'], rows)}`;
    })
    .join('\n\n');
}
