import t from 'tap';
import type { Tap } from '#core/testing';
import { agentJourney, cafe, exits, flow, folderWith, runCommand } from './runs.js';

/** Runs tests of the café and returns the result of each: `passed`, or the message of the failure. */
async function results(t: Tap, text: string, files: Readonly<Record<string, string>> = {}): Promise<Record<string, string>> {
  const { out } = await runCommand(
    folderWith(t, { 'cafe.md': cafe, 'a.test.yaml': `journey: cafe.md\n${text}`, ...files }),
    'a.test.yaml',
    '--json',
  );
  const [file] = JSON.parse(out).files;
  for (const { message, line } of file.problems) t.fail(`line ${line}: ${message}`);
  return Object.fromEntries(
    file.tests.map(({ name, status, failure }: never) => [name, failure ? (failure as { message: string }).message : status]),
  );
}

t.test('matchers accept what fits and refuse what does not', async (t) => {
  const expectation = (name: string, expect: string) =>
    `  - { name: "${name}", contact: { name: Ann, visits: 3, pets: [cat, dog], home: { city: Rome, zip: "00100" } }, steps: [start, { expect: { ${expect} } }] }\n`;
  const fits = [
    'text: "Hello Ann! What do you need?"',
    'text: { contains: Ann }',
    'text: { contains: [Hello, need] }',
    'text: { matches: "^Hello \\\\w+!" }',
    'text: { matches: /HELLO/i }',
    'text: { not: { contains: Bob } }',
    'text: ["Hello Ann! What do you need?"]',
    'text: [{ length: 28 }]',
    'options: [Opening hours, A table, Weather]',
    'options: { unordered: [Weather, A table, Opening hours] }',
    'options: { superset: [Weather] }',
    'options: { subset: [Weather, A table, Opening hours, Bar] }',
    'options: { contains: Weather }',
    'options: { length: { at_least: 2, at_most: 3 } }',
    'card: Menu, state: waiting_for_input',
    'card: { one_of: [Bar, Menu] }',
    'contact: { name: Ann, visits: { at_least: 3 }, "home.city": Rome, "pets[1]": dog, "$.home.zip": { any: true } }',
    'contact: { home: { city: Rome }, nothing: { absent: true } }',
    'context: { "number.address": "+27600000001", contact.pets: { contains: cat } }',
    'actions: [], warnings: [], http_calls: [], skill_calls: { length: 0 }',
  ];
  const misses = [
    ['text: Hello Ann!', /^text differs: expected "Hello Ann!", received "Hello Ann! What do you need\?"$/],
    ['text: []', /^text\[0\] differs: expected nothing: the list has 0 items, received "Hello Ann!/],
    ['options: [Weather, Opening hours, A table]', /^options\[0\] differs: expected "Weather", received "Opening hours"/],
    ['options: { superset: [Weather, Weather] }', /expected at least \["Weather","Weather"\]/],
    ['options: { subset: [Weather] }', /expected only items of/],
    ['contact: { visits: "3" }', /^contact\.visits differs: expected "3", received 3$/],
    ['contact: { home: { equals: { city: Rome } } }', /^contact\.home\.zip differs: expected no such key, received "00100"$/],
    ['contact: { vists: 3 }', /^contact\.vists differs: expected 3, received nothing$/],
    ['turns: [{ type: interactive }]', /^turns\[0\]\.interactive differs: expected no such key/],
    ['state: end, card: Bar', /^state differs: expected "end", received "waiting_for_input" \(and card\)$/],
  ] as const;
  const found = await results(
    t,
    `tests:\n${[...fits, ...misses.map(([expect]) => expect)].map((expect, i) => expectation(`${i}`, expect)).join('')}`,
  );
  for (const [i, expect] of fits.entries()) t.equal(found[i], 'passed', expect);
  for (const [i, [expect, message]] of misses.entries()) t.match(found[fits.length + i], message, expect);
});

t.test('delivered turns are compared key for key', async (t) => {
  const text = `tests:
  - name: turns
    steps:
      - start
      - tap: Opening hours
      - expect: { turns: [{ type: text, text: { body: We are open from 9 to 5. } }] }
`;
  t.strictSame(await results(t, text), { turns: 'passed' });
  t.match(await results(t, text.replace('{ body:', '{ preview: true, body:')), {
    turns: /^turns\[0\]\.text\.preview differs: expected true, received nothing/,
  });
});

t.test('mocks respond to requests in order, and a request without a mock fails the test unless it is expected', async (t) => {
  const found = await results(
    t,
    `defaults: { contact: { name: Ann } }
tests:
  - name: mocked
    http_mocks: [{ method: GET, url: "https://weather.test/:day", response: { body: { sky: blue } } }]
    steps:
      - start
      - tap: Weather
        expect:
          text: It is blue.
          http_calls: [{ method: GET, query: { city: Rome }, params: { day: today }, status: 200, mocked: true }]
  - name: sky {{sky}}
    each: [{ status: 200, sky: blue, text: It is blue. }, { status: 503, sky: none, text: I cannot see the sky. }]
    steps:
      - start
      - http_mocks: [{ url: "https://weather.test/*", response: { status: "{{status}}", body: { sky: "{{sky}}" } } }]
      - tap: Weather
        expect: { text: "{{text}}" }
  - name: unmocked
    http_mocks: [{ url: "https://weather.test/tomorrow" }]
    steps: [start, { tap: Weather, expect: { text: I cannot see the sky. } }]
  - name: expected
    steps: [start, { tap: Weather, expect: { http_calls: [{ status: null, mocked: false }] } }]
  - name: invalid {{part}}
    each: [{ part: ":a" }]
    http_mocks: [{ url: "https://weather.test/:a/{{part}}" }]
    steps: [start]
`,
  );
  t.match(found, {
    mocked: 'passed',
    'sky blue': 'passed',
    'sky none': 'passed',
    unmocked:
      /^no mock matched GET https:\/\/weather\.test\/today\?city=Rome; closest: mock 1, .*; if that is right, expect it in 'http_calls'$/,
    expected: 'passed',
    'invalid :a': /duplicate parameter :a/,
  });
});

t.test('the contact says, taps, sends and waits; a late reply continues at its question', async (t) => {
  const found = await results(
    t,
    `tests:
  - name: triggers
    steps: [{ say: good morning }]
  - name: says
    steps: [{ say: Hello }, { tap: table }, { say: 007, expect: { context: { menu: table, people: "007" }, contact: { booked: "007" }, state: end } }]
  - name: begins again
    steps: [{ say: hi }, { tap: Opening hours, expect: { state: end } }, { say: hello again, expect: { card: Menu, state: waiting_for_input } }]
  - name: sends media
    steps: [start, { tap: A table }, { send: { image: "https://x.test/a.jpg" }, expect: { context: { event.message.type: image, event.message.image.link: "https://x.test/a.jpg" } } }]
  - name: expires
    steps: [start, { tap: A table }, { wait: 299 s, expect: { state: waiting_for_input } }, { wait: 1 s, expect: { state: expired, text: "" } }]
  - name: replies late
    steps: [start, { tap: A table }, { advance: 6m }, { send: { text: "4", context: last }, expect: { text: A table for 4. See you!, state: end } }]
  - name: taps an earlier button
    steps: [start, { tap: A table }, { tap: Opening hours, expect: { text: We are open from 9 to 5. } }]
  - name: chooses a button
    steps: [start, { choose: Weather }]
  - name: taps nothing
    steps: [start, { tap: Wether }]
`,
  );
  t.match(found, {
    triggers: /^no trigger of the journey matches 'good morning' \(MESSAGE RECEIVED when has_any_word/,
    says: 'passed',
    'begins again': 'passed',
    'sends media': 'passed',
    expires: 'passed',
    'replies late': 'passed',
    'taps an earlier button': 'passed',
    'chooses a button': "'Weather' is a button; write: tap: Weather",
    'taps nothing':
      "the journey offers no option 'Wether' (did you mean 'Weather'?); its newest options: 'Opening hours', 'A table', 'Weather'",
  });
});

const skill = flow([
  { uuid: 'b0', name: 'slots', type: 'Svc.Skill', config: { skill: 'find_slots', arguments: { day: 'contact.day' } }, exits: exits(0) },
]);

t.test('skills have an output, an error or code; agents have a scripted model', async (t) => {
  const found = await results(
    t,
    `defaults: { contact: { day: monday } }
tests:
  - name: output
    journey: skill.json
    skills: { find_slots: { output: ["09:00"] } }
    steps: [start, { expect: { context: { slots: ["09:00"] }, state: end } }]
  - name: error
    journey: skill.json
    skills: { find_slots: { error: no slots } }
    steps: [start, { expect: { state: end } }]
  - name: code
    journey: skill.json
    skills: { find_slots: { file: slots.js } }
    steps: [start, { expect: { context: { slots.output.day: monday } } }]
  - name: missing
    journey: skill.json
    steps: [start]
  - name: agent
    journey: agent.json
    skills: { find_slots: { output: ["09:00", "10:00"] } }
    models:
      helper:
        rules:
          - { when: { tool_result: find_slots }, say: "{{result.0}} or {{result.1}}?" }
          - { when: { last_user: tomorrow }, call: { find_slots: { day: "{{date+1d}}" } } }
          - { when: { last_user: yes }, action: book }
    steps:
      - start
      - say: tomorrow
      - expect: { text: "09:00 or 10:00?", skill_calls: [{ name: find_slots, arguments: { day: "2026-01-06" } }], actions: [] }
      - say: "yes"
      - expect: { actions: [book], state: end }
  - name: agent without a skill
    journey: agent.json
    models: &script
      helper: { rules: [{ when: { last_user: tomorrow }, call: { find_slots: { day: a } } }, { say: I cannot see the slots. }] }
    steps: [start, { say: tomorrow, expect: { text: I cannot see the slots. } }]
  - name: agent with a wrong skill
    journey: agent.json
    skills: { find_slots: { file: wrong.js } }
    models: *script
    steps: [start, { say: tomorrow, expect: { text: I cannot see the slots. } }]
  - name: agent with an expected error
    journey: agent.json
    models: *script
    steps: [start, { say: tomorrow, expect: { skill_calls: [{ output: { error: { contains: skill_not_found } } }] } }]
`,
    {
      'wrong.js': 'export default (',
      'skill.json': skill,
      'agent.json': agentJourney,
      'slots.js': 'export default ({ day }) => ({ day });',
    },
  );
  t.match(found, {
    output: 'passed',
    error: 'passed',
    code: 'passed',
    missing: /^the journey failed: skill_not_found: code skill 'find_slots' not found; add it to 'skills' of the test/,
    agent: 'passed',
    'agent without a skill':
      /^code skill 'find_slots' not found; add it to 'skills' of the test; if that is right, expect it in 'skill_calls'$/,
    'agent with a wrong skill': /expect it in 'skill_calls'$/,
    'agent with an expected error': 'passed',
  });
});

t.test('a failure names the block that caused it, also in a called journey', async (t) => {
  const id = '11111111-2222-4333-8444-555555555555';
  const caller = flow([{ uuid: 'b0', name: 'call', type: 'Core.RunFlow', config: { flow_id: id }, exits: exits(0) }]);
  const { out } = await runCommand(
    folderWith(t, {
      'caller.json': caller,
      'called.md': cafe,
      'caller.test.yaml': `tests:
  - { name: text, journeys: { ${id}: called.md }, steps: [start, { tap: A table, expect: { text: How many? } }] }
  - { name: request, journeys: { ${id}: called.md }, steps: [start, { tap: Weather }] }
`,
    }),
  );
  const lineOf = (part: string): number => cafe.split('\n').findIndex((line) => line.includes(part)) + 1;
  t.match(out, new RegExp(`✗ text[^✗]+journey {3}called\\.md:${lineOf('people = ask')}:3 {2}Table\\n`));
  t.match(out, new RegExp(`✗ request[^✗]+journey {3}called\\.md:${lineOf('weather = get')}:3 {2}Weather\\n`));
});
