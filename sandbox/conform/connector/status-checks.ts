import { isSameUrl } from '../../client/channels.js';
import { type Check, expect } from '../check.js';
import type { Posted } from '../platform.js';
import type { Connector } from './connector.js';

const SECTION = 'Resources, outbound channel delivery status';
const DAY_S = 24 * 3_600;
const NEEDS = ['platform', 'token', 'C-17'];

/** Why the platform refused a post, for a sentence. */
const refusal = ({ status, error }: Posted): string => `status ${status}${error === null ? '' : `: ${error}`}`;
const withStatus = (posts: readonly Posted[], status: string): Posted[] => posts.filter(({ body }) => body.status?.status === status);
const statusesIn = (posts: readonly Posted[]): string =>
  posts.length === 0 ? 'no status' : `the statuses ${posts.map(({ body }) => body.status?.status ?? 'without a name').join(', ')}`;

/** The checks of what a connector posts about messages that it was sent. */
export const statusChecks: readonly Check<Connector>[] = [
  {
    id: 'C-40',
    level: 'MUST',
    section: 'Events, subscriptions',
    title: 'subscribes to channel only',
    sends: 'nothing; reads the webhooks of the channel',
    needs: ['platform'],
    fix: 'Remove the other subscriptions of this URL: they also fire for the events of the channel, which would arrive twice.',
    async run(subject) {
      const { webhooks } = await subject.platform!.admin(`/webhooks?number=${subject.channel}`);
      const mine = (webhooks as { url: string; subscriptions: string[] }[]).filter(({ url }) => isSameUrl(url, subject.url));
      const others = mine.flatMap(({ subscriptions }) => subscriptions).filter((word) => word !== subject.subscription());
      expect(others.length === 0, 'no other subscription than channel', `the subscriptions ${others.join(', ')}`);
    },
  },
  {
    id: 'C-41',
    level: 'MUST',
    section: 'Authentication, 3',
    title: 'reports statuses with the token of the channel',
    sends: 'a text through the platform',
    needs: NEEDS,
    fix: 'POST to /v1/numbers/<uuid of the channel>/statuses, with the token of the channel itself as bearer token.',
    async run(subject) {
      const { posts } = await subject.reported();
      expect(posts.length > 0, 'a status of the message', 'none');
      for (const posted of posts) expect(![401, 403, 404].includes(posted.status), 'a token and a path of the channel', refusal(posted));
    },
  },
  {
    id: 'C-42',
    level: 'MUST',
    section: SECTION,
    title: 'reports sent',
    sends: 'a text through the platform',
    needs: ['C-41'],
    fix: 'Report the status sent when your messaging service has accepted the message.',
    async run(subject) {
      const { posts } = await subject.reported();
      expect(withStatus(posts, 'sent').length > 0, 'the status sent', statusesIn(posts));
    },
  },
  {
    id: 'C-43',
    level: 'SHOULD',
    section: SECTION,
    title: 'reports delivered',
    sends: 'a text through the platform',
    needs: ['C-41'],
    fix: 'Report the status delivered when the message has reached the device, if your messaging service says so.',
    async run(subject) {
      const { posts } = await subject.reported();
      expect(withStatus(posts, 'delivered').length > 0, 'the status delivered', statusesIn(posts));
    },
  },
  {
    id: 'C-44',
    level: 'MUST',
    section: SECTION,
    title: 'reports timestamps as texts of Unix seconds',
    sends: 'a text through the platform',
    needs: ['C-41'],
    fix: 'Send the seconds since 1970 as a text: "1767600000". Milliseconds and numbers are wrong.',
    async run(subject) {
      for (const { body } of (await subject.reported()).posts) expectRecent(body.status?.timestamp);
    },
  },
  {
    id: 'C-45',
    level: 'MUST',
    section: SECTION,
    title: 'reports the recipient of the message',
    sends: 'a text through the platform',
    needs: ['C-41'],
    implies: ['C-46'],
    fix: 'Set recipient_id to the value of to in the delivery.',
    async run(subject) {
      const { posts, to } = await subject.reported();
      for (const { body } of posts) {
        const { recipient_id: recipient } = body.status ?? {};
        expect(recipient === to, `the recipient_id ${to}`, JSON.stringify(recipient) ?? 'none');
      }
    },
  },
  {
    id: 'C-46',
    level: 'MUST',
    section: SECTION,
    title: 'reports statuses that the platform accepts',
    sends: 'a text through the platform',
    needs: ['C-41'],
    fix: 'Post {"status": {"id": …, "recipient_id": …, "status": …, "timestamp": …}}; all are texts, and the id is the one that you returned.',
    async run(subject) {
      const { posts } = await subject.reported();
      expect(posts.length > 0, 'at least one status', 'none');
      for (const posted of posts) expect(posted.status < 300, 'statuses that the platform accepts', refusal(posted));
    },
  },
  {
    id: 'C-47',
    level: 'MUST',
    section: 'Endpoints, Channel API',
    title: 'does not post messages to contacts back as messages of contacts',
    sends: 'a text through the platform',
    needs: ['C-41'],
    fix: 'Post only messages that contacts write. A journey would respond to a message that comes back, in an endless loop.',
    async run(subject) {
      const { to } = await subject.reported();
      const [echo] = await subject.postsOf(
        'messages',
        ({ body }) => body.message?.from === to,
        () => true,
      );
      expect(echo === undefined, 'no inbound message from the recipient', () => JSON.stringify(echo?.body.message).slice(0, 200));
    },
  },
  {
    id: 'C-48',
    level: 'SHOULD',
    section: 'States, delivery status of a sent message',
    title: 'keeps the order of messages to a contact',
    sends: 'three texts through the platform to one contact',
    needs: ['C-42', 'C-46'],
    fix: 'Queue messages per contact, and send the next one when the previous one was accepted.',
    async run(subject) {
      const to = subject.contact();
      const ids: string[] = [];
      for (const n of [1, 2, 3]) {
        await subject.send(to, `Number ${n} of three`);
        const found = await subject.postsOf('statuses', isSentTo(to), (found) => found.length >= n);
        const id: string | undefined = found.map(({ body }) => body.status.id).find((id) => !ids.includes(id));
        expect(id !== undefined, `the status sent of message ${n}`, statusesIn(found));
        ids.push(id);
      }
      const times = (await subject.postsOf('statuses', isSentTo(to), () => true)).map(({ body }) => [
        body.status.id,
        Number(body.status.timestamp),
      ]);
      const inOrder = ids.map((id) => Number(times.find(([known]) => known === id)?.[1]));
      const isSorted = inOrder.every((time, i) => i === 0 || time >= inOrder[i - 1]!);
      expect(isSorted, 'timestamps of sent in the order of the messages', inOrder.join(', '));
    },
  },
];

const isSentTo =
  (to: string) =>
  ({ body }: Posted): boolean =>
    body.status?.recipient_id === to && body.status.status === 'sent';

/** @throws CheckFailed unless the value is a text of Unix seconds within a day of now */
export function expectRecent(value: unknown): void {
  const isSeconds = typeof value === 'string' && /^\d{1,12}$/.test(value);
  expect(isSeconds, 'a timestamp as a text of Unix seconds', JSON.stringify(value) ?? 'none');
  const now = Math.floor(Date.now() / 1000);
  expect(Math.abs(Number(value) - now) <= DAY_S, `a timestamp within a day of ${now}`, value);
}
