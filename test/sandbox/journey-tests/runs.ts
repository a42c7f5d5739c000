import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Tap } from '#core/testing';
import { test } from '../../../sandbox/commands/test.js';
import { exitCodeOf } from '../exit-code.js';

/** A journey with a menu, a question that times out, a request and a list. */
export const cafe = `# Café

\`\`\`stack
trigger(on: "MESSAGE RECEIVED") when has_any_word(event.message.text.body, "hi hello")

card Menu, then: Menu do
  menu = buttons(Hours: "Opening hours", Table: "A table", Weather: "Weather") do
    text("Hello @contact.name! What do you need?")
  end
end

card Hours do
  text("We are open from 9 to 5.")
end

card Table, then: Booked do
  people = ask("For how many people?")
end

card Booked do
  update_contact(booked: "@people")
  text("A table for @people. See you!")
end

card Weather, then: Told do
  weather = get("https://weather.test/today", query: [["city", "Rome"]])
end

card Told when weather.status == 200 do
  text("It is @weather.body.sky.")
end

card Told do
  text("I cannot see the sky.")
end
\`\`\`
`;

/** A folder of a test, with these files. */
export function folderWith(t: Tap, files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-tests-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

/** Runs `posthorn test` in a folder. */
export async function runCommand(
  cwd: string,
  ...argv: string[]
): Promise<{ code: number; out: string; err: string; text(file: string): string }> {
  const out: string[] = [];
  const err: string[] = [];
  const terminal = { out: (line: string) => out.push(line), err: (line: string) => err.push(line), isColoured: false, cwd };
  const code = await exitCodeOf(test.run(argv, terminal), err);
  return { code, out: out.join('\n'), err: err.join('\n'), text: (file) => readFileSync(join(cwd, file), 'utf8') };
}

const resource = (uuid: string, value: string) => ({
  uuid,
  values: [{ language_id: 'eng', content_type: 'TEXT', modes: ['RICH_MESSAGING'], value }],
});
/** A journey with one flow. */
export const flow = (blocks: readonly object[], resources: readonly object[] = []) =>
  JSON.stringify({
    specification_version: '1.0.0-rc4',
    uuid: '0f9ad0a5-5d5c-4a52-9b8e-6a8f0a3c1d10',
    name: 'Agent',
    flows: [
      {
        ...{ uuid: '1d2f5a8e-2c0b-4b7d-8b11-3f0d9c7e5a21', name: 'main', last_modified: '2026-01-05T08:00:00Z', interaction_timeout: 300 },
        ...{ supported_modes: ['RICH_MESSAGING'], languages: [{ id: 'eng', iso_639_3: 'eng' }], first_block_id: 'b0', blocks, resources },
      },
    ],
  });
export const exits = (i: number) => [{ uuid: `e${i}`, name: 'next', default: true, destination_block: null }];

/** An agent with a code skill and an action. */
export const agentJourney = flow(
  [
    {
      ...{ uuid: 'b0', name: 'agent', type: 'Svc.AiAgent' },
      config: {
        ...{ connection: 'helper', instructions: 'i' },
        actions: [{ name: 'book', description: 'Books.', exit: 'book' }],
        skills: [
          {
            ...{ name: 'find_slots', description: 'Finds.', kind: 'code', skill: 'find_slots' },
            parameters: { type: 'object', properties: { day: { type: 'string' } } },
          },
        ],
      },
      exits: [{ uuid: 'e1', name: 'book', test: 'block.value == "book"', destination_block: null }, ...exits(0)],
    },
  ],
  [resource('i', 'Book a visit.')],
);
