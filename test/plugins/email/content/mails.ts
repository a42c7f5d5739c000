/** Mails as programs write them: the structure is theirs, the words are ours. */

const QUESTION = 'When does the reading room open on Saturday?';

/** A mail with these headers and body; a body has its own type. */
export const mail = (headers: readonly string[], ...body: readonly string[]): Uint8Array =>
  Buffer.from([...headers, ...(body.length > 0 ? body : ['', ''])].join('\r\n'), 'utf8');

const from = [
  'From: =?utf-8?Q?Zo=C3=AB?= Lee <Zoe.Lee@Example.com>',
  'To: Riverside Library <support@riverside.example>',
  'Date: Mon, 30 Nov 2026 09:15:00 +0200',
  'Message-ID: <reply-1@mail.example.com>',
  'In-Reply-To: <m.1b9d@riverside.example>',
  'References: <first@mail.example.com> <m.1b9d@riverside.example>',
  'MIME-Version: 1.0',
];

export const plain = (text: string, ...headers: readonly string[]): Uint8Array =>
  mail(['Subject: Re: Opening hours', ...from, 'Content-Type: text/plain; charset=utf-8', ...headers], '', text.replace(/\n/g, '\r\n'));

export const html = (content: string, subject = 'Re: Opening hours'): Uint8Array =>
  mail([`Subject: ${subject}`, ...from, 'Content-Type: text/html; charset=utf-8'], '', content);

/** A part of a mail in several parts. */
export const part = (type: string, content: string | Uint8Array, ...headers: readonly string[]): string =>
  typeof content === 'string'
    ? [`Content-Type: ${type}`, ...headers, '', content].join('\r\n')
    : [`Content-Type: ${type}`, 'Content-Transfer-Encoding: base64', ...headers, '', Buffer.from(content).toString('base64')].join('\r\n');

export const multipart = (type: string, parts: readonly string[], headers: readonly string[] = from): Uint8Array =>
  mail(
    ['Subject: Re: Opening hours', ...headers, `Content-Type: multipart/${type}; boundary="=_b1"`],
    '',
    ...parts.flatMap((one) => ['--=_b1', one]),
    '--=_b1--',
    '',
  );

export const fromHeaders = from;

/** Answers, each with what its sender has written. */
export const answers: Readonly<Record<string, { readonly raw: Uint8Array; readonly text: string }>> = {
  'Gmail in English': {
    raw: plain(
      `Thank you, I will come at ten.\n\nOn Mon, Nov 30, 2026 at 9:12 AM Riverside Library <support@riverside.example>\nwrote:\n\n> ${QUESTION}\n> Please answer.\n`,
    ),
    text: 'Thank you, I will come at ten.',
  },
  'Gmail in German': {
    raw: plain(
      `Danke, das passt mir gut.\n\nAm Mo., 30. Nov. 2026 um 09:12 Uhr schrieb Riverside Library <\nsupport@riverside.example>:\n\n> ${QUESTION}\n`,
    ),
    text: 'Danke, das passt mir gut.',
  },
  'Gmail in French': {
    raw: plain(
      `Merci, à samedi.\n\nLe lun. 30 nov. 2026 à 09:12, Riverside Library <support@riverside.example> a\nécrit :\n\n> ${QUESTION}\n`,
    ),
    text: 'Merci, à samedi.',
  },
  'Gmail in Chinese': {
    raw: plain(`谢谢，星期六见。\n\nRiverside Library <support@riverside.example> 于2026年11月30日周一 09:12写道：\n\n> ${QUESTION}\n`),
    text: '谢谢，星期六见。',
  },
  'Gmail as HTML': {
    raw: html(
      `<div dir="ltr">Thank you.<div><br></div><div>See <a href="https://example.com/map">the map</a> &amp; come.</div></div><br><div class="gmail_quote gmail_quote_container"><div dir="ltr" class="gmail_attr">On Mon, Nov 30, 2026 at 9:12 AM Riverside Library &lt;<a href="mailto:support@riverside.example">support@riverside.example</a>&gt; wrote:<br></div><blockquote class="gmail_quote" style="margin:0 0 0 0.8ex"><div>${QUESTION}</div></blockquote></div>`,
    ),
    text: 'Thank you.\n\nSee the map (https://example.com/map) & come.',
  },
  'Gmail as HTML, with answers between the quotes': {
    raw: html(
      `<div class="gmail_quote"><div class="gmail_attr">On Monday the library wrote:</div><blockquote class="gmail_quote">${QUESTION}</blockquote><div>At nine, I think.</div><blockquote class="gmail_quote">And on Sunday?</blockquote><div>Closed.</div></div>`,
    ),
    text: 'At nine, I think.\n\nClosed.',
  },
  'Outlook on the desktop': {
    raw: plain(
      `I can come on Saturday.\n\nZoë\n\nFrom: Riverside Library <support@riverside.example>\nSent: Monday, November 30, 2026 9:12 AM\nTo: Zoë Lee <zoe.lee@example.com>\nSubject: Opening hours\n\n${QUESTION}\n`,
    ),
    text: 'I can come on Saturday.\n\nZoë',
  },
  'Outlook in German, without addresses': {
    raw: plain(
      `Samstag passt.\n\n________________________________\nVon: Riverside Library\nGesendet: Montag, 30. November 2026 09:12\nAn: Zoë Lee\nBetreff: Opening hours\n\n${QUESTION}\n`,
    ),
    text: 'Samstag passt.',
  },
  'Outlook as HTML': {
    raw: html(
      `<html><head><style>p.MsoNormal{margin:0}</style></head><body><div class="elementToProof">Saturday it is.</div><div id="appendonsend"></div><hr style="width:98%"><div id="divRplyFwdMsg"><b>From:</b> Riverside Library<br><b>Sent:</b> Monday</div><div>${QUESTION}</div></body></html>`,
    ),
    text: 'Saturday it is.',
  },
  'Apple Mail as HTML': {
    raw: html(
      `<html><body style="word-wrap: break-word;">Fine with me.<div><br><blockquote type="cite"><div>On 30 Nov 2026, at 09:12, Riverside Library &lt;support@riverside.example&gt; wrote:</div><br class="Apple-interchange-newline"><div>${QUESTION}</div></blockquote></div><br></body></html>`,
    ),
    text: 'Fine with me.',
  },
  'Thunderbird, below the quote': {
    raw: plain(
      `On 30/11/2026 09:12, Riverside Library wrote:\n> ${QUESTION}\n\nAt nine, please.\n\n-- \nZoë Lee\nChair of the reading circle\n`,
    ),
    text: 'At nine, please.',
  },
  'Thunderbird as HTML': {
    raw: html(
      `<html><body><p>Agreed.</p><div class="moz-cite-prefix">On 30/11/2026 09:12, Riverside Library wrote:<br></div><blockquote type="cite" cite="mid:m.1b9d@riverside.example">${QUESTION}</blockquote><div class="moz-signature">-- <br>Zoë</div></body></html>`,
    ),
    text: 'Agreed.',
  },
  'answers between the quotes': {
    raw: plain(`On 30/11/2026 09:12, Riverside Library wrote:\n> ${QUESTION}\n\nAt nine.\n\n> And on Sunday?\n\nClosed, sadly.\n`),
    text: 'At nine.\n\nClosed, sadly.',
  },
  'a phone': {
    raw: plain(
      `Yes please\n\nSent from my iPhone\n\n> On 30 Nov 2026, at 09:12, Riverside Library <support@riverside.example> wrote:\n> \n> ${QUESTION}\n`,
    ),
    text: 'Yes please',
  },
  'nothing but a quote': { raw: plain(`> ${QUESTION}\n`), text: `> ${QUESTION}` },
  'format=flowed': {
    raw: mail(
      ['Subject: Hello', ...from, 'Content-Type: text/plain; charset=utf-8; format=flowed'],
      '',
      'This line goes on \r\nwithout a break.\r\n\r\n> A quote that \r\n> goes on.\r\n',
    ),
    text: 'This line goes on without a break.',
  },
};

/** A bounce in the form of RFC 3464, as Postfix writes it. */
export const postfixBounce = multipart(
  'report; report-type=delivery-status',
  [
    part('text/plain', 'This is the mail system at host mx.example.com.\r\n\r\nI could not deliver your message.'),
    part(
      'message/delivery-status',
      [
        'Reporting-MTA: dns; mx.example.com',
        'Arrival-Date: Mon, 30 Nov 2026 09:15:00 +0200',
        '',
        'Final-Recipient: rfc822; Gone@Example.com',
        'Original-Recipient: rfc822;gone@example.com',
        'Action: failed',
        'Status: 5.1.1',
        'Diagnostic-Code: smtp; 550 5.1.1 <gone@example.com>: Recipient address',
        '    rejected: User unknown',
        '',
        'Final-Recipient: rfc822; later@example.com',
        'Action: delayed',
        'Status: 4.4.1',
        '',
      ].join('\r\n'),
    ),
    part('text/rfc822-headers', 'From: support@riverside.example\r\nMessage-ID:\r\n <m.77@riverside.example>\r\nSubject: Your loan\r\n'),
  ],
  ['From: MAILER-DAEMON@mx.example.com', 'To: bounce+1@riverside.example', 'Auto-Submitted: auto-replied', 'MIME-Version: 1.0'],
);

export const gmailBounce = mail(
  [
    'Subject: Delivery Status Notification (Failure)',
    'From: Mail Delivery Subsystem <mailer-daemon@googlemail.com>',
    'To: support@riverside.example',
    'X-Failed-Recipients: gone@example.com',
    'In-Reply-To: <m.78@riverside.example>',
    'Content-Type: text/plain; charset=utf-8',
  ],
  '',
  "Address not found\r\n\r\nYour message wasn't delivered to gone@example.com because the address couldn't be found.\r\n\r\n550 5.1.1 The email account that you tried to reach does not exist.",
);

export const exchangeBounce = mail(
  [
    'Subject: Undeliverable: Your loan',
    'From: postmaster@contoso.example',
    'To: support@riverside.example',
    'Content-Type: text/plain; charset=utf-8',
  ],
  '',
  [
    'Delivery has failed to these recipients or groups:',
    '',
    'Gone@contoso.example (Gone@contoso.example)',
    'The email address you entered could not be found.',
    '',
    'Diagnostic information for administrators:',
    '#550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient not found by SMTP address lookup ##',
    '',
    'Original message headers:',
    '',
    'Message-ID: <m.79@riverside.example>',
  ].join('\r\n'),
);

export const qmailBounce = mail(
  ['Subject: failure notice', 'From: MAILER-DAEMON@q.example', 'To: support@riverside.example', 'Content-Type: text/plain'],
  '',
  [
    'Hi. This is the qmail-send program at q.example.',
    "I'm afraid I wasn't able to deliver your message to the following addresses.",
    '',
    '<gone@q.example>:',
    'Sorry, no mailbox here by that name. (#5.1.1)',
    '',
    '--- Below this line is a copy of the message.',
    '',
    'Return-Path: <support@riverside.example>',
    'Message-ID: <m.80@riverside.example>',
    'To: other@q.example',
  ].join('\r\n'),
);

export const complaint = multipart(
  'report; report-type=feedback-report',
  [
    part('text/plain', 'This is an abuse report for a message.'),
    part(
      'message/feedback-report',
      'Feedback-Type: abuse\r\nUser-Agent: Loop/1.0\r\nVersion: 1\r\nOriginal-Rcpt-To: <angry@example.com>\r\nArrival-Date: Mon, 30 Nov 2026 09:15:00 +0200\r\n',
    ),
    part('message/rfc822', 'From: support@riverside.example\r\nTo: angry@example.com\r\nMessage-ID: <m.81@riverside.example>\r\n\r\nHello'),
  ],
  ['From: feedback@isp.example', 'To: abuse@riverside.example', 'MIME-Version: 1.0'],
);

export const receipt = multipart(
  'report; report-type=disposition-notification',
  [
    part('text/plain', 'Your message was read.'),
    part(
      'message/disposition-notification',
      'Final-Recipient: rfc822;zoe.lee@example.com\r\nOriginal-Message-ID: <m.82@riverside.example>\r\nDisposition: manual-action/MDN-sent-manually; displayed\r\n',
    ),
  ],
  fromHeaders,
);
