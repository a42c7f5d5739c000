import t from 'tap';
import parseMail from '../../../../plugins/email/content/parse-mail.task.js';
import { answers, fromHeaders, html, mail, multipart, part, plain } from './mails.js';

for (const [program, { raw, text }] of Object.entries(answers)) {
  t.test(`the new part of an answer: ${program}`, async (t) => {
    const read = await parseMail(raw);
    t.equal(read.text, text);
    t.equal(read.cut, undefined);
  });
}

t.test('the whole text is kept beside the new part', async (t) => {
  const read = await parseMail(answers['Gmail in English']!.raw);
  t.match(read.fullText, /^Thank you[\s\S]*Please answer\.$/);
  t.match(read, {
    id: 'reply-1@mail.example.com',
    hasOwnId: true,
    from: { name: 'Zoë Lee', address: 'Zoe.Lee@Example.com' },
    to: [{ name: 'Riverside Library', address: 'support@riverside.example' }],
    subject: 'Re: Opening hours',
    inReplyTo: ['m.1b9d@riverside.example'],
    references: ['first@mail.example.com', 'm.1b9d@riverside.example'],
  });
});

t.test('a forwarded mail is kept whole', async (t) => {
  const forwarded =
    'Please see below.\n\n---------- Forwarded message ---------\nFrom: Ann <ann@example.org>\nDate: Mon, Nov 30, 2026 at 9:12 AM\nSubject: Hours\nTo: Zoë <zoe.lee@example.com>\n\nAre you open?';
  for (const raw of [
    plain(forwarded),
    mail(['Subject: Fwd: Hours', ...fromHeaders, 'Content-Type: text/plain'], '', 'FYI\r\n\r\n> Are you open?'),
    html(
      '<div>See below.</div><div class="gmail_quote"><div class="gmail_attr">---------- Forwarded message ---------<br>From: Ann</div>Are you open?</div>',
    ),
  ]) {
    const read = await parseMail(raw);
    t.match(read.text, /Are you open\?$/);
    t.equal(read.text, read.fullText);
  }
  t.equal(
    (await parseMail(plain(`Yes.\n\nOn 1 May 2026, Ann <ann@example.org> wrote:\n> ${forwarded.replaceAll('\n', '\n> ')}`))).text,
    'Yes.',
  );
});

const HTML: readonly (readonly [what: string, html: string, text: string])[] = [
  [
    'line breaks',
    'one<br>two<p>three</p><p>four</p><div>five</div><div><br></div><div>six</div>',
    'one\ntwo\n\nthree\n\nfour\n\nfive\n\nsix',
  ],
  ['white space', '<p>a\r\n   b&nbsp;c</p>', 'a b c'],
  ['lists', '<ul><li>one</li><li>two</li></ul>', '- one\n- two'],
  ['tables', '<table><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></table>', 'a b\nc'],
  [
    'links',
    '<a href="https://shop.example/">shop.example</a>, <a href="https://evil.example/shop.example">shop.example</a>',
    'shop.example, shop.example (https://evil.example/shop.example)',
  ],
  ['mail links', '<a href="mailto:a@b.example">a@b.example</a> <a href="javascript:alert(1)">x</a>', 'a@b.example x'],
  ['character references', '&lt;b&gt; &euro; &auml; &#8364; &#x1F44B; &unknown; &#xD800; &#0;', '<b> € ä € 👋 &unknown; \ufffd \ufffd'],
  ['scripts, styles and comments', '<style>p{}</style><script>if (a<b) {}</script><!-- <p>no</p> -->yes', 'yes'],
  ['a hidden preview', '<div style="display: none">Preview</div><div>Text</div>', 'Text'],
  ['a quote without marks', '<blockquote>one<br>two</blockquote>three', 'three'],
  ['preformatted text', '<pre>a\n  b\n\nc</pre>', 'a\n  b\n\nc'],
  ['less than', '1 < 2 and 3 <4', '1 < 2 and 3 <4'],
  ['pictures', '<img alt="👍" src="cid:x"> thanks', '👍 thanks'],
  ['an open tag at the end', 'text<a href="x', 'text'],
];
t.test('HTML becomes text', async (t) => {
  for (const [what, content, text] of HTML) t.equal((await parseMail(html(content))).text, text, what);
});

/** A PNG of this size, as far as its head says. */
const png = (width: number, height: number, bytes: number): Buffer => {
  const file = Buffer.alloc(bytes);
  Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1').copy(file);
  file.writeUInt32BE(width, 16);
  file.writeUInt32BE(height, 20);
  return file;
};

t.test('attachments and pictures are kept, what is only layout is not', async (t) => {
  const read = await parseMail(
    multipart('mixed', [
      part('text/html; charset=utf-8', '<p>See <img src="cid:photo"><img src="cid:dot"></p>'),
      part('image/png; name=photo.png', png(600, 400, 3000), 'Content-ID: <photo>', 'Content-Disposition: inline; filename=photo.png'),
      part('image/png', png(1, 1, 90), 'Content-ID: <dot>'),
      part('image/gif', Buffer.from('GIF89a\x01\0\x01\0', 'latin1'), 'Content-Disposition: attachment; filename=dot.gif'),
      part('application/pdf', '%PDF-1.7', "Content-Disposition: attachment; filename*=utf-8''..%2F%C3%BCbersicht.pdf"),
      part('application/octet-stream', '%PDF-1.7', 'Content-Disposition: attachment; filename=scan'),
      part('image/png', '<svg/>', 'Content-Disposition: attachment; filename=evil.png'),
      part('message/rfc822', 'From: a@example.com\r\nSubject: Inside\r\n\r\nHello'),
      part('text/calendar; method=REQUEST; charset=utf-8', 'BEGIN:VCALENDAR\r\nEND:VCALENDAR'),
      part('application/pkcs7-signature; name=smime.p7s', Buffer.from('x'), 'Content-Disposition: attachment; filename=smime.p7s'),
    ]),
  );
  t.equal(read.text, 'See');
  t.same(
    read.files.map(({ filename, mimeType }) => [filename, mimeType]),
    [
      ['photo.png', 'image/png'],
      ['dot.gif', 'image/gif'],
      ['.._übersicht.pdf', 'application/pdf'],
      ['scan', 'application/pdf'],
      ['evil.png', 'application/octet-stream'],
      ['message.eml', 'message/rfc822'],
      ['invite.ics', 'text/calendar'],
    ],
  );
});

t.test('contact cards, reactions and what cannot be read here', async (t) => {
  const vcard =
    'BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Ann\\, Lee\r\nORG:Riverside;Lending\r\nitem1.TEL;TYPE=CELL:+27 61\r\n  111\r\nEMAIL:ann@example.org\r\nEND:VCARD';
  const cards = await parseMail(multipart('mixed', [part('text/plain', 'Her card'), part('text/vcard; name=ann.vcf', vcard)]));
  t.same(cards.cards, [
    {
      name: { formatted_name: 'Ann, Lee' },
      phones: [{ phone: '+27 61 111' }],
      emails: [{ email: 'ann@example.org' }],
      org: { company: 'Riverside, Lending' },
    },
  ]);
  t.match(cards.files, [{ filename: 'ann.vcf', mimeType: 'text/vcard' }]);
  const reaction = part('text/vnd.google.email-reaction+json', '{"emoji":"\\ud83d\\udc4d","version":1}');
  t.match(await parseMail(multipart('alternative', [part('text/plain', 'Zoë reacted'), reaction])), { reaction: '👍', files: [] });
  const sealed: readonly (readonly [string, string])[] = [
    ['S/MIME', part('application/pkcs7-mime; smime-type=enveloped-data; name=smime.p7m', Buffer.from('x'))],
    ['PGP', `${part('application/pgp-encrypted', 'Version: 1')}\r\n--=_b1\r\n${part('application/octet-stream; name=encrypted.asc', 'x')}`],
    ['winmail.dat', part('application/ms-tnef; name=winmail.dat', Buffer.from('x'))],
  ];
  for (const [what, content] of sealed) {
    const read = await parseMail(multipart('mixed', [content]));
    t.equal(read.sealed, what);
    t.equal(read.files.length, 1, what);
  }
});

t.test('bad and large mails are read as far as possible', async (t) => {
  const latin = await parseMail(mail(['Subject: x', ...fromHeaders, 'Content-Type: text/plain; charset=x-unknown'], '', 'plain words'));
  t.equal(latin.text, 'plain words');
  const wrong = await parseMail(
    Buffer.concat([mail(['Content-Type: text/plain; charset=utf-8'], '', ''), Buffer.from([0xff, 0xfe, 0x41])]),
  );
  t.match(wrong.text, /A$/);
  const parts = Array.from({ length: 200 }, (_, i) =>
    part('text/plain', `part ${i}`, `Content-Disposition: attachment; filename=${i}.txt`),
  );
  const many = await parseMail(multipart('mixed', parts));
  t.match(many.cut, /more than 100 parts; more than 20 files/);
  t.equal(many.files.length, 20);
  t.equal(many.files[19]!.filename, '19.txt');
  const nested = Array.from({ length: 30 }, (_, i) => `Content-Type: multipart/mixed; boundary=b${i}\r\n\r\n--b${i}\r\n`).join('');
  const deep = await parseMail(Buffer.from(`Subject: Deep\r\nFrom: a@example.com\r\n${nested}\r\nhello`));
  t.match(deep, { subject: 'Deep', from: { address: 'a@example.com' }, cut: /nesting depth/i });
  const anonymous = await parseMail(Buffer.from('Subject: x\r\n\r\nhello'));
  t.match(anonymous, { hasOwnId: false, id: /^sha256\.[\da-f]{64}$/, text: 'hello' });
  t.equal(anonymous.from, undefined);
  t.equal((await parseMail(Buffer.from('Subject: x\r\n\r\nhello'))).id, anonymous.id);
  t.not((await parseMail(Buffer.from('Subject: x\r\n\r\nhullo'))).id, anonymous.id);
  t.match(await parseMail(new Uint8Array()), { subject: '', text: '', fullText: '', files: [] });
  t.match((await parseMail(plain('word '.repeat(40_000)))).cut, 'a longer text');
});
