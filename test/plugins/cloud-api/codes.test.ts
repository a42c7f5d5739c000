import { readFileSync } from 'node:fs';
import t from 'tap';
import { delayBefore, type Remedy, ruleOf } from '../../../plugins/cloud-api/graph/remedies.js';
import { startCloud } from './cloud-under-test.js';

const SEND = { method: 'POST', path: '/*/messages' } as const;
const text = (body = 'hello') => ({ type: 'text', text: { body } });

/** The codes that the network documents, by the remedy that we apply. */
const documented: Readonly<Record<Remedy, readonly number[]>> = {
  refuse: [
    ...[100, 130403, 130472, 130497, 131008, 131009, 131021, 131026, 131030, 131047, 131050, 131051, 131052, 131053, 131062],
    ...[132000, 132001, 132005, 132007, 132012, 132015, 132016, 132018, 132068, 134011, 135000],
    ...[139000, 139001, 139002, 139003, 139004, 139005, 139006],
  ],
  repeat: [1, 2, 131000, 131016, 131057, 133004, 2494100],
  slow: [4, 80007, 130429],
  pair: [131056],
  later: [131049, 132069],
  stop: [
    ...[0, 3, 10, 33, 190, 200, 250, 299, 368, 131005, 131031, 131037, 131042, 131045, 131048, 131064],
    ...[133000, 133005, 133006, 133008, 133009, 133010, 133015, 133016],
  ],
};

t.test('every documented code has its remedy, whatever the HTTP status is', async (t) => {
  for (const [remedy, codes] of Object.entries(documented)) {
    for (const code of codes)
      for (const status of [400, 401, 429, 500, 503]) t.equal(ruleOf(code, status).remedy, remedy, `${code}, ${status}`);
  }
  t.equal(ruleOf(999_999, 400).remedy, 'refuse', 'an unknown code is decided by the status');
  t.equal(ruleOf(999_999, 500).remedy, 'repeat');
  t.equal(ruleOf(undefined, 503).remedy, 'repeat');
  t.equal(ruleOf(undefined, 404).remedy, 'refuse');
});

t.test('delays before the next attempt, in seconds', async (t) => {
  const delays = (code: number) =>
    Array.from({ length: 8 }, (_, i) => delayBefore(ruleOf(code, 400), { attempt: i + 1, random: 0 })).map((ms) =>
      ms === undefined ? null : ms / 1000,
    );
  t.strictSame(delays(131000), [1, 2, 4, 8, null, null, null, null]);
  t.strictSame(delays(131056), [1, 4, 16, 64, 256, null, null, null]);
  t.strictSame(delays(131057).slice(0, 5), [30, 60, 120, 240, null]);
  t.strictSame(delays(80007).slice(0, 3), [60, 120, 240]);
  t.strictSame(delays(131026)[0], null);
  t.strictSame(delays(131049)[0], null);
  t.equal(delayBefore(ruleOf(130429, 429), { attempt: 1, random: 0, retryAfterMs: 9_000 }), 9_000, 'Retry-After is honoured');
});

t.test('the page explains every code that stops a number, and those that a message can fail with', async (t) => {
  const page = readFileSync('plugins/cloud-api/README.md', 'utf8');
  const table = page.slice(page.indexOf('## Troubleshooting by error code'));
  const shown = [...table.matchAll(/^\| ([\d, to-]+) /gm)].flatMap(([, codes]) =>
    codes!.split(',').flatMap((part) => {
      const [from, to] = part
        .trim()
        .split(/-| to /)
        .map(Number);
      return Array.from({ length: (to ?? from!) - from! + 1 }, (_, i) => from! + i);
    }),
  );
  for (const codes of Object.values(documented)) for (const code of codes) t.ok(shown.includes(code), String(code));
});

t.test('131047 shortly after the contact wrote is repeated once, because the network can be late', async (t) => {
  const { send, standIn, settle, told } = await startCloud(t);
  standIn.rule({ on: SEND, times: 1, error: 131047 });
  await send(text('one'));
  await settle(1_000);
  t.equal(standIn.sent.length, 0);
  await settle(5_000);
  t.equal(standIn.sent.length, 1);
  standIn.rule({ on: SEND, times: 2, error: 131047 });
  await send(text('two'));
  await settle(60_000);
  t.equal(standIn.sent.length, 1, 'the second refusal is final');
  t.equal(told('message.undeliverable').length, 1);
});

t.test('132015 and 132016 stop the template, not the number', async (t) => {
  const { send, standIn, settle, told, admin, uuid } = await startCloud(t);
  standIn.addTemplate({ name: 'greeting', components: [{ type: 'BODY', text: 'Hello' }] });
  await settle(24 * 60 * 60 * 1000);
  await standIn.write('16505551234', 'hi');
  await settle();
  const template = { type: 'template', template: { name: 'greeting', language: { code: 'en_US' } } };
  // The list still has it as approved.
  standIn.rule({ on: { ...SEND, type: 'template' }, times: 1, error: 132015 });
  standIn.rule({ on: { path: '/*/message_templates' }, times: 1, error: 190 });
  t.equal((await send(template)).status, 200);
  await settle();
  t.match((await admin('GET', `/numbers/${uuid}/templates`)).body.templates, [{ name: 'greeting', status: 'PAUSED' }]);
  t.match(
    told('advice').filter(({ name }) => name === 'cloud_api_template'),
    [{ message: /PAUSED for template greeting/ }],
  );
  t.equal((await send(template)).status, 404, 'refused without a call');
  t.equal((await send(text())).status, 200);
  await settle(60 * 60 * 1000);
  t.match((await admin('GET', `/numbers/${uuid}/templates`)).body.templates, [{ status: 'APPROVED' }], 'as the network says an hour later');
});
