import { type Check, expect } from '../check.js';
import type { ContactAction } from '../contact.js';
import type { Posted } from '../platform.js';
import { OPTIONS } from '../turns.js';
import type { Connector } from './connector.js';
import { expectRecent } from './status-checks.js';

const SECTION = 'Resources, inbound channel message';
const CORRELATION = 'Resources, reply correlation';
const NEEDS = ['platform', 'contact'];

const shown = (value: unknown): string => (value === undefined ? 'none' : JSON.stringify(value).slice(0, 200));

/** Lets the contact write, and returns the message that the connector posts. */
async function written(subject: Connector, action: ContactAction, isIt: (message: Posted['body']) => boolean): Promise<Posted> {
  const posted = await subject.inbound(action, isIt);
  expect(posted !== undefined, 'a POST to /v1/numbers/<uuid>/messages', 'none');
  return posted;
}

const hi = (subject: Connector, from: string): Promise<Posted> =>
  written(subject, { from, text: 'hi' }, (message) => /^\s*hi\s*$/i.test(message.text?.body ?? ''));

/** The first 'hi' of the run, for all checks that look at it: a person writes it once. */
const greeting = (subject: Connector): Promise<Posted> => subject.once('greeting', () => hi(subject, subject.actor()));

/** Asks a question, lets the contact tap the first option, and returns the reply with the id of the question. */
async function tapped(subject: Connector, kind: 'button' | 'list'): Promise<{ reply: Posted['body']; question: string }> {
  const { from, id: question } = await subject.ask(kind);
  const { body } = await written(subject, { from, tap: OPTIONS[0].title }, (message) => message.type === 'interactive');
  return { reply: body.message ?? {}, question };
}

const echo = (id: string, kind: 'button' | 'list', name: string): Check<Connector> => ({
  id,
  level: 'MUST',
  section: CORRELATION,
  title: `posts a tap on ${name} as ${kind}_reply with its id and title`,
  sends: `${name}, then lets the contact tap the first one`,
  needs: ['C-51', 'C-17'],
  fix: `Post type interactive with interactive.type ${kind}_reply, and in ${kind}_reply the id and title that the delivery had.`,
  async run(subject) {
    const { reply } = await tapped(subject, kind);
    const { type, [`${kind}_reply`]: got } = reply.interactive ?? {};
    const isEcho = type === `${kind}_reply` && got?.id === OPTIONS[0].id && got?.title === OPTIONS[0].title;
    expect(isEcho, `${kind}_reply ${JSON.stringify(OPTIONS[0])}`, shown(reply.interactive ?? reply));
  },
});

const media = (id: string, type: string, fields: Readonly<Record<string, string>>, required: readonly string[]): Check<Connector> => ({
  id,
  level: 'SHOULD',
  section: SECTION,
  title: `posts ${type} messages with ${required.join(', ')}`,
  sends: `nothing; lets the contact send a message of type ${type}`,
  needs: ['C-51'],
  fix: `Post the object ${type} with ${required.join(', ')}, all texts.`,
  async run(subject) {
    const message = { type, [type]: { ...fields, link: (await subject.media()).valid } };
    const { body, status, error } = await written(subject, { from: subject.actor(), message }, (message) => message.type === type);
    const posted = body.message?.[type];
    const lacks = required.filter((field) => typeof posted?.[field] !== 'string' || posted[field] === '');
    expect(body.message?.type === type && lacks.length === 0, `a message of type ${type} with ${required.join(', ')}`, shown(body.message));
    expect(status < 300, 'a message that the platform accepts', `status ${status}: ${error}`);
  },
});

const reports = (id: string, status: 'read' | 'failed', fix: string): Check<Connector> => ({
  id,
  level: 'SHOULD',
  section: 'States, delivery status of a sent message',
  title: `reports ${status}`,
  sends: `a text through the platform, then lets its status become ${status}`,
  needs: ['contact', 'C-42', 'C-46'],
  fix,
  async run(subject) {
    const from = subject.actor();
    // Through the platform, because it refuses statuses of messages that it did not send.
    await subject.send(from, `To be ${status}`);
    const isSent = ({ body }: Posted): boolean => body.status?.recipient_id === from && body.status.status === 'sent';
    const sent = (await subject.postsOf('statuses', isSent, (found) => found.length > 0)).at(-1);
    expect(sent !== undefined, `the status sent of a message to ${from}`, 'none');
    const message: string = sent.body.status.id;
    const failure = await subject.side!.act({ from, status, id: message });
    const posted = await subject.statusOf(message, status);
    expect(posted !== undefined, `the status ${status} of ${message}`, failure ?? 'none');
    expectRecent(posted.body.status.timestamp);
  },
});

const SHA = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08';

/** The checks of what a connector posts for contacts. They need a driver, or a person. */
export const inboundChecks: readonly Check<Connector>[] = [
  {
    id: 'C-49',
    level: 'MUST',
    section: SECTION,
    title: 'posts the text that a contact writes',
    sends: "nothing; lets the contact write 'hi'",
    needs: NEEDS,
    fix: 'POST {"contact": {…}, "message": {"type": "text", "text": {"body": "hi"}, …}} to /v1/numbers/<uuid of the channel>/messages.',
    async run(subject) {
      await greeting(subject);
    },
  },
  {
    id: 'C-50',
    level: 'MUST',
    section: 'Authentication, 3',
    title: 'posts messages with the token of the channel',
    sends: "nothing; lets the contact write 'hi'",
    needs: ['C-49'],
    fix: 'Use the token of the channel, not that of the number that created it, and the uuid of the channel in the path.',
    async run(subject) {
      const { status } = await greeting(subject);
      expect(![401, 403, 404].includes(status), 'a token and a path of the channel', `status ${status} of the platform`);
    },
  },
  {
    id: 'C-51',
    level: 'MUST',
    section: SECTION,
    title: 'posts messages that the platform accepts',
    sends: "nothing; lets the contact write 'hi'",
    needs: ['C-50'],
    fix: 'Every field of contact and message is required: contact.id, contact.profile.name, message.type, from, id and timestamp.',
    async run(subject) {
      const { status, error } = await greeting(subject);
      expect(status < 300, 'a message that the platform accepts', `status ${status}: ${error}`);
    },
  },
  {
    id: 'C-52',
    level: 'MUST',
    section: SECTION,
    title: 'posts the text unchanged',
    sends: 'nothing; lets the contact write a text with letters, emoji and a line break',
    needs: ['C-51'],
    fix: 'Pass the text of the contact on without trimming, escaping or changing its encoding.',
    async run(subject) {
      const text = subject.side!.isPerson ? 'Dobrý den 👋' : 'Dobrý den 👋\nfrom <Ann> & "Bo"';
      const { body } = await written(subject, { from: subject.actor(), text }, (message) => message.type === 'text');
      expect(body.message?.text?.body === text, `the text ${JSON.stringify(text)}`, shown(body.message?.text ?? body.message));
    },
  },
  {
    id: 'C-53',
    level: 'MUST',
    section: SECTION,
    title: 'posts the id of the contact as contact.id and from',
    sends: "nothing; lets the contact write 'hi'",
    needs: ['C-51'],
    fix: 'Set message.from and contact.id to the same id of the user; replies are sent to it.',
    async run(subject) {
      const { contact, message } = (await greeting(subject)).body;
      expect(
        contact?.id === message?.from,
        'the same text in contact.id and message.from',
        `${shown(contact?.id)} and ${shown(message?.from)}`,
      );
    },
  },
  {
    id: 'C-54',
    level: 'MUST',
    section: SECTION,
    title: 'posts timestamps as texts of Unix seconds',
    sends: "nothing; lets the contact write 'hi'",
    needs: ['C-51'],
    fix: 'Send the time at which the contact wrote, in seconds since 1970, as a text: "1767600000".',
    run: async (subject) => expectRecent((await greeting(subject)).body.message?.timestamp),
  },
  {
    id: 'C-55',
    level: 'MUST',
    section: SECTION,
    title: 'gives each message of a contact its own id',
    sends: "nothing; lets the contact write 'hi' twice",
    needs: ['C-51'],
    fix: 'Set message.id to the unique id of the message in your messaging service. The platform drops a message whose id it knows.',
    async run(subject) {
      const from = subject.actor();
      const ids = [(await hi(subject, from)).body.message?.id, (await hi(subject, from)).body.message?.id];
      expect(ids[0] !== ids[1], 'two different ids', `${shown(ids[0])} twice`);
    },
  },
  echo('C-56', 'button', 'quick reply buttons'),
  echo('C-57', 'list', 'a list'),
  {
    id: 'C-58',
    level: 'MUST',
    section: CORRELATION,
    title: 'posts replies to buttons with the id of the question in context.id',
    sends: 'quick reply buttons, then lets the contact tap the first one',
    needs: ['C-56'],
    fix: 'Set message.context.id to the id that you returned for the message with the buttons. Never invent ids.',
    async run(subject) {
      const { reply, question } = await tapped(subject, 'button');
      expect(reply.context?.id === question, `context.id ${question}`, shown(reply.context));
    },
  },
  {
    id: 'C-59',
    level: 'MUST',
    section: CORRELATION,
    title: 'posts replies to lists with the id of the question in context.id',
    sends: 'a list, then lets the contact tap the first row',
    needs: ['C-57'],
    fix: 'Set message.context.id to the id that you returned for the message with the list. Never invent ids.',
    async run(subject) {
      const { reply, question } = await tapped(subject, 'list');
      expect(reply.context?.id === question, `context.id ${question}`, shown(reply.context));
    },
  },
  {
    id: 'C-60',
    level: 'MUST',
    section: CORRELATION,
    title: 'posts quoted replies with the id of the quoted message in context.id',
    sends: 'a signed text, then lets the contact quote it',
    needs: ['C-51', 'C-17'],
    fix: 'Set message.context.id to the id that you returned for the quoted message. A journey that has expired is resumed by it.',
    async run(subject) {
      const { from, id } = await subject.ask('text');
      const { body } = await written(subject, { from, text: 'Yes', quote: id }, (message) => message.context !== undefined);
      expect(body.message?.context?.id === id, `context.id ${id}`, shown(body.message?.context));
    },
  },
  media('C-61', 'image', { id: 'conformance-image', mime_type: 'image/png', sha256: SHA }, ['id', 'mime_type', 'link', 'sha256']),
  media('C-62', 'audio', { id: 'conformance-audio', mime_type: 'audio/ogg' }, ['id', 'mime_type']),
  media('C-63', 'document', { id: 'conformance-file', mime_type: 'application/pdf', sha256: SHA, filename: 'loans.pdf' }, [
    ...['id', 'mime_type', 'link', 'sha256', 'filename'],
  ]),
  reports('C-64', 'read', 'Report the status read when the contact has seen the message, if your messaging service says so.'),
  reports('C-65', 'failed', 'Report the status failed when the message cannot be delivered; add errors beside status to say why.'),
];
