import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import type { Tap } from '#core/testing';
import { test } from '../../../sandbox/commands/test.js';
import { sample } from '../../pages/samples.js';

/** A folder with these files, and a function that runs `posthorn test` there. */
function project(t: Tap, files: Readonly<Record<string, string>>) {
  const cwd = mkdtempSync(join(tmpdir(), 'posthorn-recorded-'));
  t.teardown(() => rmSync(cwd, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(cwd, name), text);
  const run = async (...argv: string[]) => {
    const [out, err]: [string[], string[]] = [[], []];
    const code = await test.run(argv, { cwd, out: (line) => void out.push(line), err: (line) => void err.push(line), isColoured: false });
    return { code, out: out.join('\n'), err: err.join('\n') };
  };
  return { cwd, run };
}

/** A service and a model API. Counts its requests. */
async function serve(t: Tap) {
  let requests = 0;
  const seen: string[] = [];
  const server = createServer((request, response) => {
    requests++;
    seen.push(request.headers.authorization ?? '');
    response.setHeader('content-type', 'application/json');
    if (request.url === '/v1/chat/completions') {
      const message = { role: 'assistant', content: 'We open at nine.' };
      return response.end(JSON.stringify({ choices: [{ index: 0, message, finish_reason: 'stop' }] }));
    }
    return response.end(JSON.stringify({ slot: `09:0${requests}`, session_key: 'a-session-of-the-service' }));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  t.teardown(() => server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests: () => requests, seen };
}

const journey = (url: string): string => `# Clinic

\`\`\`stack
card Book, then: Booked do
  day = ask("Which day?")
end
card Booked do
  found = get("${url}/slots/@day", headers: [["Authorization", "Bearer @secrets.clinic"]])
  text("Your slot: @found.body.slot")
end
\`\`\`
`;

const tests = sample('sandbox/recorded-tests.md', 'yaml', 'clinic.test.yaml');

t.beforeEach(() => {
  delete process.env.CI;
  process.env.CLINIC_TOKEN = 'token-of-the-clinic';
});

t.test('a first run records what it sends, and later runs send nothing', async (t) => {
  const { url, requests, seen } = await serve(t);
  const { cwd, run } = project(t, { 'clinic.md': journey(url), 'clinic.test.yaml': tests });
  const first = await run();
  t.match(first, { code: 0, out: /1 exchange recorded in \.posthorn\/cassettes\/clinic\.jsonl/ }, first.out);
  t.match(first.out, /masked there: session_key/);
  t.strictSame(seen, ['Bearer token-of-the-clinic']);
  const cassettes = join(cwd, '.posthorn', 'cassettes');
  const bytes = readdirSync(cassettes).map((name) => readFileSync(join(cassettes, name), 'utf8'));
  for (const text of bytes) t.notMatch(text, /token-of-the-clinic|a-session-of-the-service/);

  delete process.env.CLINIC_TOKEN;
  const second = await run();
  t.match(second, { code: 0, out: /1 passed/ }, second.out);
  t.notMatch(second.out, /recorded/);
  t.equal(requests(), 1);
});

t.test('--record=all sends every request again, and the changed answer fails the test', async (t) => {
  const { url, requests } = await serve(t);
  const { run } = project(t, { 'clinic.md': journey(url), 'clinic.test.yaml': tests });
  await run();
  const again = await run('--record=all');
  t.match(again, { code: 1, out: /Your slot: 09:02/ });
  t.equal(requests(), 2);
});

t.test('where CI is set nothing is sent, and a stale cassette names the nearest recording', async (t) => {
  const { url, requests } = await serve(t);
  const { cwd, run } = project(t, { 'clinic.md': journey(url), 'clinic.test.yaml': tests });
  process.env.CI = 'true';
  t.teardown(() => delete process.env.CI);
  const empty = await run();
  t.match(empty, {
    code: 1,
    out: /no recording of GET .*\/slots\/monday in \.posthorn\/cassettes\/clinic\.jsonl; nothing like it is recorded/,
  });
  t.equal(requests(), 0);
  t.equal(existsSync(join(cwd, '.posthorn')), false);

  delete process.env.CI;
  await run();
  process.env.CI = 'true';
  writeFileSync(join(cwd, 'clinic.test.yaml'), tests.replace('say: monday', 'say: tuesday'));
  const stale = await run();
  t.match(stale, { code: 1, out: /the nearest, GET .*\/slots\/monday, differs at "tuesday", where "monday" was recorded/ }, stale.out);
  t.match((await run('--record=new')).out, /1 exchange recorded/, 'a flag overrides CI');
});

t.test('a missing variable is named before anything is sent', async (t) => {
  const { url, requests } = await serve(t);
  const { run } = project(t, { 'clinic.md': journey(url), 'clinic.test.yaml': tests });
  delete process.env.CLINIC_TOKEN;
  t.match(await run(), { code: 1, out: /the secret 'clinic' is not set: set the environment variable CLINIC_TOKEN to record/ });
  t.equal(requests(), 0);
});

t.test('the replies of a model are recorded with its token masked, and replayed without it', async (t) => {
  const { url, requests, seen } = await serve(t);
  const agent = {
    specification_version: '1.0.0-rc4',
    uuid: '0f9ad0a5-5d5c-4a52-9b8e-6a8f0a3c1d10',
    name: 'Helper',
    flows: [
      {
        uuid: '1d2f5a8e-2c0b-4b7d-8b11-3f0d9c7e5a21',
        name: 'main',
        last_modified: '2026-01-05T08:00:00Z',
        interaction_timeout: 300,
        supported_modes: ['RICH_MESSAGING'],
        languages: [{ id: 'eng', iso_639_3: 'eng' }],
        first_block_id: 'agent',
        blocks: [
          {
            uuid: 'agent',
            name: 'agent',
            type: 'Svc.AiAgent',
            config: { connection: 'helper', instructions: 'instructions' },
            exits: [{ uuid: 'agent-1', name: 'end', default: true, destination_block: null }],
          },
        ],
        resources: [
          {
            uuid: 'instructions',
            values: [{ language_id: 'eng', content_type: 'TEXT', modes: ['RICH_MESSAGING'], value: 'You help.' }],
          },
        ],
      },
    ],
  };
  const { cwd, run } = project(t, {
    'helper.json': JSON.stringify(agent),
    'helper.test.yaml': `tests:
  - name: answers
    models:
      helper: { base_url: "${url}/v1", model: small, token: MODEL_TOKEN }
    steps:
      - start
      - say: When do you open?
        expect: { text: We open at nine. }
`,
  });
  process.env.MODEL_TOKEN = 'token-of-the-model';
  const first = await run();
  t.match(first, { code: 0, out: /1 exchange recorded/ }, first.out);
  t.strictSame(seen, ['Bearer token-of-the-model']);
  const text = readFileSync(join(cwd, '.posthorn/cassettes/helper.jsonl'), 'utf8');
  t.notMatch(text, /token-of-the-model/);
  t.match(text, /When do you open/);
  delete process.env.MODEL_TOKEN;
  t.match(await run('--record=none'), { code: 0 });
  t.equal(requests(), 1);
});

t.test('explore prints what it found, and writes tests that pass', async (t) => {
  const { run } = project(t, {
    'shop.md':
      '# Shop\n\n```stack\ncard Ask, then: Again do\n  buttons(Hours: "Hours", Bye: "Bye") do\n    text("Hello, @contact.nmae")\n  end\nend\ncard Again, then: Ask do\n  text("Again")\nend\ncard Hours do\n  text("9 to 5")\nend\ncard Bye do\n  text("Bye")\nend\ncard Lost do\n  text("Lost")\nend\n```\n',
  });
  const found = await run('explore', 'shop.md', '--write', 'shop.test.yaml');
  t.equal(found.code, 1);
  t.match(found.out, /error {4}unresolved expression at 'Ask' {2}shop\.md:5:3/);
  t.match(found.out, /the text shows the expression '@contact\.nmae': contact\.nmae is not set/);
  t.match(found.out, /error {4}unreachable card at 'Lost' {2}shop\.md:/);
  t.match(found.out, /\d tests are in shop\.test\.yaml/);
  t.match(found.out, /\d+ turns, 2 errors, 0 warnings$/);
  const ran = await run();
  t.match(ran, { code: 0, out: /passed, 0 failed/ }, ran.out);
  const named = await run('explore', 'shop.md', '--contact', 'nmae=Ann', '--json');
  t.match(JSON.parse(named.out), { v: 1, journey: 'shop.md', complete: true, findings: [{ kind: 'unreachable_card' }] });
});

t.test('explore explains wrong usage', async (t) => {
  const { run } = project(t, {
    'shop.md': '# Shop\n\n```stack\ncard A do\n  text("Hi")\nend\n```\n',
    'old.test.yaml': 'x',
    'broken.md': '# B\n\n```stack\ncard A do\n  txt("Hi")\nend\n```\n',
    'mocks.json': '[{"url":"https://a.test","status":200}]',
  });
  const refused = (argv: readonly string[], message: RegExp) => t.rejects(run('explore', ...argv), { name: 'UsageError', message });
  await refused([], /takes one journey file/);
  await refused(['shop.md', 'more.md'], /takes one journey file/);
  await refused(['none.md'], /file none\.md not found/);
  await refused(['broken.md'], /broken\.md:5:3: /);
  await refused(['shop.md', '--write', 'walks.yaml'], /walks\.yaml is not the name of a test file; use one like walks\.test\.yaml/);
  await refused(['shop.md', '--write', 'old.test.yaml'], /old\.test\.yaml exists; remove it/);
  await refused(['shop.md', '--write', 'no/a.test.yaml'], /the folder of no\/a\.test\.yaml does not exist/);
  await refused(['shop.md', '--mock', 'mocks.json'], /--mock: mock 1: status must be inside response|status must be inside response/);
});
