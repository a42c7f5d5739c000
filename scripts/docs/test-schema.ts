import { matcherWords, testJsonSchema } from '../../sandbox/journey-tests/format/index.js';
import { code, table } from './table.js';

/** The JSON Schema of test files, for editors. */
export const schemaFiles: readonly { readonly file: string; readonly make: () => string }[] = [
  { file: 'test.schema.json', make: () => `${JSON.stringify(testJsonSchema(), null, 1)}\n` },
];

interface Part {
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Part>>;
  readonly items?: Part;
  readonly anyOf?: readonly Part[];
}

/** The keys of a test file with their descriptions, as in its schema. */
export function testKeyTables(): string {
  const file = testJsonSchema() as Part;
  const test = file.properties!.tests!.items!;
  const step = test.properties!.steps!.items!.anyOf!.find(({ properties }) => properties)!;
  const sent = step.properties!.send!.anyOf!.find(({ properties }) => properties)!;
  const rows = ({ properties = {} }: Part): string[][] =>
    Object.entries(properties).map(([key, { description = '' }]) => [code(key), description]);
  const part = (title: string, lines: readonly (readonly string[])[]): string => [title, table(['Key', 'Description'], lines)].join('\n\n');
  return [
    part('**The file**', rows(file)),
    part('**A test.** `defaults` has the same keys from `contact` on.', rows(test)),
    part('**A step**', rows(step)),
    part('**`send`**', rows(sent)),
    part('**`expect`**', rows(step.properties!.expect!)),
    part(
      '**Operators.** A value of `expect` is compared, or is an object of operators, such as `{ contains: Menu }`.',
      Object.entries(matcherWords).map(([word, { about }]) => [code(word), about]),
    ),
  ].join('\n\n');
}
