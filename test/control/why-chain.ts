import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Tap } from '#core/testing';
import type { RecordKind } from '../../core/events/record-kinds.js';
import { commands } from '../../sandbox/commands.js';
import type { Answer, ControlledSandbox } from './sandbox-with-receiver.js';

export const CONTACT = '+27820001001';

// biome-ignore lint/suspicious/noExplicitAny: a test looks at any part of a response
export type Link = any;

/** Posts a message of the contact. @returns its id */
export async function say({ call, number }: ControlledSandbox, body: string, id = `in-${randomUUID()}`): Promise<string> {
  const message = { from: CONTACT, id, timestamp: '1767600000', type: 'text', text: { body } };
  const payload = { contact: { id: CONTACT, profile: { name: 'Ann' } }, message };
  const { status } = await call('POST', `/v1/numbers/${number}/messages`, { payload });
  if (status !== 200 && status !== 201) throw new Error(`the message was answered ${status}`);
  return id;
}

export const chainOf = async ({ admin }: ControlledSandbox, query: Record<string, string>): Promise<Answer> =>
  admin('GET', `/why?${new URLSearchParams(query)}`);

/** The chain of a message, once `isDone` accepts it. Every id in it leads to its record. */
export async function chainWhen(box: ControlledSandbox, message: string, isDone: (links: Link[]) => boolean): Promise<Link> {
  for (let left = 500; left > 0; left--) {
    const { body } = await chainOf(box, { message });
    if (isDone(body.links)) {
      await followIds(
        box,
        body.links.flatMap(({ ids }: Link) => ids),
      );
      return body;
    }
    await sleep(10);
  }
  throw new Error(`the chain of ${message} did not change: ${JSON.stringify((await chainOf(box, { message })).body)}`);
}

/** Sends messages of the channel to another endpoint. */
export async function setConnector({ admin, number, receiver }: ControlledSandbox, url: string): Promise<void> {
  const { webhooks } = (await admin('GET', `/webhooks?number=${number}`)).body;
  const { uuid } = webhooks.find(({ subscriptions }: Link) => subscriptions.includes('channel'));
  const { status } = await admin('PATCH', `/webhooks/${uuid}`, { url });
  if (status !== 200) throw new Error(`the endpoint ${url} instead of ${receiver.url} got ${status}`);
}

/** The admin route of a record. */
const routes: Readonly<Record<RecordKind, (id: string) => string>> = {
  call: (id) => `/calls/${id}`,
  message: (id) => `/messages/${id}`,
  conversation: (id) => `/conversations/${id}`,
  contact: (id) => `/contacts/${id}`,
  number: (id) => `/numbers/${id}`,
  journey: (id) => `/journeys/${id}`,
  session: (id) => `/sessions/${id}`,
  webhook: (id) => `/webhooks/${id}`,
  delivery: (id) => `/deliveries/${id}`,
  flow: (id) => `/flows/${id}`,
  advice: () => '/advice',
  integration: (id) => `/integrations/${id}`,
};

/** Reads the record of each id. @throws Error if there is none */
export async function followIds({ admin }: ControlledSandbox, ids: readonly { kind: RecordKind; id: string }[]): Promise<void> {
  for (const { kind, id } of ids) {
    const { status, body } = await admin('GET', routes[kind](encodeURIComponent(id)) as `/${string}`);
    if (status !== 200 || !JSON.stringify(body).includes(`"${id}"`)) throw new Error(`${kind} ${id} leads nowhere: ${status}`);
  }
}

/** Does what a fix says: its call with its body, and `more` where the fix cannot know it; or else its command. */
export async function apply(box: ControlledSandbox, fix: Link, more: object = {}): Promise<void> {
  if (fix.route === undefined) {
    const [npx, posthorn, name, ...argv] = fix.command.split(' ');
    if (npx !== 'npx' || posthorn !== 'posthorn') throw new Error(`no command of posthorn: ${fix.command}`);
    const { code } = await box.run(commands[name]!, ...argv);
    if (code !== 0) throw new Error(`${fix.command} exited with ${code}`);
    return;
  }
  const [method, path] = fix.route.split(' ');
  const payload = fix.body || Object.keys(more).length > 0 ? { ...fix.body, ...more } : undefined;
  const { status, body } = path.startsWith('/admin/v1')
    ? await box.admin(method, path.slice('/admin/v1'.length), payload)
    : await box.call(method, path, { payload });
  if (status >= 300) throw new Error(`${fix.route} got ${status}: ${JSON.stringify(body)}`);
}

export const isSettled = (links: Link[]): boolean => links.every(({ state }) => state !== 'waiting' && state !== 'unknown');
export const firstOf = ({ first, links }: { first: number | null; links: Link[] }): Link => (first === null ? null : links[first]);

export async function putJourney({ admin, number }: ControlledSandbox, name: string, triggers: object[], text = name): Promise<string> {
  const uuid = randomUUID();
  const notebook = `\`\`\`stack\ncard Hello do\n  ${text.includes('=') ? text : `text("${text}")`}\nend\n\`\`\`\n`;
  const put = await admin('PUT', `/journeys/${uuid}`, { number, name, notebook, triggers });
  const published = await admin('POST', `/journeys/${uuid}/publish`, { revision: 'production' });
  if (put.status !== 200 || published.status !== 200) throw new Error(JSON.stringify([put.body, published.body]));
  return uuid;
}

/** An endpoint that responds with this status. */
export async function endpoint(t: Tap, status: number, body = 'no', when: Promise<unknown> = Promise.resolve()): Promise<string> {
  const server = createServer((_, response) => void when.then(() => response.writeHead(status).end(body)));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
}
