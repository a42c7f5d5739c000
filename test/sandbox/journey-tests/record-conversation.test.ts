import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import type { Tap } from '#core/testing';
import { test } from '../../../sandbox/commands/test.js';
import { type Sandbox, startSandbox } from '../../../sandbox/compose.js';
import { PersonalData } from '../../../sandbox/journey-tests/record/personal-data.js';
import { admin } from '../admin-call.js';
import { folderWith, runCommand } from './runs.js';

const notebook = `# Clinic

\`\`\`stack
trigger(on: "MESSAGE RECEIVED")
card Name when has_text(contact.given_name), then: Menu do
  text("Welcome back, @contact.given_name.")
end
card Name, then: Keep do
  who = ask("What is your name?")
end
card Keep, then: Menu do
  update_contact(given_name: "@who")
end
card Menu, then: Menu do
  buttons(Phone: "Phone", Room: "Room") do
    text("How can we help, @contact.given_name?")
  end
end
card Phone, then: Call do
  phone = ask("Your number and e-mail?")
end
card Call do
  text("We call @phone, @contact.given_name.")
end
card Room do
  found = get("http://127.0.0.1:9/rooms", headers: [["Authorization", "Bearer secret-of-the-clinic"]])
  text("Room: @found.status")
end
\`\`\`
`;

/** The sandbox of most tests, with the journey, on the manual clock: a start takes half a second of CPU. The tests that disable the journey are last. */
async function startClinic(t: Tap): Promise<Sandbox> {
  const sandbox = await startSandbox({
    seed: {
      numbers: [{ kind: 'network', address: '+27600000001', name: 'Clinic' }],
      journeys: [{ number: '+27600000001', name: 'Clinic', notebook }],
    },
    seedKey: 'record',
    clock: 'manual',
    console: false,
    logLevel: 'error',
  });
  t.teardown(() => sandbox.stop());
  return sandbox;
}

const sandbox = await startClinic(t);

/** A contact that writes, and its conversation. */
function contactOf(t: Tap, from: string): { say: (content: object) => Promise<void>; conversation: () => Promise<string> } {
  const [number] = sandbox.numbers;
  const say = async (content: object): Promise<void> => {
    const { status, text } = await admin(sandbox, `/network/numbers/${number!.uuid}/messages`, { from, ...content });
    t.ok(status < 300, text);
    await sandbox.clock.advance(1_000);
  };
  const conversation = async (): Promise<string> =>
    (await admin(sandbox, `/numbers/${number!.uuid}/conversations?limit=10`)).body.conversations.find(
      ({ owner }: { owner: string }) => owner === from,
    ).uuid;
  return { say, conversation };
}

const words = (body: string): object => ({ type: 'text', text: { body } });

t.test('a conversation becomes a test that passes, without personal data', async (t) => {
  const { say, conversation } = contactOf(t, '+27831234567');
  await say(words('hello'));
  await say(words('Thandi Nkosi'));
  await say({ type: 'interactive', interactive: { type: 'button_reply', button_reply: { title: 'Phone' } } });
  await say(words('0831234567 or thandi.nkosi@mail.example, ask for Thandi, my id is 8001015009087'));

  const { status, body } = await admin(sandbox, '/tests/recordings/conversation', { conversation: await conversation() });
  t.equal(status, 200, JSON.stringify(body));
  t.match(body, { name: 'conversation of 2026-01-05', journey: { name: 'Clinic' }, notes: [] });
  t.notMatch(body.tests, /Thandi|Nkosi|83\s*123|mail\.example|8001015009087/i);
  t.match(body.tests, 'say: hello');
  t.match(body.tests, 'say: Robin Example');
  t.match(body.tests, 'tap: Phone');
  t.match(body.tests, /say: .*or person1@example\.com, ask for Robin, my id is 1234567890123/);
  t.strictSame([...new Set(body.replaced.map(({ kind }: { kind: string }) => kind))].sort(), [
    'e-mail address',
    'name',
    'number',
    'phone number',
  ]);

  const cwd = mkdtempSync(join(tmpdir(), 'posthorn-recorded-'));
  t.teardown(() => rmSync(cwd, { recursive: true, force: true }));
  writeFileSync(join(cwd, 'clinic.md'), notebook);
  const { api, admin: access } = sandbox;
  process.env.POSTHORN_URL = api;
  process.env.POSTHORN_ADMIN_KEY = access.key;
  t.teardown(() => {
    delete process.env.POSTHORN_URL;
    delete process.env.POSTHORN_ADMIN_KEY;
  });
  const run = async (...argv: string[]) => {
    const [out, err]: [string[], string[]] = [[], []];
    const code = await test.run(argv, { cwd, out: (line) => void out.push(line), err: (line) => void err.push(line), isColoured: false });
    return { code, out: out.join('\n'), err: err.join('\n') };
  };
  const uuid = await conversation();
  mkdirSync(join(cwd, 'tests'));
  mkdirSync(join(cwd, 'node_modules/posthorn'), { recursive: true });
  writeFileSync(join(cwd, 'node_modules/posthorn/test.schema.json'), '{}');
  const recorded = await run('record', 'clinic.md', '--conversation', uuid, '--write', 'tests/clinic.test.yaml');
  t.match(recorded, { code: 0, err: /Replaced: name by Robin Example, \d times?\n/ }, recorded.err);
  t.match(recorded.err, /The test is in tests\/clinic\.test\.yaml/);
  const text = readFileSync(join(cwd, 'tests/clinic.test.yaml'), 'utf8');
  t.match(text, '# yaml-language-server: $schema=../node_modules/posthorn/test.schema.json\njourney: ../clinic.md\n');
  const ran = await run('tests');
  t.match(ran, { code: 0, out: /1 passed, 0 failed/ }, ran.out);

  const kept = await run('record', '--conversation', uuid, '--keep-personal-data');
  t.match(kept.out, /journey: Clinic\nrevision: production\n/);
  t.match(kept.out, 'say: Thandi Nkosi');
  t.match(kept.err, /The test has the personal data of the conversation/);
  const again = await run('record', 'clinic.md', '--conversation', uuid, '--json');
  t.match(JSON.parse(again.out), { v: 1, journey: { name: 'Clinic' } });

  await t.rejects(run('record'), { name: 'UsageError', message: /takes a conversation/ });
  await t.rejects(run('record', '--conversation', crypto.randomUUID()), /There is no conversation/);
  await t.rejects(run('record', 'none.md', '--conversation', uuid), { name: 'UsageError', message: /none\.md not found/ });
});

t.test('a conversation with a called journey is recorded to its end, and passes with the sandbox and with files', async (t) => {
  const uuid = '5e0c0a1e-0000-4000-8000-00000000000a';
  const fenced = (title: string, cards: string): string => `# ${title}\n\n\`\`\`stack\n${cards}\n\`\`\`\n`;
  const order = fenced(
    'Order',
    `trigger(on: "MESSAGE RECEIVED") when event.message.text.body == "order"
card Start, then: Bye do
  run_stack("${uuid}")
end
card Bye do
  text("Thank you")
end`,
  );
  const colour = fenced(
    'Colour',
    'card Ask, then: Say do\n  colour = ask("Which colour?")\nend\ncard Say do\n  text("A @colour one.")\nend',
  );
  const sandbox = await startSandbox({
    seed: {
      numbers: [{ kind: 'network', address: '+27600000001', name: 'Shop' }],
      journeys: [
        { number: '+27600000001', name: 'Order', notebook: order },
        { number: '+27600000001', name: 'Colour', uuid, notebook: colour },
      ],
    },
    clock: 'manual',
    console: false,
    logLevel: 'error',
  });
  t.teardown(() => sandbox.stop());
  const [number] = sandbox.numbers;
  for (const text of ['order', 'red']) {
    await admin(sandbox, `/network/numbers/${number!.uuid}/messages`, { from: '+27831234567', ...words(text) });
    await sandbox.clock.advance(1_000);
  }
  const { conversations } = (await admin(sandbox, `/numbers/${number!.uuid}/conversations`)).body;
  process.env.POSTHORN_URL = sandbox.api;
  process.env.POSTHORN_ADMIN_KEY = sandbox.admin.key;
  t.teardown(() => {
    delete process.env.POSTHORN_URL;
    delete process.env.POSTHORN_ADMIN_KEY;
  });
  const cwd = folderWith(t, { 'order.md': order, 'deep/colours.md': colour });
  const record = (...more: string[]) => runCommand(cwd, 'record', ...more, '--conversation', conversations[0].uuid);

  t.match(await record('--write', 'sandbox.test.yaml'), { code: 0, err: /^((?!Note).)*$/s });
  const ran = await runCommand(cwd);
  t.match(ran, { code: 0, out: /1 passed, 0 failed/ }, ran.out);
  t.match(ran.text('sandbox.test.yaml'), `journeys:\n      ${uuid}: Colour\n`);
  t.match(ran.text('sandbox.test.yaml'), /say: red, expect: \{ text: \[ A red one\., Thank you \], state: end \}/);

  t.match((await record('order.md')).err, /Note: the journey calls 'Colour', which is in no file beside it; add its file to journeys/);
  writeFileSync(join(cwd, 'my-colours.md'), colour);
  await record('order.md', '--write', 'deep/order.test.yaml');
  const file = await runCommand(cwd, 'deep/order.test.yaml');
  t.match(file.text('deep/order.test.yaml'), `${uuid}: ../my-colours.md`);
  t.match(file, { code: 0, out: /1 passed, 0 failed/ }, file.out);
});

t.test('a simulation is written as a test: its inputs, mocks and answers', async (t) => {
  const journey = sandbox.journeys[0]!.uuid;
  const { status, body } = await admin(sandbox, '/tests/recordings/simulation', {
    journey,
    contact: { given_name: 'Ann' },
    inputs: ['Room'],
    http_answers: [
      {
        method: 'GET',
        url: 'http://127.0.0.1:9/rooms',
        status: 503,
        headers: { 'content-type': 'application/json' },
        body: '{"token":"secret-of-a-room"}',
      },
    ],
  });
  t.equal(status, 200, JSON.stringify(body));
  t.match(body, { name: 'Room', notes: [], replaced: [] });
  t.match(body.tests, 'Welcome back, Ann.');
  t.match(body.tests, 'Room: 503');
  t.notMatch(body.tests, 'secret-of-a-room');
  const runs = await admin(sandbox, '/tests/runs', { tests: body.tests });
  t.equal(runs.status, 201, JSON.stringify(runs.body));
  let run = runs.body.run;
  for (let i = 0; i < 100 && run.state !== 'ended'; i++) {
    await new Promise((done) => setTimeout(done, 20));
    run = (await admin(sandbox, `/tests/runs/${run.id}`)).body.run;
  }
  t.match(run, { state: 'ended', tests: [{ status: 'passed' }] }, JSON.stringify(run));
  t.equal((await admin(sandbox, '/tests/recordings/simulation', { journey, inputs: [], http_mocks: [{}] })).status, 400);
  t.equal((await admin(sandbox, '/tests/recordings/simulation', { journey: crypto.randomUUID(), inputs: [] })).status, 404);
});

t.test('a simulation with time that passes and with models is added to a file of tests', async (t) => {
  const journey = sandbox.journeys[0]!.uuid;
  const simulation = { journey, inputs: ['Room'], waits: [{ before: 1, ms: 86_400_000 }], models: { main: { rules: [{ say: 'Hello' }] } } };
  const add_to = `# Mine
tests:
  - name: first # stays
    steps: [start]
`;
  const added = (await admin(sandbox, '/tests/recordings/simulation', { ...simulation, add_to })).body;
  t.match(added.tests, /^# Mine\ntests:\n {2}- name: first # stays\n/);
  t.match(added.tests, /- name: Room\n {4}journey: [-0-9a-f]{36}\n {4}revision: production\n/);
  t.match(added.tests, /wait: 1 day/);
  t.match(added.tests, /say: Hello/);
  const again = (await admin(sandbox, '/tests/recordings/simulation', { ...simulation, add_to: added.tests })).body;
  t.equal(again.tests, added.tests, 'a test of the same name is replaced');
  const refused = await admin(sandbox, '/tests/recordings/simulation', { ...simulation, add_to: 'steps: []' });
  t.match(refused, { status: 400, text: /add_to cannot be read: the file has no list of tests/ });
});

t.test('recording uses the contact as it was, sends nothing, and says what it made up', async (t) => {
  const { say, conversation } = contactOf(t, '+27831234568');
  await say({ ...words('hello'), name: 'Ben' });
  await say(words('Thandi'));
  await say({ type: 'interactive', interactive: { type: 'button_reply', button_reply: { title: 'Room' } } });
  await sandbox.clock.advance(10_000);
  await admin(sandbox, `/journeys/${sandbox.journeys[0]!.uuid}/disable`, {});
  await say(words('are you there?'));
  const { body } = await admin(sandbox, '/tests/recordings/conversation', { conversation: await conversation(), name: 'room' });
  t.match(body.tests, 'What is your name?', 'the journey set the name in this conversation, so the contact had none at its beginning');
  t.match(
    body.notes[0],
    /the answer to GET http:\/\/127\.0\.0\.1:9\/rooms is not stored; the test has status 200 and \{\}: edit http_mocks/,
  );
  t.notMatch(body.tests, 'secret-of-the-clinic');
  t.match(body.tests, 'say: are you there?', 'a message without an answer may be the bug');
  t.match(body.notes[1], /after "Room" the journey said "Room: 0", and says "Room: 200" in the test/);
  t.match(body.notes[2], /after "are you there\?" the journey said nothing, and says "Welcome back/);
});

t.test('a conversation without a journey cannot be recorded, and an unknown one is not found', async (t) => {
  const { say, conversation } = contactOf(t, '+27831234569');
  const unknown = await admin(sandbox, '/tests/recordings/conversation', { conversation: crypto.randomUUID() });
  t.equal(unknown.status, 404);
  const invalid = await admin(sandbox, '/tests/recordings/conversation', { conversation: 'latest', personal_data: 'some' });
  t.match(invalid, { status: 400, text: /conversation must be a valid GUID; personal_data must be one of/ });
  await admin(sandbox, `/journeys/${sandbox.journeys[0]!.uuid}/disable`, {});
  await say(words('hi'));
  const { status, body } = await admin(sandbox, '/tests/recordings/conversation', { conversation: await conversation() });
  t.equal(status, 409);
  t.match(JSON.stringify(body), /no journey has answered in this conversation/);
});

t.test('personal data is replaced wherever it occurs, always by the same value', async (t) => {
  const personal = new PersonalData({ name: 'Zoë van Wyk', email: 'zoe@mail.example', birthday: '1980-02-29', language: 'eng' }, [
    '+27831234567',
    '27831234567',
  ]);
  t.equal(personal.text('ZOË and zoë van wyk; Wykeham stays'), 'ROBIN and Robin Example; Wykeham stays');
  t.equal(personal.text('+27 83 123 4567 or 27831234567'), `${personal.text('+27 83 123 4567')} or 27600000001`);
  t.equal(personal.text('zoe@mail.example, other@mail.example'), 'person1@example.com, person2@example.com');
  t.equal(personal.text('table 12 at 19:30 on 2027-03-01 for 250000'), 'table 12 at 19:30 on 2027-03-01 for 123456');
  t.strictSame(personal.fields({ language: 'eng', birthday: '1980-02-29', age: 46 }), { language: 'eng', birthday: '1990-01-01', age: 46 });
  t.ok(personal.replaced.every(({ count }) => count > 0));
  for (const written of ['(082) 123-4567', '+27 (0)82 123 4567', '082.123.4567', 'A98765432', 'DE89370400440532013000', 'id:123456']) {
    const text = personal.text(`mine is ${written}.`);
    t.notMatch(text, /2123|123\D?4567$|98765432|8937|id:987651/, `${written} became ${text}`);
  }
  t.equal(personal.text('on 01.03.2027 at 08:00:00.123456, -26.2041'), 'on 01.03.2027 at 08:00:00.123456, -26.2041');
  const [first, second] = ['765432', '865432'].map((number) => personal.text(number));
  t.not(first, second, 'another number gets another value');
});

t.test('the answers of a form are replaced by the names of its fields, and numbers too', async (t) => {
  const personal = new PersonalData({ id_number: 8001015009087 }, ['+27831234567']);
  const form = {
    ...{ first_name: 'Sipho', surname: 'Zulu', street: '1 Main Road', dob: '1985-03-12', phone: 27821234567 },
    ...{ option: { id: 'row-2' }, guests: 4, id_number: 8001015009087 },
  };
  const made = personal.value(form) as typeof form;
  t.match(made, {
    first_name: 'Robin',
    surname: 'Example',
    street: '1 Example Street',
    dob: '1990-01-01',
    guests: 4,
    option: { id: 'row-2' },
  });
  t.notMatch(JSON.stringify(made), /27821234567|8001015009087/);
  t.type(made.phone, 'number');
  t.equal(personal.text('This is Sipho'), 'This is Robin', 'a name is known from then on');
  t.notMatch(personal.fields({ id_number: 8001015009087 }), { id_number: 8001015009087 });
});
