// Bench: validating Flow JSON, as a ratio to parsing it with positions, by our scanner and by jsonc-parser
import { parseTree } from 'jsonc-parser';
import { scan } from '../../plugins/flows/validate/scan.js';
import { validateFlow } from '../../plugins/flows/validate/validate-flow.js';
import { alternate, ratioOf } from './measuring/rounds.js';
import { median, printTable } from './measuring/table.js';

const ROUNDS = 9;
const MB = 1024 * 1024;

const link = (next: string): object => ({ name: 'navigate', next: { type: 'screen', name: next }, payload: {} });
const footer = (action: object): object => ({ type: 'Footer', label: 'Continue', 'on-click-action': action });
const letters = (index: number): string => `S_${[...String(index)].map((digit) => 'ABCDEFGHIJ'[Number(digit)]).join('')}`;

/** A valid flow: screens in sequence, each with texts, inputs, options, conditions and a data model. More options make it larger. */
function flowOf(screens: number, options: number): string {
  const data = { name: { type: 'string', __example__: 'Ann' }, isOpen: { type: 'boolean', __example__: true } };
  const choices = Array.from({ length: options }, (_, i) => ({ id: `option_${i}`, title: `Option ${i}`, description: 'What it means' }));
  const one = (_: unknown, index: number): object => {
    const isLast = index === screens - 1;
    const action = isLast ? { name: 'complete', payload: { name: `\${data.name}`, choice: `\${form.city}` } } : link(letters(index + 1));
    const carried = { ...action, payload: isLast ? { name: `\${data.name}` } : { name: `\${data.name}`, isOpen: `\${data.isOpen}` } };
    const dropdowns = Array.from({ length: 8 }, (_, i) => ({ type: 'Dropdown', name: `city${i}`, label: 'City', 'data-source': choices }));
    const children = [
      { type: 'TextHeading', text: `\`'Hello ' \${data.name}\`` },
      { type: 'TextInput', name: 'street', label: 'Street', required: true, 'min-chars': 2, 'max-chars': 60 },
      ...dropdowns,
      // biome-ignore lint/suspicious/noThenProperty: the name in Flow JSON
      { type: 'If', condition: `\${data.isOpen} && (\${form.street} != '')`, then: [{ type: 'TextBody', text: 'Open' }] },
      footer(carried),
    ];
    return { id: letters(index), title: 'Screen', terminal: isLast, data, layout: { type: 'SingleColumnLayout', children } };
  };
  return JSON.stringify({ version: '7.3', screens: Array.from({ length: screens }, one) }, null, 2);
}

/** A flow of about this size, by the number of options. */
function flowOfSize(bytes: number, screens: number): string {
  let options = 1;
  while (flowOf(screens, options + 1).length <= bytes && options < 200) options++;
  return flowOf(screens, options);
}

const texts = {
  '20 KB': () => flowOfSize(20 * 1024, 1),
  '9.5 MB': () => flowOfSize(9.5 * MB, 40),
  // The worst case: every component has an error.
  '9.5 MB, all wrong': () => flowOfSize(9.5 * MB, 40).replaceAll('"description"', '"descriptoin"'),
};
/** A round of a text repeats its work until it has gone through this many characters, as one small text takes only a millisecond. */
const CHARACTERS = 2 * MB;

const cases = {
  'floor: reading with positions': scan,
  'JSON.parse': JSON.parse,
  'jsonc-parser': (text: string) => parseTree(text),
  validateFlow: (text: string) => validateFlow(text),
} satisfies Record<string, (text: string) => unknown>;
type Case = keyof typeof cases;

/** Milliseconds that each case takes for a text, in each round. */
export async function measureFlow(text: string, names: readonly Case[], rounds: number): Promise<Map<string, number[]>> {
  const repeats = Math.max(1, Math.round(CHARACTERS / text.length));
  const sides = names.map((name) => ({
    name,
    async round() {
      const began = performance.now();
      for (let n = 0; n < repeats; n++) cases[name](text);
      return (performance.now() - began) / repeats;
    },
    stop: async () => undefined,
  }));
  return await alternate(sides, rounds);
}

/** A valid flow of 20 KB. */
export const smallFlow = texts['20 KB'];

async function run(): Promise<void> {
  for (const [name, make] of Object.entries(texts)) {
    const text = make();
    const times = await measureFlow(text, Object.keys(cases) as Case[], ROUNDS);
    const [floor] = times.values();
    const { errors, unlistedErrors } = validateFlow(text);
    console.log(`\n${name}: ${(text.length / 1024).toFixed(0)} KiB, ${errors.length + unlistedErrors} errors found`);
    printTable(
      [`median of ${ROUNDS}`, 'ms', 'min', 'ratio'],
      [...times].map(([what, all]) => [
        what,
        median(all).toFixed(2),
        Math.min(...all).toFixed(2),
        ratioOf(all, floor!, (ms) => ms).median.toFixed(2),
      ]),
    );
  }
}

if (process.argv[1] === import.meta.filename) await run();
