import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import type { Tap } from '#core/testing';
import { writeRunFile } from '../../sandbox/client/run-file.js';
import { NoSandbox } from '../../sandbox/commands/command.js';
import { flow } from '../../sandbox/commands/flow.js';
import { startSandbox } from '../../sandbox/compose.js';
import { UsageError } from '../../sandbox/terminal/flags.js';
import { exit } from '../../sandbox/terminal/terminal.js';
import { exitCodeOf } from './exit-code.js';

const footer = { type: 'Footer', label: 'Send', 'on-click-action': { name: 'complete', payload: {} } };
const flowOf = (...children: object[]): string =>
  JSON.stringify({ version: '7.3', screens: [{ id: 'ONE', terminal: true, layout: { type: 'SingleColumnLayout', children } }] }, null, 2);
const sound = flowOf({ type: 'TextHeading', text: 'Hello' }, footer);
const wrong = flowOf({ type: 'TextHeadin', text: 'Hello' }, footer);

/** Of all tests, which have flows of their own: a start takes half a second of CPU. */
const sandbox = await startSandbox({
  seed: { numbers: [{ kind: 'network', address: '+27600000001', name: 'Library', account: 'library' }] },
});
t.teardown(() => sandbox.stop());

/** A folder with the file of a flow and a wrong one, from which commands find the sandbox. */
function folderOf(t: Tap, name: string) {
  const cwd = mkdtempSync(join(tmpdir(), 'posthorn-flow-'));
  const remove = writeRunFile(cwd, { pid: process.pid, startedAt: new Date().toISOString(), api: sandbox.api, admin: sandbox.admin });
  t.teardown(() => {
    remove();
    rmSync(cwd, { recursive: true });
  });
  writeFileSync(join(cwd, `${name}.flow.json`), sound);
  writeFileSync(join(cwd, 'wrong.json'), wrong);
  return {
    cwd,
    async run(...argv: string[]) {
      const out: string[] = [];
      const err: string[] = [];
      const terminal = { out: (line: string) => out.push(line), err: (line: string) => err.push(line), isColoured: false, cwd };
      const code = await exitCodeOf(flow.run(argv, terminal), err);
      return { code, out, err };
    },
  };
}

t.test('wrong usage and a missing sandbox are reported', async (t) => {
  const { run } = folderOf(t, 'unused');
  await t.rejects(run('push'), { name: 'UsageError', message: 'flow push needs a file, for example: npx posthorn flow push flow.json' });
  await t.rejects(run('open'), { name: 'UsageError', message: /posthorn flow open \+27611111111$/ });
  await t.rejects(run('push', 'a.json', '--json', '--format', 'github'), UsageError);
  await t.rejects(run('push', 'a.json', 'b.json', '--name', 'x'), UsageError);
  await t.rejects(run('publish'), UsageError);
  await t.rejects(run('preview', 'nothing'), { message: "flow 'nothing' not found; existing flows: none" });
  await t.rejects(run('push', 'missing.json'), { name: 'UsageError', message: /^missing\.json cannot be read/ });
  const elsewhere = mkdtempSync(join(tmpdir(), 'posthorn-flow-'));
  t.teardown(() => rmSync(elsewhere, { recursive: true }));
  const terminal = { out: () => {}, err: () => {}, isColoured: false, cwd: elsewhere };
  await t.rejects(flow.run(['preview', 'booking'], terminal), NoSandbox);
});

t.test('a file is pushed as a draft, pushed again, published and deprecated', async (t) => {
  const { run, cwd } = folderOf(t, 'booking');
  t.match(await run('push', 'booking.flow.json'), {
    code: exit.ok,
    out: ['✓ booking.flow.json: 0 errors, 1 screen'],
    err: [/^Created booking \d+ DRAFT$/],
  });
  writeFileSync(join(cwd, 'booking.flow.json'), wrong);
  t.match(await run('push', 'booking.flow.json', '--format', 'json'), { code: exit.failed, err: [/^Replaced booking \d+ DRAFT$/] });
  t.match(await run('publish', 'booking'), {
    code: exit.failed,
    out: [],
    err: [/^posthorn: booking has 1 validation error; fix them/, 'Code: conflict', 'Try: npx posthorn flow validate FILE'],
  });
  writeFileSync(join(cwd, 'booking.flow.json'), sound);
  await run('push', 'booking.flow.json');
  t.match(await run('publish', 'booking'), { code: exit.ok, out: [/^booking \d+ PUBLISHED$/] });
  t.match(await run('push', 'booking.flow.json'), {
    code: exit.failed,
    err: [/^posthorn: booking is PUBLISHED/, 'Code: conflict', 'Try: npx posthorn flow push booking.flow.json --name booking-2'],
  });
  t.match(await run('deprecate', 'booking'), { code: exit.ok, out: [/^booking \d+ DEPRECATED$/] });
});

t.test('an impossible status change is refused with a fix', async (t) => {
  const { run } = folderOf(t, 'loan');
  await run('push', 'loan.flow.json');
  const refusal = (sentence: RegExp, ...next: string[]) => ({ code: exit.failed, out: [], err: [sentence, 'Code: conflict', ...next] });
  const again = 'Try: npx posthorn flow push FILE --name loan-2';
  t.match(await run('deprecate', 'loan'), refusal(/^posthorn: loan is a draft/));
  await run('publish', 'loan');
  t.match(await run('publish', 'loan'), refusal(/^posthorn: loan is already published/, again));
  t.match(JSON.parse((await run('deprecate', 'loan', '--json')).out.join()), { flow: { name: 'loan', status: 'DEPRECATED' } });
  t.match(await run('publish', 'loan'), refusal(/^posthorn: loan is deprecated and can no longer change/, again));
});

t.test('push shows errors like validate, and pushes the file all the same', async (t) => {
  const { run } = folderOf(t, 'unused');
  const pushed = await run('push', 'wrong.json', '--name', 'Other');
  t.equal(pushed.code, exit.failed);
  t.strictSame(pushed.out, (await run('validate', 'wrong.json')).out);
  t.match(pushed.err, [/^Created Other \d+ DRAFT$/]);
});

t.test('the link of a preview opens it; --new creates another link', async (t) => {
  const { run } = folderOf(t, 'survey');
  await run('push', 'survey.flow.json');
  const [url] = (await run('preview', 'survey')).out;
  const page = await fetch(url!);
  t.equal(page.status, 200);
  t.match(await page.text(), /<!doctype html>/);
  t.strictSame((await run('preview', 'survey')).out, [url]);
  t.not((await run('preview', 'survey', '--new')).out[0], url);
  t.equal((await fetch(url!)).status, 404);
});

t.test('with --json, push and preview print only the response, with the same exit codes', async (t) => {
  const { run } = folderOf(t, 'order');
  const pushed = await run('push', 'order.flow.json', 'wrong.json', '--json');
  t.match(pushed, { code: exit.failed, out: [/^\{"v":1,"flow"/, /^\{"v":1,"flow"/], err: [] });
  const [first, second] = pushed.out.map((line) => JSON.parse(line).flow);
  t.match([first, second], [{ name: 'order', status: 'DRAFT', validation_errors: [] }, { validation_errors: [{ error: /./ }] }]);
  t.match(await run('push', 'order.flow.json', '--json'), { code: exit.ok });
  const shown = await run('preview', 'order', '--json');
  t.match(shown, { code: exit.ok, err: [] });
  const [url] = (await run('preview', 'order')).out;
  t.match(JSON.parse(shown.out[0]!), { preview_url: url, expires_at: /^\d{4}-/ });
});

t.test('the newest flow that was sent to a contact is opened and completed, and the answers arrive', async (t) => {
  const { run } = folderOf(t, 'visit');
  const admin = async (path: string, payload?: object) => {
    const response = await fetch(`${sandbox.admin.url}${path}`, {
      method: payload ? 'POST' : 'GET',
      headers: { authorization: `Bearer ${sandbox.admin.key}`, 'content-type': 'application/json' },
      ...(payload && { body: JSON.stringify(payload) }),
    });
    // biome-ignore lint/suspicious/noExplicitAny: tests read any response
    return (await response.json()) as any;
  };
  await run('push', 'visit.flow.json');
  await run('publish', 'visit');
  const { id } = (await admin('/flows')).flows.find(({ name }: { name: string }) => name === 'visit');
  const { uuid, token } = sandbox.numbers[0]!;
  await t.rejects(run('open', '+27611111111'), UsageError);
  await admin(`/network/numbers/${uuid}/messages`, { from: '27611111111', type: 'text', text: { body: 'hello' } });
  const parameters = {
    flow_id: id,
    flow_cta: 'Open',
    flow_action: 'navigate',
    flow_action_payload: { screen: 'ONE' },
    flow_message_version: '3',
    mode: 'published',
  };
  const interactive = { type: 'flow', body: { text: 'Please' }, action: { name: 'flow', parameters } };
  const sent = await fetch(`${sandbox.api}/v1/messages`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ to: '27611111111', type: 'interactive', interactive }),
  });
  t.equal(sent.status, 200);
  const asJson = await run('open', '+27611111111', '--json');
  t.match([asJson.code, JSON.parse(asJson.out[0]!), asJson.err], [exit.ok, { url: /^http/ }, []]);
  const [url] = (await run('open', '+27611111111')).out;
  t.equal((await fetch(url!)).status, 200);
  const answered = await fetch(url!, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"response":{"when":"today"}}',
  });
  t.equal(answered.status, 200);
  const { conversations } = await admin(`/numbers/${uuid}/conversations`);
  const [newest] = (await admin(`/conversations/${conversations[0].uuid}`)).messages;
  t.match(newest, {
    direction: 'inbound',
    content: { interactive: { nfm_reply: { response_json: '{"when":"today","flow_token":"unused"}' } } },
  });
});
