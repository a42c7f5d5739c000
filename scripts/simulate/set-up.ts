import { Receiver } from './receiver.js';
import type { Run } from './run.js';

/** Messages in a page. */
const PAGE = 100;

/** A number that a feature uses. */
export interface UsedNumber {
  readonly uuid: string;
  readonly token: string;
}

/** Creates a channel whose connector is a receiver, and a token of the channel. */
export async function createChannel(run: Run, address: string, connector: Receiver): Promise<UsedNumber & { readonly webhook: string }> {
  const { number, webhook } = await run.admin('POST', '/channels', { from_addr: address, name: address, endpoint: connector.url });
  connector.secrets!.add(webhook.hmac_secret);
  return { uuid: number.uuid, webhook: webhook.uuid, token: await createToken(run, number.uuid) };
}

/** Creates a number of the network that the platform itself simulates, and a token of it. */
export async function createNetworkNumber(run: Run, address: string): Promise<UsedNumber> {
  const { number } = await run.admin('POST', '/numbers', { kind: 'network', address, name: address, account: 'acme' });
  return { uuid: number.uuid, token: await createToken(run, number.uuid) };
}

async function createToken(run: Run, number: string): Promise<string> {
  return (await run.admin('POST', `/numbers/${number}/tokens`, { name: 'simulation' })).text;
}

/** Creates a webhook of a number. @param accept called for each request that its receiver accepts */
export async function subscribe(
  run: Run,
  number: string,
  host: string,
  subscriptions: readonly string[],
  accept: ConstructorParameters<typeof Receiver>[2] = () => undefined,
): Promise<{ readonly receiver: Receiver; readonly uuid: string }> {
  const receiver = new Receiver(run, host, accept);
  const { webhook, hmac_secret } = await run.admin('POST', '/webhooks', { number, url: receiver.url, name: host, subscriptions });
  receiver.secrets!.add(hmac_secret);
  return { receiver, uuid: webhook.uuid };
}

/** All messages of a number, as the admin API shows them. */
// biome-ignore lint/suspicious/noExplicitAny: the workload reads any field
export async function storedMessages(run: Run, number: string): Promise<any[]> {
  return [...(await storedConversations(run, number)).values()].flat();
}

/** The messages of each contact of a number, newest first, by the uuid of the contact. */
// biome-ignore lint/suspicious/noExplicitAny: the workload reads any field
export async function storedConversations(run: Run, number: string): Promise<Map<string, any[]>> {
  const all = new Map<string, unknown[]>();
  for (let before: string | undefined; ; ) {
    const query = `number=${number}&limit=500${before === undefined ? '' : `&before=${before}`}`;
    const { conversations } = await run.admin('GET', `/conversations?${query}`);
    for (const { conversation, contact } of conversations) all.set(contact.uuid, await messagesOf(run, conversation.uuid));
    if (conversations.length < 500) return all;
    before = conversations.at(-1).conversation.updated_at;
  }
}

async function messagesOf(run: Run, conversation: string): Promise<unknown[]> {
  const all: { readonly position: number }[] = [];
  for (;;) {
    const before = all.length === 0 ? '' : `&before=${all.at(-1)!.position}`;
    const { messages } = await run.admin('GET', `/conversations/${conversation}/messages?limit=${PAGE}${before}`);
    all.push(...messages);
    if (messages.length < PAGE) return all;
  }
}
