import t from 'tap';
import { classify, type MailOrigin } from '../../../../plugins/email/content/classify.js';
import parseMail from '../../../../plugins/email/content/parse-mail.task.js';
import { complaint, exchangeBounce, gmailBounce, plain, postfixBounce, qmailBounce, receipt } from './mails.js';

const origin: MailOrigin = {
  own: ['support@riverside.example', 'help@riverside.example'],
  isOwnId: (id) => id.endsWith('@riverside.example'),
};
const classOf = async (raw: Uint8Array, about: Partial<MailOrigin> = {}) => classify(await parseMail(raw), { ...origin, ...about });

t.test('bounces in four dialects', async (t) => {
  t.same(await classOf(postfixBounce), {
    kind: 'bounce',
    ids: ['m.77@riverside.example'],
    reports: [
      {
        action: 'failed',
        status: '5.1.1',
        diagnostic: '550 5.1.1 <gone@example.com>: Recipient address rejected: User unknown',
      },
      { action: 'delayed', status: '4.4.1', diagnostic: '' },
    ],
  });
  t.match(await classOf(gmailBounce), {
    kind: 'bounce',
    ids: ['m.78@riverside.example'],
    reports: [{ action: 'failed', status: '5.1.1', diagnostic: /wasn't delivered/ }],
  });
  t.match(await classOf(exchangeBounce), {
    kind: 'bounce',
    ids: ['m.79@riverside.example'],
    reports: [{ action: 'failed', status: '5.1.10', diagnostic: /RESOLVER/ }],
  });
  t.match(await classOf(qmailBounce), {
    kind: 'bounce',
    ids: ['m.80@riverside.example'],
    reports: [{ action: 'failed', status: '5.1.1', diagnostic: /no mailbox here/ }],
  });
});

t.test('complaints and receipts', async (t) => {
  t.same(await classOf(complaint), { kind: 'complaint', ids: ['m.81@riverside.example'] });
  const notSpam = Buffer.from(Buffer.from(complaint).toString().replace('Feedback-Type: abuse', 'Feedback-Type: not-spam'));
  t.not((await classOf(notSpam)).kind, 'complaint');
  t.match(await classOf(receipt), {
    kind: 'receipt',
    ids: ['m.82@riverside.example', /./],
    isRead: true,
  });
});

t.test('mails of programs are auto-replies, those of people are not', async (t) => {
  const programs: readonly (readonly [header: string, why: RegExp, about?: Partial<MailOrigin>])[] = [
    ['Auto-Submitted: auto-replied', /^auto-submitted: auto-replied/],
    ['Auto-Submitted: auto-generated (vacation)', /^auto-submitted/],
    ['Return-Path: <>', /return-path/],
    ['X-Other: 1', /return-path/, { returnPath: '' }],
    ['Precedence: bulk', /^precedence/],
    ['Precedence: list', /^precedence/],
    ['List-Id: <news.example.com>', /^list-id/],
    ['X-Autoreply: yes', /^x-autoreply/],
    ['X-Autorespond: away', /^x-autorespond/],
    ['X-Auto-Response-Suppress: OOF, DR', /^x-auto-response/],
    ['X-Other: 1', /^from the own address/, { own: ['zoe.lee@example.com'] }],
    ['X-Other: 1', /^an own message-id/, { isOwnId: () => true }],
  ];
  for (const [header, why, about] of programs)
    t.match(await classOf(plain('I am away', header), about), { kind: 'auto-reply', why }, header);
  for (const name of ['noreply', 'No-Reply', 'do-not-reply', 'postmaster', 'MAILER-DAEMON']) {
    const raw = Buffer.from(`From: ${name}@example.com\r\nSubject: Hello\r\n\r\nHello`);
    t.match(await classOf(raw), { kind: 'auto-reply', why: /^from / }, name);
  }
  for (const header of [
    'Auto-Submitted: no',
    'Precedence: first-class',
    'Return-Path: <zoe.lee@example.com>',
    'X-Auto-Response-Suppress: OOF',
  ])
    t.same(await classOf(plain('Hello', header)), { kind: 'ordinary' }, header);
  t.same(await classOf(plain('Delivery has failed to these recipients or groups:\n\nann@example.com')), { kind: 'ordinary' });
});
