import t from 'tap';
import { turnParts, withFormLink } from '../../../../core/messaging/turn-parts.js';
import { examplesOf } from '../../../../core/shape.js';
import type { Turn } from '../../../../core/turns/turn.js';
import { turnSchema } from '../../../../core/turns/turn.js';
import parseMail from '../../../../plugins/email/content/parse-mail.task.js';
import { type MailToWrite, writeMail } from '../../../../plugins/email/content/write-mail.js';
import { replySubject } from '../../../../plugins/email/sending/driver.js';

const base = {
  id: 'm.1@riverside.example',
  date: new Date('2026-11-30T09:00:00Z'),
  from: { name: 'Riverside Library', address: 'support@riverside.example' },
  to: { name: 'Zoë Lee', address: 'Zoe.Lee@example.com' },
  subject: 'Re: Opening hours',
  choose: 'Reply with a number',
};
const text = (body: string): MailToWrite => ({ ...base, parts: turnParts({ type: 'text', text: { body } } as Turn)! });

/** A written mail: as it is, as it is read, and its HTML. */
const FORM = 'https://riverside.example/form/1';

async function written(given: MailToWrite) {
  const raw = Buffer.from(await writeMail(given)).toString();
  const read = await parseMail(Buffer.from(raw));
  const { default: PostalMime } = await import('postal-mime');
  const { html = '', headers } = await PostalMime.parse(raw);
  const valuesOf = (name: string): string[] => headers.filter(({ key }) => key === name).map(({ value }) => value);
  return { raw, read, html, valuesOf };
}

t.test('every shape of a message is text and HTML', async (t) => {
  const shown: Record<string, string> = {};
  for (const [shape, turn] of Object.entries(examplesOf(turnSchema))) {
    const given = turnParts(turn as Turn, 'Your loan is due on 5 March.')!;
    const parts = given.form ? withFormLink(given, FORM) : given;
    const { read, html } = await written({ ...base, parts });
    if (given.form) t.match(html, `Sign up: <a href="${FORM}">${FORM}</a>`);
    shown[shape] = read.fullText;
    t.notMatch(html, /<(img|script|link|style)\b|https?:\/\/(?!riverside|posthorn)/, shape);
    t.equal(html.includes('**'), false, shape);
  }
  t.same(shown, {
    text: 'Good morning, Ann. The library is open until 18:00.',
    template: 'Your loan is due on 5 March.',
    buttons: 'Would you like to renew your loan?\n\n1. Renew\n2. Return\nReply with a number',
    list: 'How can we help?\n\nLibrary\n1. Opening hours\n2. My loans - Due dates and renewals\nReply with a number',
    flow: 'Library card\n\nSign up for a library card.\n\nSign up: https://riverside.example/form/1\n\nTakes two minutes',
    image: 'The reading room\n\nhttps://posthorn.example/v1/media/m1/content?signature=kq0',
    video: 'How to renew a loan\n\nhttps://posthorn.example/v1/media/m2/content?signature=kq0',
    audio: 'https://posthorn.example/v1/media/m3/content?signature=kq0',
    document: 'Your loans\n\nhttps://posthorn.example/v1/media/m4/content?signature=kq0',
  });
});

t.test('formats become HTML, and all text is escaped', async (t) => {
  const { html, read } = await written(
    text('**bold _both_** <script>alert("x")</script> & [site](https://example.com/?a=1&b="2")\n`code`'),
  );
  t.match(html, '<p><strong>bold <em>both</em></strong> &lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt; &amp; ');
  t.match(html, '<a href="https://example.com/?a=1&amp;b=%222%22">site</a><br>\n<code>code</code></p>');
  t.match(read.fullText, 'bold both <script>alert("x")</script> & site (https://example.com/?a=1&b=%222%22)\ncode');
  t.match((await written({ ...text('Bonjour'), language: 'fr' })).html, '<html lang="fr">');
  t.match((await written({ ...text('Bonjour'), language: '"><x' })).html, '<html><head>');
});

t.test('files are attached, and pictures are shown in the text', async (t) => {
  const parts = turnParts({ type: 'image', image: { link: 'media:m1', mime_type: 'image/png', caption: 'The reading room' } } as Turn)!;
  const file = { content: Buffer.alloc(6_000, '\x89PNG\r\n\x1a\n', 'latin1'), mimeType: 'image/png', filename: 'Übersicht.png' };
  const picture = await written({ ...base, parts, file });
  t.match(picture.read, { text: 'The reading room', files: [{ filename: 'Übersicht.png', mimeType: 'image/png' }] });
  t.match(picture.html, '<p><img src="cid:file.m.1@riverside.example" alt="Übersicht.png"');
  t.match(picture.raw, /^Content-Type: multipart\/alternative/m);
  const pdf = await written({ ...base, parts, file: { ...file, mimeType: 'application/pdf', filename: 'a"b\r\nX-Evil: 1.pdf' } });
  t.match(pdf.read.files, [{ filename: /^a.b X-Evil: 1\.pdf$/, mimeType: 'application/pdf' }]);
  t.notMatch(pdf.raw, /^X-Evil/m);
  t.notMatch(pdf.html, '<img');
});

t.test('headers keep threads together, and tell programs not to answer', async (t) => {
  const references = Array.from({ length: 30 }, (_, i) => `r${i}@example.com`);
  const { valuesOf } = await written({
    ...text('Hello'),
    inReplyTo: 'last@example.com',
    references,
    automatic: 'auto-replied',
    replyTo: 'support+k.0a1b2c3d@riverside.example',
  });
  t.same(valuesOf('message-id'), ['<m.1@riverside.example>']);
  t.same(valuesOf('in-reply-to'), ['<last@example.com>']);
  const chain = valuesOf('references')[0]!.split(/\s+/);
  t.equal(chain.length, 20);
  t.same([chain[0], chain[4], chain[5], chain[19]], ['<r0@example.com>', '<r4@example.com>', '<r16@example.com>', '<last@example.com>']);
  t.same(valuesOf('auto-submitted'), ['auto-replied']);
  t.same(valuesOf('x-auto-response-suppress'), ['All']);
  t.same(valuesOf('reply-to'), ['support+k.0a1b2c3d@riverside.example']);
  t.same(valuesOf('date'), ['Mon, 30 Nov 2026 09:00:00 +0000']);
  const person = await written(text('Hello'));
  for (const name of ['auto-submitted', 'x-auto-response-suppress', 'references', 'in-reply-to', 'reply-to', 'x-mailer'])
    t.same(person.valuesOf(name), [], name);
});

t.test('no value can add a header', async (t) => {
  const evil = 'x\r\nBcc: thief@example.com\r\n\r\nbody';
  const { raw, valuesOf, read } = await written({
    ...text('Hello'),
    subject: evil,
    from: { name: evil, address: 'support@riverside.example' },
    to: { name: evil, address: 'zoe.lee@example.com' },
    inReplyTo: evil,
    references: [evil, 'good@example.com'],
  });
  t.notMatch(raw, /^bcc/im);
  t.same(valuesOf('bcc'), []);
  t.equal(read.subject, 'x Bcc: thief@example.com body');
  t.equal(read.text, 'Hello');
  for (const address of ['zoe\r\nBcc: x@example.com', 'zoe@example.com, x@example.com', 'zoe'])
    await t.rejects(writeMail({ ...text('Hello'), to: { name: '', address } }), TypeError);
});

t.test('the subject of an answer begins with Re: once', async (t) => {
  t.equal(replySubject('Opening hours'), 'Re: Opening hours');
  for (const known of ['Re: Opening hours', 'AW: Opening hours', '回复：Hours']) t.equal(replySubject(known), known);
});
