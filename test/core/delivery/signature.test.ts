import { createHmac } from 'node:crypto';
import t from 'tap';
import { verifySignature } from '#core';
import { InlinePool } from '#core/testing';
import { PiscinaPool } from '../../../core/adapters/workers/piscina-pool.js';
import { signPayload } from '../../../core/signature.js';

const secret = 'REPLACE_ME';
const body = '{"preview_url":false,"recipient_type":"individual","text":{"body":"text message content"},"to":"whatsapp_id","type":"text"}';
const signature = 'jW/nhuaGDB2IMv2nBlzEngmBGiHX4cZeTsSHuiESTmc=';

t.test('a body is signed with base64 of HMAC-SHA256, on this thread and on a worker', async (t) => {
  for (const pool of [new InlinePool(), new PiscinaPool({ onError: (error) => t.fail(String(error)) })]) {
    t.equal(await pool.run(signPayload, { secret, body }), signature);
    const text = 'é🙂\u0000';
    t.equal(
      await pool.run(signPayload, { secret: 'ключ', body: text }),
      createHmac('sha256', 'ключ').update(text).digest('base64'),
      'UTF-8',
    );
    await pool.stop();
  }
});

t.test('a receiver verifies the signature over the raw bytes', async (t) => {
  t.ok(verifySignature(secret, body, signature));
  t.ok(verifySignature(secret, Buffer.from(body), signature));
  const wrong: [what: string, secret: string, body: string, header: string | undefined][] = [
    ['another secret', 'other', body, signature],
    ['another body', secret, `${body} `, signature],
    ['the same JSON written otherwise', secret, JSON.stringify(JSON.parse(body), null, 1), signature],
    ['no header', secret, body, undefined],
    ['an empty header', secret, body, ''],
    ['half a signature', secret, body, signature.slice(0, 20)],
    ['a signature and more', secret, body, `${signature}AAAA`],
    ['hexadecimal', secret, body, createHmac('sha256', secret).update(body).digest('hex')],
  ];
  for (const [what, key, text, header] of wrong) t.notOk(verifySignature(key, text, header), what);
});
