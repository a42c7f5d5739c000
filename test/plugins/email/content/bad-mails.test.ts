import fc from 'fast-check';
import t from 'tap';
import { PiscinaPool } from '../../../../core/adapters/workers/piscina-pool.js';
import { classify } from '../../../../plugins/email/content/classify.js';
import { mailTask } from '../../../../plugins/email/content/mail.js';
import parseMail from '../../../../plugins/email/content/parse-mail.task.js';
import { runs } from '../../../forms.js';
import { answers, complaint, exchangeBounce, gmailBounce, plain, postfixBounce, qmailBounce, receipt } from './mails.js';

const mails = [
  ...Object.values(answers).map(({ raw }) => raw),
  complaint,
  exchangeBounce,
  gmailBounce,
  postfixBounce,
  qmailBounce,
  receipt,
];
const origin = { own: ['support@riverside.example'], isOwnId: () => false };

/** Pieces that make a difference to a parser of mails. */
const piece = fc.oneof(
  fc.constantFrom(
    '\r\n',
    '\n\n',
    '--=_b1\r\n',
    '--=_b1--',
    'Content-Type: multipart/mixed; boundary="=_b1"\r\n',
    'Content-Transfer-Encoding: base64\r\n',
  ),
  fc.constantFrom(
    '<blockquote>',
    '<div id="appendonsend">',
    '<!--',
    '<a href="',
    '&#x110000;',
    '=?utf-8?B?',
    '> ',
    '\0',
    '"',
    '<',
    ';',
    ':',
  ),
  fc.uint8Array({ maxLength: 8 }).map((bytes) => Buffer.from(bytes)),
);

t.test('no change of a mail makes reading it fail', async (t) => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...mails),
      fc.array(fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.nat(20), piece), { minLength: 1, maxLength: 12 }),
      async (mail, changes) => {
        let raw = Buffer.from(mail);
        for (const [place, removed, added] of changes) {
          const at = Math.floor(place * raw.length);
          raw = Buffer.concat([raw.subarray(0, at), Buffer.from(added as string), raw.subarray(at + removed)]);
        }
        const startedAt = performance.now();
        const read = await parseMail(raw);
        classify(read, origin);
        // A copy is what a worker returns.
        structuredClone(read);
        if (performance.now() - startedAt > 2_000) throw new Error('it took too long');
      },
    ),
    { numRuns: runs(2_000) },
  );
  t.pass();
});

/** Texts for which expressions or loops that are not linear take minutes. */
const SLOW = {
  html: [
    '<',
    '<a "',
    '<blockquote>',
    '<blockquote>x</blockquote>',
    '<!--',
    '<pre>\n',
    '&#',
    `<a ${' id="'.repeat(400)}>`,
    '<a href="https://x.example">',
  ],
  plain: [
    '\n',
    ' \n',
    '~',
    '---\n',
    'On a b ',
    'Op schreef x:\n',
    '在 写道\n',
    'etc. skrev x\n',
    '2026from<a>',
    'From: <',
    'a@',
    'did not reach the intended recipient ',
  ],
};
t.test('no text takes long', async (t) => {
  for (const [type, texts] of Object.entries(SLOW)) {
    for (const text of texts) {
      const content = text.repeat(Math.ceil(50_000 / text.length));
      const startedAt = performance.now();
      classify(await parseMail(Buffer.from(`Subject: Undeliverable\r\nContent-Type: text/${type}\r\n\r\n${content}`)), origin);
      const ms = performance.now() - startedAt;
      t.ok(ms < 4_000, `${type} ${text.slice(0, 20)}: ${ms} ms`);
    }
  }
});

t.test('mails are read in a worker', async (t) => {
  const pool = new PiscinaPool({ onError: (error) => t.fail(String(error)) });
  t.teardown(() => pool.stop());
  const read = await pool.run(mailTask, plain('Hello\n\n-- \nZoë'));
  t.match(read, { text: 'Hello', from: { name: 'Zoë Lee' } });
  t.equal(classify(read, origin).kind, 'ordinary');
});
