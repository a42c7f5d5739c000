import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import type { Tap } from '#core/testing';
import type { Command } from '../../../sandbox/commands/command.js';
import { sim } from '../../../sandbox/commands/sim.js';
import { test } from '../../../sandbox/commands/test.js';

/** A folder with these files, and a function that runs a command there. */
function project(t: Tap, files: Readonly<Record<string, string>>) {
  const cwd = mkdtempSync(join(tmpdir(), 'posthorn-record-'));
  t.teardown(() => rmSync(cwd, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(cwd, name), text);
  const run = async (command: Command, ...argv: string[]) => {
    const [out, err]: [string[], string[]] = [[], []];
    const code = await command.run(argv, {
      cwd,
      out: (line) => void out.push(line),
      err: (line) => void err.push(line),
      isColoured: false,
    });
    return { code, out: out.join('\n'), err: err.join('\n') };
  };
  return { cwd, run, read: (name: string) => readFileSync(join(cwd, name), 'utf8') };
}

const shop = (url: string): string => `# Shop

\`\`\`stack
card Menu, then: Other do
  choice = buttons(Order: "Order", Hours: "Hours") do
    text("Hello @contact.name, what can I do?")
  end
end
card Other, then: Menu do
  text("I did not get that.")
end
card Hours do
  text("9 to 5")
end
card Order, then: Ordered do
  size = ask("Which size?")
end
card Ordered do
  reply = post("${url}/orders", headers: [["Authorization", "Bearer a-very-secret-token"]], body: "{\\"size\\":\\"@size\\"}")
  text("Ordered: @reply.body.number")
end
\`\`\`
`;

t.test('sim --record writes the conversation as a test that passes', async (t) => {
  let requests = 0;
  const server = createServer((_, response) => {
    requests++;
    response.setHeader('content-type', 'application/json');
    response.end('{"number":"A7","access_token":"another-secret-token"}');
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  t.teardown(() => server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { run, read } = project(t, { 'shop.md': shop(url) });
  const inputs = ['something', 'Order', 'large'].flatMap((input) => ['--input', input]);
  const talked = await run(sim, 'shop.md', ...inputs, '--contact', 'name=Ann', '--record', 'shop.test.yaml');
  t.match(talked, { code: 0, err: /The test is in shop\.test\.yaml\. Run it with: npx posthorn test shop\.test\.yaml/ }, talked.err);
  t.notMatch(talked.err, /Note/);
  const text = read('shop.test.yaml');
  t.match(text, /^# yaml-language-server: \$schema=/);
  t.match(text, 'journey: shop.md');
  t.match(text, 'name: something > Order > large');
  t.match(text, 'tap: Order');
  t.match(text, 'say: large');
  t.match(text, 'Ordered: A7');
  t.notMatch(text, /secret-token/);
  const ran = await run(test);
  t.match(ran, { code: 0, out: /1 passed, 0 failed/ }, ran.out);
  t.equal(requests, 1, 'the test sends nothing');
});

t.test('sim --record leaves a request without a response without a mock, so the test says what happened', async (t) => {
  const { run, read } = project(t, { 'shop.md': shop('http://127.0.0.1:9') });
  const inputs = ['something', 'Order', 'large'].flatMap((input) => ['--input', input]);
  const talked = await run(sim, 'shop.md', ...inputs, '--record', 'shop.test.yaml');
  t.match(talked.err, /Note: POST http:\/\/127\.0\.0\.1:9\/\S* got no response; the test has no mock for it/, talked.err);
  t.notMatch(talked.err, /and says/, 'the texts are those of the simulation');
  t.notMatch(read('shop.test.yaml'), 'http_mocks');
  t.match(read('shop.test.yaml'), /status: null/);
  t.match(await run(test), { code: 0, out: /1 passed/ });
});

t.test('sim --record writes media, locations and forms as content', async (t) => {
  const { run, read } = project(t, {
    'ask.md':
      '# Ask\n\n```stack\ncard A, then: B do\n  a = ask("One?")\nend\ncard B, then: C do\n  b = ask("Two?")\nend\ncard C do\n  text("Done")\nend\n```\n',
  });
  const inputs = ['[image: My cat https://example.com/cat.jpg]', '{"colour":"red"}'].flatMap((input) => ['--input', input]);
  t.match(await run(sim, 'ask.md', ...inputs, '--record', 'ask.test.yaml'), { code: 0 });
  t.match(read('ask.test.yaml'), /send: .*image: .*link: https:\/\/example\.com\/cat\.jpg/s);
  t.match(read('ask.test.yaml'), /send: .*form: .*colour: red/s);
  t.match(await run(test), { code: 0, out: /1 passed/ });
});

t.test('sim --record refuses a file that exists or has another ending, before the conversation', async (t) => {
  const { cwd, run } = project(t, { 'shop.md': shop('http://127.0.0.1:9'), 'old.test.yaml': 'x' });
  await t.rejects(run(sim, 'shop.md', '--record', 'old.test.yaml'), { name: 'UsageError', message: /old\.test\.yaml exists/ });
  await t.rejects(run(sim, 'shop.md', '--record', 'new.yaml'), { name: 'UsageError', message: /not the name of a test file/ });
  t.equal(existsSync(join(cwd, 'new.yaml')), false);
});
