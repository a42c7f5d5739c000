import { readFileSync } from 'node:fs';
import t from 'tap';
import type { JsonObject } from '../../../../../core/json.js';
import { compileNotebook } from '../../../../../plugins/journeys/engine/notebook/notebook.js';
import { seen, Talk } from '../journey-under-test.js';

interface Case {
  readonly about: string;
  readonly file: string;
  readonly contact?: JsonObject;
  readonly said: readonly string[];
  readonly seen: readonly (readonly string[])[];
}

const cases = JSON.parse(readFileSync('test/plugins/journeys/engine/notebook/conversations.json', 'utf8')) as Case[];

for (const { about, file, contact = {}, said, seen: expected } of cases) {
  t.test(`a notebook talks: ${about}`, async (t) => {
    const { container } = compileNotebook(readFileSync(`test/plugins/journeys/engine/notebook/cases/${file}`, 'utf8'));
    const talk = new Talk({ main: container! });
    t.strictSame([talk.start({ contact }), ...said.map((text) => talk.say(text))].map(seen), expected);
  });
}
