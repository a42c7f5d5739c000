import { spawnSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import t from 'tap';
import { headOf, receive, respond } from '../core/ports/receiver.js';
import { isLong, onlyLong } from '../forms.js';
import { containerOf } from '../plugins/journeys/engine/journey-under-test.js';
import { admin, ask as askHere, newFolder, posthorn, startSandbox } from './posthorn-process.js';

const says = (text: string) =>
  containerOf({ texts: { text }, blocks: [{ name: 'say', type: 'MobilePrimitives.Message', config: { prompt: 'text' } }] });

const NOTEBOOK = '# Three\n\n```stack\ncard Say do\n  text("Hello")\nend\n```\n';

t.test('the everyday verbs of a running sandbox', async (t) => {
  const folder = newFolder(t);
  const { ready } = await startSandbox(t, folder, '--option', 'webhooks.inboundOnChannel=true');
  const ask = (args: readonly string[], env?: Record<string, string>, cwd = folder) => askHere(cwd, args, env);
  const [network, channel] = ready.numbers;

  await t.test('status prints the banner again, with the options that differ', async (t) => {
    const { code, out } = await ask(['status']);
    t.equal(code, 0);
    t.match(out, /sandbox is running/);
    t.match(out, /Option +webhooks\.inboundOnChannel=true +default false/);
    for (const { token } of ready.numbers) t.ok(out.includes(token));
    const status = JSON.parse((await ask(['status', '-o', 'json'])).out);
    t.match(status, { v: 1, api: ready.api, numbers: ready.numbers, changedOptions: [{ path: 'webhooks.inboundOnChannel' }] });
    t.match(await ask(['status', 'now']), { code: 2 });
  });

  await t.test('env prints variables that a shell and a .env file read', async (t) => {
    const { out } = await ask(['env']);
    t.match(out, `export POSTHORN_URL='${ready.api}'`);
    const shell = spawnSync('sh', ['-c', `${out}\necho "$POSTHORN_ADMIN_KEY $POSTHORN_TOKEN $POSTHORN_NUMBER"`], { encoding: 'utf8' });
    t.equal(shell.stdout.trim(), `${ready.admin.key} ${channel!.token} ${channel!.uuid}`);
    t.match((await ask(['env', '-o', 'dotenv', '--number', network!.address])).out, `POSTHORN_TOKEN=${network!.token}\n`);
    t.match(await ask(['env', '--number', '+1']), { code: 2, err: /number \+1 not found/ });
  });

  await t.test('every verb finds a platform by --url, POSTHORN_URL and POSTHORN_ADMIN_KEY', { skip: onlyLong }, async (t) => {
    const elsewhere = newFolder(t);
    t.match(await ask(['journey', 'list'], {}, elsewhere), { code: 3 });
    const key = { POSTHORN_ADMIN_KEY: ready.admin.key };
    t.match(await ask(['journey', 'list'], { ...key, POSTHORN_URL: ready.api }, elsewhere), { code: 0, out: /Riverside Library/ });
    t.match(await ask(['deliveries', 'list', '--url', ready.api], key, elsewhere), { code: 0 });
    t.match(await ask(['status', `--url=${ready.api}/`], key, elsewhere), { code: 0, out: /sandbox is running/ });
    t.match(await ask(['status', '--url', ready.api], {}, elsewhere), { code: 2, err: /set POSTHORN_ADMIN_KEY/ });
    t.match(await ask(['status', '--url', ready.api], {}), { code: 0 }, 'the run file of the same URL has the key');
    t.match(await ask(['status', '--url', 'nowhere'], {}), { code: 2, err: /--url needs the base URL/ });
    t.match(await ask(['status', '--url', 'http://127.0.0.1:9'], key), { code: 3 }, 'a flag beats the run file');
  });

  await t.test('journeys are pushed from files, folders and standard input, published, listed and drawn', async (t) => {
    mkdirSync(join(folder, 'journeys'));
    for (const name of ['one', 'two']) writeFileSync(join(folder, 'journeys', `${name}.journey.json`), JSON.stringify(says(name)));
    writeFileSync(join(folder, 'journeys', 'three.journey.md'), NOTEBOOK);
    const pushed = await ask(['journey', 'push', 'journeys', '--number', network!.address, '--publish']);
    t.match(pushed, { code: 0, out: /shadowed_trigger[\s\S]*Published one [\s\S]*Published Three [\s\S]*Published two / });
    const pipe = async (input: string, ...args: readonly string[]) => {
      const { child, ended, out, err } = posthorn(t, folder, ['journey', ...args], {}, 'pipe');
      child.stdin!.end(input);
      return { status: await ended, stdout: out(), stderr: err() };
    };
    t.match(await pipe(JSON.stringify(says('piped')), 'push', '-', '--name', 'piped'), { status: 0, stdout: /Created piped/ });
    t.match(await pipe(JSON.stringify(says('piped')), 'push', '-'), { status: 2, stderr: /needs a name: --name NAME/ });
    t.match(await pipe(NOTEBOOK.replace('Three', 'Piped text'), 'push', '-', '--publish'), { status: 0, stdout: /Published Piped text / });
    t.match(await pipe(NOTEBOOK.replace('card Say', 'card  Say'), 'fmt', '-'), { status: 0, stdout: NOTEBOOK });
    if (isLong) {
      t.match(await pipe(NOTEBOOK.replace('text(', 'txet('), 'lint', '-'), { status: 1, stdout: /^-:5:3 error .*txet/ });
      const compiled = (await pipe(NOTEBOOK, 'compile', '-')).stdout;
      t.match(await pipe(compiled, 'to-text', '-'), { status: 0, stdout: /card Say do\n {2}text\("Hello"\)\nend/ });
      t.match((await pipe(compiled, 'graph', '-', '--dot')).stdout, (await pipe(NOTEBOOK, 'graph', '-', '--dot')).stdout);
    }
    t.match(await ask(['journey', 'publish', 'piped']), { code: 0, out: /Published piped/ });
    const listed = await ask(['journey', 'list']);
    t.match(listed.out, /one +\+27600000001 +published {2}message[\s\S]*'Riverside Library' starts first for every such message/);
    t.match(JSON.parse((await ask(['journey', 'list', '--json'])).out), { v: 1, journeys: Array(8).fill({}) });
    t.match(await ask(['journey', 'publish', 'none']), { code: 2, err: /journey 'none' not found; journeys: / });
    t.match((await ask(['journey', 'graph', 'one', '--blocks'])).out, /^flowchart TD\n {2}n0\(\["say: Message<br\/>“one”"\]\)/);
    t.match(
      (await ask(['journey', 'graph', 'journeys/one.journey.json', '--dot'])).out,
      /^digraph journey \{[\s\S]*shape=oval[\s\S]*\}\n$/,
    );
    writeFileSync(join(folder, 'broken.journey.json'), '{\n  "flows": [,]\n}');
    t.match(await ask(['journey', 'push', 'broken.journey.json']), { code: 2, err: /broken\.journey\.json:2:13: this is not JSON/ });
  });

  await t.test('flows are listed and deleted', { skip: onlyLong }, async (t) => {
    t.match(await ask(['flow', 'list']), { code: 0, err: /No flows\./ });
    writeFileSync(join(folder, 'booking.json'), '{"version":"7.2","screens":[]}');
    await ask(['flow', 'push', 'booking.json']);
    t.match((await ask(['flow', 'list'])).out, /^booking {2}\d+ {2}DRAFT {2}demo-account {2}1 error\n$/);
    t.match(await ask(['flow', 'delete', 'booking']), { code: 0, out: /^Deleted booking/ });
    t.match(await ask(['flow', 'list', '--json']), { out: '{"v":1,"flows":[]}\n' });
    t.match(await ask(['flow', 'validate', 'journeys']), { code: 2, err: /the folder journeys has no files/ });
  });

  await t.test('trigger sends a signed example, changed as asked, to a URL or to the webhook of the event', async (t) => {
    const receiver = await receive(t, (socket) => respond(socket, { body: 'thanks' }));
    const { out } = await ask(['trigger']);
    t.match(out, /msgapp/);
    const event = /^(\S+) +msgapp /m.exec(out)![1]!;
    const sent = await ask(['trigger', event, '--url', receiver.url, '--secret', 's3cret', '--set', 'added.a=1', '--times', '2']);
    t.match(sent, { code: 0, out: /^200 {2}\d+ ms {2}http[\s\S]*thanks/ });
    t.equal(receiver.received.length, 2);
    const [{ headers, headerNames, body }] = receiver.received as [(typeof receiver.received)[number]];
    t.match(JSON.parse(body.toString()), { added: { a: 1 } });
    t.equal(headers['x-svc-hook-signature'], createHmac('sha256', 's3cret').update(body).digest('base64'));
    t.ok(headerNames.includes('X-Svc-Hook-Signature') && headerNames.includes('X-Svc-Hook-Subscription'));
    t.match(await ask(['trigger', event]), { code: 0, out: /"signature": ?"ok"/ }, 'the demo receiver accepts its own secret');
    t.match(await ask(['trigger', 'messageRecieved']), { code: 2, err: /trigger takes one of .*; did you mean 'messageReceived'\?/ });
    t.match(await ask(['trigger', event, '--set', '__proto__.x=1', '--dry-run']), { code: 2 });
    const refusing = await receive(t, (socket) => void socket.end(headOf(401, { 'content-length': '0' })));
    t.match(await ask(['trigger', event, '--url', refusing.url, '--secret', 's']), { code: 1, out: /^401/ });
  });

  await t.test('chat sends lines as a contact and shows the replies with their options', { skip: onlyLong }, async (t) => {
    const { main } = { main: process.argv[1]!.replace(/\/suites\/.*/, '/sandbox/main.js') };
    const chat = spawnSync(process.execPath, [main, 'chat', '--from', '+27611110099'], {
      cwd: folder,
      input: 'hi\n/1\n/9\n/quit\n',
      encoding: 'utf8',
    });
    t.equal(chat.status, 0, chat.stderr);
    t.match(chat.stdout, /▶ hi\n {2}◀ Welcome to the Riverside Library![\s\S]*\/1 English\n {4}\/2 Français\n {2}▶ \/1\n {2}◀ /);
    t.match(chat.stderr, /there is no option 9|has no options/);
  });

  await t.test('advice is listed, shown with its delivery, printed by the sandbox and dismissed', { skip: onlyLong }, async (t) => {
    const refusing = createServer((request, response) => request.resume().on('end', () => response.writeHead(401).end())).listen(
      0,
      '127.0.0.1',
    );
    await new Promise((resolve) => refusing.once('listening', resolve));
    t.teardown(() => refusing.close());
    const url = `http://127.0.0.1:${(refusing.address() as AddressInfo).port}`;
    const { webhook } = await admin(ready, 'POST', '/webhooks', { number: network!.uuid, url, subscriptions: ['msgapp'] });
    await ask(['send', 'hi', '--number', network!.address]);
    t.match(await ask(['advice']), { code: 0, out: /signature_never_verified/ });
    const [advice] = JSON.parse((await ask(['advice', '--json'])).out).advice;
    t.match(advice, { name: 'signature_never_verified', about: { webhook: webhook.uuid } });
    t.match((await ask(['deliveries', 'show', advice.about.delivery])).out, /advice signature_never_verified[\s\S]* {2}fix: /);
    t.match(await ask(['advice', 'dismiss', advice.id]), { code: 0, out: `Dismissed ${advice.id}.\n` });
    t.match(await ask(['advice', 'dismiss', advice.id]), { code: 2 });
  });

  await t.test('doctor checks the machine, the folder and the running sandbox', { skip: onlyLong }, async (t) => {
    const { code, out, err } = await ask(['doctor', '--json']);
    t.equal(code, 0, out + err);
    const { checks } = JSON.parse(out);
    t.match(checks, [
      { name: 'node', result: 'pass' },
      { name: 'folder' },
      { name: 'port' },
      { name: 'configuration' },
      { name: 'plugins' },
    ]);
    t.match(
      checks.find(({ name }: { name: string }) => name === 'sandbox'),
      { result: 'pass', details: `running at ${ready.api}` },
    );
    writeFileSync(join(folder, 'posthorn.config.json'), '{"sed":1}');
    t.match(await ask(['doctor']), { code: 1, out: /FAIL configuration +posthorn\.config\.json: there is no option sed/ });
    t.match(await ask(['sandbox']), { code: 2, err: /posthorn\.config\.json: there is no option sed/ });
  });
});

t.test('exec runs a command with the variables of its own sandbox, and ends with its exit code', async (t) => {
  const folder = newFolder(t);
  const script = `
    const { POSTHORN_URL: url, POSTHORN_TOKEN: token, POSTHORN_NUMBER: number, POSTHORN_ADMIN_KEY: key } = process.env;
    const { numbers } = await (await fetch(url + '/admin/v1/numbers', { headers: { authorization: 'Bearer ' + key } })).json();
    require('node:fs').writeFileSync('seen.json', JSON.stringify({ url, token, address: numbers.find(({ uuid }) => uuid === number).address }));
    process.exit(7);`;
  const flags = ['--artifacts', 'out/here'];
  const { ended, err } = posthorn(t, folder, ['exec', ...flags, '--', process.execPath, '-e', `(async () => {${script}})()`]);
  t.equal(await ended, 7, err());
  t.ok(existsSync(join(folder, 'out', 'here', 'state.json')));
  const { url, ...seen } = JSON.parse(readFileSync(join(folder, 'seen.json'), 'utf8'));
  t.match(seen, { token: /^ph_/, address: 'web:library' });
  await t.rejects(fetch(url), 'the sandbox has stopped');
  t.match(await askHere(folder, ['exec']), { code: 2 });
  t.match(await askHere(folder, ['exec', '--seed', 'empty', '--', 'no-such-command']), { code: 127 });
});

t.test('exec keeps the state and the calls of its sandbox when the command fails', { skip: onlyLong }, async (t) => {
  const folder = newFolder(t);
  const script = `
    const { POSTHORN_URL: url, POSTHORN_TOKEN: token } = process.env;
    await fetch(url + '/v1/contacts', { method: 'POST', headers: { authorization: 'Bearer ' + token }, body: '{}' });
    process.exit(1);`;
  const seed = { numbers: [{ kind: 'network', address: '+27600000001', name: 'Kept' }] };
  writeFileSync(join(folder, 'seed.json'), JSON.stringify(seed));
  const failed = posthorn(t, folder, ['exec', '--seed', 'seed.json', '--', process.execPath, '-e', `(async () => {${script}})()`]);
  t.equal(await failed.ended, 1);
  t.match(failed.err(), /The state of the sandbox is in \.posthorn\/failed\/state\.json, its calls in /);
  const kept = (name: string) => JSON.parse(readFileSync(join(folder, '.posthorn', 'failed', name), 'utf8'));
  t.match(kept('state.json'), { posthorn: 'state', collections: { 'core.numbers': [{ address: '+27600000001' }] } });
  t.match(kept('calls.json').calls, [{ method: 'POST', path: '/v1/contacts' }]);
  t.notMatch(readFileSync(join(folder, '.posthorn', 'failed', 'calls.json'), 'utf8'), /ph_[\w-]{20}/, 'without its token');
});

t.test('completion prints scripts that the shells accept, with every command', async (t) => {
  const folder = newFolder(t);
  const { code, out } = await askHere(folder, ['completion', 'bash']);
  t.equal(code, 0);
  const probe = `${out}\nCOMP_WORDS=(posthorn clo); COMP_WORDS=(posthorn jour); COMP_CWORD=1; _posthorn; echo "$COMPREPLY"
    COMP_WORDS=(posthorn journey pu); COMP_CWORD=2; _posthorn; echo "\${COMPREPLY[*]}"
    COMP_WORDS=(posthorn sandbox --clock m); COMP_CWORD=3; _posthorn; echo "\${COMPREPLY[*]}"`;
  const shell = spawnSync('bash', ['-c', probe], { encoding: 'utf8', cwd: folder });
  t.strictSame(shell.stdout.trim().split('\n'), ['journey', 'push publish', 'manual'], shell.stderr);
  for (const name of ['zsh', 'fish']) {
    t.match(await askHere(folder, ['completion', name]), { code: 0, out: /journey/ });
  }
  t.match(await askHere(folder, ['completion', 'tcsh']), { code: 2 });
});
