import { readFileSync } from 'node:fs';
import t from 'tap';
import { startPlatform } from '#core/testing';
import { messages } from '../../../plugins/messages/plugin.js';
import { startNetwork } from './network-under-test.js';

const MISSING = { code: 1008, title: 'Required parameter is missing' };
const INVALID = { code: 1009, title: 'Parameter value is not valid' };
const text = { type: 'text', text: { body: 'hi' } };

t.test('a message of a number without a driver is refused, and nothing is recorded', async (t) => {
  const { call, log, number, platform } = await startPlatform(t, { plugins: [messages()] });
  const { token, uuid } = await number('channel', { type: 'pigeon-post' });
  const payload = { to: '+27820001001', type: 'text', text: { body: 'hi' } };
  t.match(await call('POST', '/v1/messages', { token, payload }), {
    status: 409,
    body: {
      errors: [
        { code: 1000, title: 'Number is not supported', details: "No loaded plugin has a driver for numbers of type 'pigeon-post'" },
      ],
      meta: {},
    },
  });
  t.strictSame(await platform.contacts.list(uuid), []);
  t.strictSame(
    log.lines.filter(({ level }) => level === 'error'),
    [],
  );
});

t.test('the page lists the codes of refused messages', async (t) => {
  const { admin, call, send, token, uuid } = await startNetwork(t);
  const components = [{ type: 'body', text: 'Dear {{1}}' }];
  await admin('PUT', `/numbers/${uuid}/templates`, { name: 'visit', language: 'en', components });
  const template = (name: string) => ({ type: 'template', template: { name, language: { code: 'en' } } });
  const withoutDrivers = await startPlatform(t, { plugins: [messages()] });
  const channel = (await withoutDrivers.number('channel', { type: 'pigeon-post' })).token;
  const cases = [
    ['`recipient_not_valid`', await send({ ...text, to: 'absent' })],
    ['`template_parameters_wrong`', await send(template('visit'))],
    ['`template_not_found`', await send(template('party'))],
    ['`message_not_found`', await call('PUT', '/v1/messages/in-1', { token, payload: { status: 'read' } })],
    [
      '`number_not_carried`',
      await withoutDrivers.call('POST', '/v1/messages', { token: channel, payload: { to: '+27820001001', ...text } }),
    ],
    ['a required field is missing or empty', await send({ type: 'text' })],
    ['otherwise', await send({ ...text, type: 'song' })],
    ['otherwise', await call('POST', '/v1/messages', { token: 'none', payload: {} })],
  ] as const;
  const page = readFileSync('plugins/messages/README.md', 'utf8');
  for (const [when, { status, body }] of cases) {
    const [{ code, title }] = body.errors;
    t.ok(page.includes(`\n| ${status} | ${code} | ${title} | ${when} |\n`), `${when}: ${status} ${code} ${title}`);
  }
});

t.test('null counts as a missing field: accepted if the field is optional, else refused as missing', async (t) => {
  const { send, call, token, settle, received, listen } = await startNetwork(t);
  await listen(['svc']);
  const interactive = {
    type: 'button',
    body: { text: 'Which?' },
    action: { buttons: [{ type: 'reply', reply: { id: 'y', title: 'Yes' } }] },
  };
  const optional: object[] = [
    { ...text, preview_url: null, recipient_type: null, image: null },
    { type: null, text: { body: 'hi' } },
    { type: 'interactive', interactive: { ...interactive, header: null, footer: null } },
    { type: 'image', image: { link: 'https://a.test/a.png', id: null, caption: null } },
  ];
  for (const body of optional) t.match(await send(body), { status: 200 }, JSON.stringify(body));
  await settle();
  for (const { json } of received()) t.notMatch(JSON.stringify({ ...json, _vnd: undefined }), /null/, 'and no receiver gets it');
  t.equal(received().length, optional.length);
  const marked = await call('PUT', '/v1/messages/in-1', { token, payload: { status: 'read', typing_indicator: null } });
  t.not(marked.status, 400);

  const needed: [body: object, details: string][] = [
    [{ ...text, to: null }, 'to is required'],
    [{ ...text, text: null }, 'text is required'],
    [{ ...text, text: { body: null } }, 'text.body is required'],
    [{ type: 'image', image: { id: null } }, 'image must contain at least one of [id, link]'],
  ];
  for (const [body, details] of needed) t.match(await send(body), { status: 400, body: { errors: [{ ...MISSING, details }] } }, details);
  const element = { type: 'contacts', contacts: [null] };
  t.match(await send(element), { status: 400, body: { errors: [{ ...INVALID, details: 'contacts[0] must be of type object' }] } });
});

t.test('a message without a type but with another content than text gets an error about the type', async (t) => {
  const { send } = await startNetwork(t);
  const image = { link: 'https://a.test/a.png' };
  const details = (one: string) => ({ status: 400, body: { errors: [{ ...MISSING, details: one }] } });
  t.match(await send({ image }), details('type is required: the message has image and no text'));
  t.match(await send({ type: 'text', image }), details('text is required'));
  t.match(await send({}), details('text is required'));
  t.equal((await send({ text: { body: 'hi' }, image })).status, 200);
});

t.test('an error about an address says what is wrong with it', async (t) => {
  const { send, admin, uuid: number } = await startNetwork(t);
  const image = async (link: string) => (await send({ type: 'image', image: { link } })).body.errors?.[0].details;
  const inAscii = 'image.link must be written in ASCII: its host as punycode (xn--…), the rest percent-encoded (%C3%A4)';
  t.equal(await image('https://пример.рф/ä.png'), inAscii);
  t.equal(await image('https://a.test/ä.png'), inAscii);
  t.equal(await image('https://xn--e1afmkfd.xn--p1ai/%C3%A4.png'), undefined);
  t.match(await image('ftp://a.test/ä.png'), /^image\.link must be a valid uri with a scheme matching/);
  t.match(await admin('POST', '/webhooks', { number, url: 'http://a:b@127.0.0.1/', subscriptions: ['svc'] }), {
    status: 400,
    body: { errors: [{ details: 'url must have no user name and no password in it' }] },
  });
});
