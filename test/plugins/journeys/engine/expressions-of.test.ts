import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { expressionsOf } from '../../../../plugins/journeys/engine/lint/expressions.js';
import type { Signal } from '../../../../plugins/journeys/engine/session.js';
import { step } from '../../../../plugins/journeys/engine/step.js';
import { containerOf, type Draft, Talk } from './journey-under-test.js';

const folder = 'test/plugins/journeys/engine/step';

type Case = Draft & {
  readonly description: string;
  readonly start?: object;
  readonly signals?: readonly (string | Record<string, unknown>)[];
  readonly others?: Readonly<Record<string, Draft>>;
};

const signalOf = (given: string | Record<string, unknown>): Signal => {
  if (typeof given === 'string') return { kind: 'input', input: { text: given, type: 'text' } };
  return ('kind' in given ? given : { kind: 'input', input: { text: '', type: 'text', ...given } }) as unknown as Signal;
};

t.test('expressionsOf lists every expression that a step evaluates, for the cases of every block type', async (t) => {
  let count = 0;
  for (const file of readdirSync(folder)) {
    for (const item of JSON.parse(readFileSync(join(folder, file), 'utf8')) as Case[]) {
      const containers = {
        main: containerOf(item),
        ...Object.fromEntries(Object.entries(item.others ?? {}).map(([revision, draft]) => [revision, containerOf(draft)])),
      };
      const known = new Set(
        Object.values(containers).flatMap((container) => expressionsOf(container).map(({ block, source }) => `${block}: ${source}`)),
      );
      const talk = new Talk(containers);
      const start: Signal = { kind: 'start', session: 's', journey: 'j', revision: 'main', contact: {}, globals: {}, ...item.start };
      for (const signal of [start, ...(item.signals ?? []).map(signalOf)]) {
        const observed: string[] = [];
        const result = step({ ...talk.stepFor(signal), observe: ({ block }, source) => observed.push(`${block}: ${source}`) });
        talk.session = result.session;
        for (const one of observed.filter((text) => text.includes('@'))) {
          count++;
          // The text of a stored card is not in the journey, and a template with secrets is evaluated in parts.
          const isPart = [...known].some((text) => text.startsWith(one) && text.includes('@secrets.'));
          if (!known.has(one) && !isPart && !/ContentCard|SendContentMessage/.test(file)) t.fail(`${file}: ${item.description}: ${one}`);
        }
      }
    }
  }
  t.ok(count > 100, `${count} templates were evaluated`);
});

t.test('an expression has the pointer of its text', async (t) => {
  const container = containerOf({
    texts: { q: 'Hello @contact.name' },
    blocks: [
      {
        name: 'ask',
        type: 'MobilePrimitives.OpenResponse',
        config: { prompt: 'q' },
        exits: [{ test: 'block.value = 1', to: null }, { to: null }],
      },
    ],
  });
  t.strictSame(expressionsOf(container), [
    { block: 'ask', source: 'block.value = 1', pointer: '/flows/0/blocks/0/exits/0/test' },
    { block: 'ask', source: 'Hello @contact.name', pointer: '/flows/0/resources/0/values/0/value' },
  ]);
});
