import { createHmac } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { signatureOf } from '#core';
import { explainSignature } from '../../plugins/webhooks/signature/explanation.js';
import { frameworks } from '../../plugins/webhooks/signature/fixes.js';
import { codeMistakes, type SignatureMistake, signatureMistakes } from '../../plugins/webhooks/signature/mistakes.js';
import { sign } from '../../sandbox/commands/sign.js';
import { verify } from '../../sandbox/commands/verify.js';
import { newFolder, startControlled } from './sandbox-with-receiver.js';

const SECRET = 'c2VjcmV0LW9mLXRoaXMtd2ViaG9vaw';
const BODY = '{"text": "Grüße", "n": 1}';
const hmac = (key: string | Buffer, body: string, digest = 'sha256') => createHmac(digest, key).update(body).digest();

/** The values that receivers compute by mistake. */
const mistaken: Readonly<Record<SignatureMistake, string>> = {
  hex: hmac(SECRET, BODY).toString('hex'),
  base64url: hmac(SECRET, BODY).toString('base64').replaceAll('+', '-').replaceAll('/', '_'),
  no_padding: hmac(SECRET, BODY).toString('base64').replace(/=+$/, ''),
  sha1: hmac(SECRET, BODY, 'sha1').toString('base64'),
  sha512: hmac(SECRET, BODY, 'sha512').toString('base64'),
  reserialized: hmac(SECRET, JSON.stringify(JSON.parse(BODY))).toString('base64'),
  pretty_printed: hmac(SECRET, JSON.stringify(JSON.parse(BODY), null, 2)).toString('base64'),
  trailing_newline: hmac(SECRET, `${BODY}\n`).toString('base64'),
  key_base64_decoded: hmac(Buffer.from(SECRET, 'base64'), BODY).toString('base64'),
  other_secret: hmac('secret-of-another-webhook', BODY).toString('base64'),
  prefix: `sha256=${signatureOf(SECRET, BODY)}`,
  url_encoded: encodeURIComponent(signatureOf(SECRET, BODY)),
  base64_of_hex: Buffer.from(hmac(SECRET, BODY).toString('hex')).toString('base64'),
  truncated: signatureOf(SECRET, BODY).slice(0, 24),
  extra_characters: `${signatureOf(SECRET, BODY)}AAAA`,
  key_newline: signatureOf(`${SECRET}\n`, BODY),
  key_quoted: signatureOf(`"${SECRET}"`, BODY),
  key_body_swapped: signatureOf(BODY, SECRET),
  body_ascii: signatureOf(SECRET, BODY.replace(/[^\0-\x7f]/g, '?')),
  body_latin1: signatureOf(SECRET, Buffer.from(BODY, 'latin1')),
  body_utf16: signatureOf(SECRET, Buffer.from(BODY, 'utf16le')),
  body_empty: signatureOf(SECRET, ''),
  body_object: signatureOf(SECRET, '[object Object]'),
  body_repr: signatureOf(SECRET, `b'${BODY}'`),
  body_quoted: signatureOf(SECRET, JSON.stringify(BODY)),
  timestamp_added: signatureOf(SECRET, `1767600000.${BODY}`),
};
const others = [{ owner: "webhook 'Other'", secret: 'secret-of-another-webhook' }];

t.test('each mistake is named, with a fix', async (t) => {
  t.match(mistaken.base64url, /[-_]/, 'this body has a signature that base64url writes differently');
  for (const mistake of signatureMistakes) {
    const { matches, diagnosis } = explainSignature({
      body: BODY,
      secret: SECRET,
      signature: mistaken[mistake],
      others,
      times: ['1767600000'],
    });
    t.equal(matches, false);
    t.strictSame(diagnosis?.mistakes, [mistake]);
    if (!diagnosis) continue;
    t.ok(diagnosis!.fix.length > 20);
    t.strictSame(
      diagnosis!.fixes.map(({ framework }) => framework),
      [...frameworks],
    );
    const hasCode = mistake === 'other_secret' || codeMistakes.some((one) => one === mistake);
    for (const { changes } of diagnosis.fixes)
      t.ok(changes.length > 0 === hasCode && changes.every((change) => change.mistake === mistake), mistake);
  }
  t.match(explainSignature({ body: BODY, secret: SECRET, signature: mistaken.other_secret, others }).diagnosis!.message, /webhook 'Other'/);
});

// From reports of people who verify webhooks.
t.test('a body that a library wrote again, in another encoding or beside a time is recognized', async (t) => {
  const body = '{"messages":[{"timestamp":"1767600001","text":{"body":"héllo 😊 <a href=\\"/x\\"> & \'1+1\'"}}],"a":1}';
  const parsed = JSON.parse(body);
  const pairs = (unit: string): string => unit.charCodeAt(0).toString(16).padStart(4, '0');
  const ascii = JSON.stringify(parsed).replace(/[\u007f-\uffff]/g, (unit) => `\\u${pairs(unit)}`);
  const html = (text: string, characters: RegExp) => text.replace(characters, (unit) => `\\u${pairs(unit)}`);
  const sorted = JSON.stringify({ a: 1, messages: [{ text: parsed.messages[0].text, timestamp: '1767600001' }] });
  const bytes = Buffer.from(body);
  const values: Record<string, [signed: string | Buffer, mistake: SignatureMistake]> = {
    'Python json.dumps': [ascii.replace(/":/g, '": ').replace(/,"/g, ', "'), 'reserialized'],
    'Python json.dumps with separators': [ascii, 'reserialized'],
    'PHP json_encode': [ascii.replaceAll('/', '\\/'), 'reserialized'],
    'PHP with JSON_UNESCAPED_UNICODE': [JSON.stringify(parsed).replaceAll('/', '\\/'), 'reserialized'],
    'Rails to_json': [html(JSON.stringify(parsed), /[<>&]/g), 'reserialized'],
    'Go map': [html(sorted, /[<>&]/g), 'reserialized'],
    Gson: [html(JSON.stringify(parsed), /[<>&=']/g), 'reserialized'],
    'System.Text.Json': [
      JSON.stringify(parsed)
        .replaceAll('\\"', '\\u0022')
        .replace(/[<>&'+\u007f-\uffff]/g, (unit) => `\\u${pairs(unit).toUpperCase()}`),
      'reserialized',
    ],
    'keys sorted': [sorted, 'reserialized'],
    'ASCII of .NET': [body.replace(/[^\0-\x7f]/g, '?'), 'body_ascii'],
    'ASCII of Python': [body.replace(/[^\0-\x7f]/gu, '?'), 'body_ascii'],
    'Latin-1': [Buffer.from(body, 'latin1'), 'body_latin1'],
    'UTF-8 read as Latin-1': [bytes.toString('latin1'), 'body_latin1'],
    'repr of Python': [
      `b'${bytes.toString('latin1').replace(/[^ -~]|\\|'/g, (one) => (one === '\\' ? '\\\\' : one === "'" ? "\\'" : `\\x${pairs(one).slice(2)}`))}'`,
      'body_repr',
    ],
    'timestamp of the message': [`1767600001.${body}`, 'timestamp_added'],
    'as Slack does': [`v0:1767600001:${body}`, 'timestamp_added'],
  };
  for (const [what, [signed, mistake]] of Object.entries(values)) {
    const { diagnosis } = explainSignature({ body, secret: SECRET, signature: signatureOf(SECRET, signed) });
    t.strictSame(diagnosis?.mistakes, [mistake], what);
  }
  const explain = (signature: string) => explainSignature({ body, secret: SECRET, signature }).diagnosis?.mistakes;
  const hex = hmac(SECRET, body).toString('hex');
  t.strictSame(explain(`sha256=${hex}`), ['prefix', 'hex']);
  t.strictSame(explain(`v1,${signatureOf(SECRET, body)}`), ['prefix']);
  t.strictSame(explain(`t=1767600001,v1=${hex}`), ['prefix', 'hex']);
  t.strictSame(explain(hex.slice(0, 32)), ['hex', 'truncated']);
  t.strictSame(explain(hmac(SECRET, body).subarray(0, 16).toString('base64')), ['truncated']);
  t.strictSame(explain(`${signatureOf(SECRET, body)}=`), ['extra_characters']);
  t.strictSame(explain(`${hex}00`), ['hex', 'extra_characters']);
  t.strictSame(explain(signatureOf(`'${SECRET}'`, body)), ['key_quoted']);
  t.strictSame(explain(hmac(`${SECRET}\r\n`, body).toString('hex')), ['key_newline', 'hex']);
  t.equal(explain(signatureOf(SECRET, body).slice(0, 8)), undefined, 'a short beginning may be a coincidence');
});

t.test('combined mistakes are named too, and an unknown value is not explained', async (t) => {
  const explain = (signature: string) => explainSignature({ body: BODY, secret: SECRET, signature, others });
  const both = hmac(SECRET, JSON.stringify(JSON.parse(BODY))).toString('hex');
  t.strictSame(explain(both).diagnosis?.mistakes, ['reserialized', 'hex']);
  t.match(explain('AAAA'), { matches: false, diagnosis: null });
  t.match(explain(signatureOf(SECRET, BODY)), { matches: true, diagnosis: null, expected: signatureOf(SECRET, BODY) });
  t.notMatch(JSON.stringify(explain('AAAA')), SECRET, 'no step contains the key');
  t.match(explainSignature({ body: 'not json', secret: SECRET, signature: 'x' }), { diagnosis: null });
});

t.test('the steps show the ends of a body, and the length and the end of a key', async (t) => {
  const stepsOf = (body: string | Uint8Array, secret = SECRET) =>
    explainSignature({ body, secret, signature: 'x', contentType: 'text/x' }).steps;
  const [short, key, , , , given] = stepsOf(BODY);
  const bytes = Buffer.from(BODY);
  t.match(short, { bytes: bytes.length, content_type: 'text/x', start_hex: bytes.toString('hex'), start: BODY });
  t.notOk('end_hex' in short!);
  t.match(key, { bytes: SECRET.length, ends_with: SECRET.slice(-4) });
  t.match(given, { step: 'given', value: 'x', matches: false });
  t.notOk('ends_with' in stepsOf(BODY, 'short-secret')[1]!, 'the end of a short secret is not shown');

  const long = `${'a'.repeat(255)}ü${'b'.repeat(1_000)}\n`;
  const [cut] = stepsOf(long);
  t.equal(cut!.start, 'a'.repeat(255), 'a character is not cut in two');
  t.equal(cut!.start_hex!.length, 2 * 256);
  t.equal(cut!.end_hex, Buffer.from(`${'b'.repeat(15)}\n`).toString('hex'));
  const [invalid] = stepsOf(Buffer.from([0xff, 0x00]));
  t.match(invalid, { start_hex: 'ff00', start: '\ufffd\u0000', bytes: 2 });
});

t.test('a signature can be pasted with the name of its header, and with quotes', async (t) => {
  const right = signatureOf(SECRET, BODY);
  for (const signature of [`X-Svc-Hook-Signature: ${right}`, `"${right}"`, `x-svc-hook-signature: '${right}'\n`])
    t.equal(explainSignature({ body: BODY, secret: SECRET, signature }).matches, true, signature);
});

t.test('the code of a fix has the header of the dialect', async (t) => {
  const { diagnosis } = explainSignature({ body: BODY, secret: SECRET, signature: mistaken.hex, header: 'X-Acme-Signature' });
  for (const { framework, code } of diagnosis!.fixes) {
    t.match(code, /x-acme-signature/i, framework);
    t.notMatch(code, /svc-hook/i);
  }
});

t.test('the fix of the secret of another webhook names both webhooks', async (t) => {
  const about = { body: BODY, secret: SECRET, signature: mistaken.other_secret, others, owner: "webhook 'Own'" };
  const { diagnosis } = explainSignature(about);
  t.match(diagnosis!.fix, /secret of webhook 'Own'/);
  t.strictSame(diagnosis!.fixes[0]!.changes, [
    {
      mistake: 'other_secret',
      wrong: "POSTHORN_SECRET=<secret of webhook 'Other'>",
      right: "POSTHORN_SECRET=<secret of webhook 'Own'>",
    },
  ]);
});

t.test('a long body is explained too', async (t) => {
  const body = `{"text": ${JSON.stringify('x'.repeat(3 * 1024 * 1024))}}`;
  const signature = signatureOf(SECRET, JSON.stringify(JSON.parse(body)));
  t.strictSame(explainSignature({ body, secret: SECRET, signature }).diagnosis?.mistakes, ['reserialized']);
});

t.test('a value with no character that base64url writes differently is missing its padding', async (t) => {
  let n = 0;
  while (/[+/]/.test(signatureOf(SECRET, String(n)))) n++;
  const { diagnosis } = explainSignature({ body: String(n), secret: SECRET, signature: signatureOf(SECRET, String(n)).replace('=', '') });
  t.strictSame(diagnosis?.mistakes, ['no_padding']);
});

t.test('sign and verify work without a sandbox, and with the deliveries of a running one', async (t) => {
  const { run, admin, write, settled, webhook, sandbox } = await startControlled(t);
  const file = join(newFolder(t), 'body.json');
  writeFileSync(file, BODY);
  t.strictSame((await run(sign, '--secret', SECRET, '--body', file)).out, [signatureOf(SECRET, BODY)]);
  t.match(JSON.parse((await run(sign, '--secret', SECRET, '--body', file, '--json')).out[0]!), {
    v: 1,
    signature: signatureOf(SECRET, BODY),
  });
  const check = (signature: string, ...more: string[]) =>
    run(verify, '--signature', signature, '--secret', SECRET, '--body', file, ...more);
  t.match(await check(signatureOf(SECRET, BODY)), { code: 0, out: ['The signature matches.'] });
  t.match(await check(mistaken.hex), { code: 1, out: ['The signature does not match; --explain tells why.'] });
  const explained = await check(mistaken.reserialized, '--explain');
  t.equal(explained.code, 1);
  t.match(explained.out.join('\n'), /^1 body .*SHA-256\n.*3 hmac .*4 base64 /s);
  t.match(explained.out.at(-2), 'Your value is the signature with the body parsed as JSON and serialized again.');
  t.match(explained.out.at(-1), /Sign the raw body/);
  t.match(explained.out.join('\n'), new RegExp(`${Buffer.byteLength(SECRET)} bytes, the last characters are ${SECRET.slice(-4)}`));
  const flask = await check(mistaken.reserialized, '--framework', 'flask');
  t.equal(flask.code, 1);
  t.match(flask.out.join('\n'), /Flask:\n- raw_body = json\.dumps.*\n\+ raw_body = request\.get_data\(\)\n\nimport base64/);
  t.match((await check(signatureOf(SECRET, BODY), '--framework', 'go')).out.at(-1), 'The signature matches.');
  await t.rejects(check(mistaken.hex, '--framework', 'rails'), /takes express or fastify or hapi or flask or go/);
  t.match(JSON.parse((await check(mistaken.hex, '--json')).out[0]!).diagnosis.fixes.length, 5);
  await t.rejects(run(verify, '--signature', 'x', '--body', file), /verify needs --secret/);

  const uuid = await write('hello');
  const { body } = await settled(uuid);
  t.match(await run(verify, '--delivery', uuid, '--signature', signatureOf(webhook.secret, body)), { code: 0 });
  const connector = sandbox.channels[0]!.webhook.hmac_secret;
  const other = await run(verify, '--delivery', uuid, '--signature', signatureOf(connector, body), '--explain');
  t.equal(other.code, 1);
  t.match(other.out.at(-2), /the secret of webhook '/);

  const answer = await admin('POST', '/signatures/explain', { delivery: uuid, signature: signatureOf(webhook.secret, body) });
  t.match(answer, {
    status: 200,
    body: {
      matches: true,
      steps: [
        { step: 'body', content_type: 'application/json', bytes: Buffer.byteLength(body), start: String },
        { step: 'key', bytes: webhook.secret.length, ends_with: webhook.secret.slice(-4) },
        { step: 'hmac' },
        { step: 'base64' },
        { step: 'header' },
        { step: 'given', matches: true },
      ],
    },
  });
  t.notMatch(JSON.stringify(answer.body), webhook.secret);
  const bytes = Buffer.from([0xff, 0x00, 0x7b]);
  const ofBytes = await admin('POST', '/signatures/explain', {
    ...{ webhook: webhook.uuid, body_base64: bytes.toString('base64'), signature: signatureOf(webhook.secret, bytes) },
  });
  t.match(ofBytes.body, { matches: true }, 'a body that is no text');
  t.match(await admin('POST', '/signatures/explain', { signature: 'x' }), { status: 400 });
  t.match(await admin('POST', '/signatures/explain', { webhook: webhook.uuid, signature: 'x' }), { status: 400 });
  t.match(await admin('POST', '/signatures/explain', { webhook: 'unknown', body: '', signature: 'x' }), { status: 404 });
});
