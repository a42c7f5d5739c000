import { randomUUID } from 'node:crypto';
import { adminGet, adminSend, adminUpload, reasonIn, SandboxUnreachable } from '../client/admin-client.js';
import { CHANNEL_TYPE, channelsOf } from '../client/channels.js';
import { clockView } from '../client/clock.js';
import type { RunFile } from '../client/run-file.js';
import { UsageError } from '../terminal/flags.js';
import { type ContactMessage, summaryOf } from './contact-message.js';

interface Number {
  readonly uuid: string;
  readonly kind: string;
  readonly type: string;
  readonly address: string;
}

/** The kinds of messages that channels receive. Network numbers receive all kinds. */
const channelKinds: readonly ContactMessage['kind'][] = ['text', 'image', 'document', 'audio', 'video', 'sticker', 'button', 'list'];

/** The sender of a message, and the message that it quotes. */
export interface Sender {
  readonly from: string;
  readonly name?: string | undefined;
  /** The id of the message to quote or react to; `last` is the newest message from the number to this contact. */
  readonly quote?: string | undefined;
}

/** Sends messages of contacts to one number. */
export interface Phone {
  /** @returns the id of the received message */
  write(message: ContactMessage, sender: Sender, signal: AbortSignal): Promise<string>;
}

/** Returns the phone that writes to a number, by default to the demo's channel. @throws UsageError when the number cannot receive this kind of message */
export async function phoneFor(run: RunFile, addressOrUuid: string | undefined, kind: ContactMessage['kind']): Promise<Phone> {
  const { numbers } = (await adminGet(run, '/numbers')) as { numbers: Number[] };
  const isOnNetwork = ({ type }: Number): boolean => type === 'network' || type === 'sandbox';
  const first = numbers.find(({ type }) => type === CHANNEL_TYPE);
  const isDemo = run.phone !== undefined && (await channelsOf(run)).some((channel) => channel.number.uuid === first?.uuid);
  const demo = isDemo ? first : undefined;
  const number =
    addressOrUuid === undefined
      ? (demo ?? numbers.find(isOnNetwork))
      : numbers.find(({ uuid, address }) => addressOrUuid === uuid || addressOrUuid === address);
  if (!number) {
    const known = numbers.map(({ address }) => address).join(', ');
    throw new UsageError(
      addressOrUuid === undefined
        ? 'the sandbox has no number to write to'
        : `number ${addressOrUuid} not found; existing numbers: ${known || 'none'}`,
    );
  }
  if (isOnNetwork(number)) return networkPhone(run, number);
  if (number.type !== CHANNEL_TYPE)
    throw new UsageError(`${number.address} is a channel of a plugin for ${number.type}: its contacts write to a route of the plugin`);
  if (!channelKinds.includes(kind)) {
    const networkNumbers = numbers.filter(isOnNetwork).map(({ address }) => address);
    const instead =
      networkNumbers.length > 0 ? `${networkNumbers.join(' and ')} can: --number ${networkNumbers[0]}` : 'no number of this sandbox can';
    throw new UsageError(`${number.address} is a channel and cannot receive a ${kind}; ${instead}`);
  }
  const direct = connectorPhone(run, number);
  return run.phone === undefined || number.uuid !== demo?.uuid ? direct : examplePhone(run, number, { url: run.phone, direct });
}

function networkPhone(run: RunFile, { uuid }: Number): Phone {
  const part = async (message: ContactMessage, { from, quote }: Sender): Promise<object> => {
    if (message.kind === 'text') return { type: 'text', text: { body: message.text } };
    if ('title' in message) return tap(message.kind === 'button' ? 'button_reply' : 'list_reply', { title: message.title });
    if (message.kind === 'location') return { type: 'location', location: locationOf(message) };
    if (message.kind === 'contact') {
      return { type: 'contacts', contacts: [{ name: { formatted_name: message.name }, phones: [{ phone: message.phone, type: 'CELL' }] }] };
    }
    if (message.kind === 'reaction') {
      const message_id = await resolveQuote(run, uuid, from, quote ?? 'last');
      return { type: 'reaction', reaction: { message_id, ...(message.emoji && { emoji: message.emoji }) } };
    }
    if (message.kind === 'flow')
      return { type: 'interactive', interactive: { type: 'nfm_reply', nfm_reply: { response: message.response } } };
    const { media } = await upload(run, uuid, message.file);
    const { kind, caption, file } = message;
    return { type: kind, [kind]: { id: media.id, ...(caption && { caption }), ...(kind === 'document' && { filename: file.name }) } };
  };
  return {
    async write(message, sender) {
      const { from, name, quote } = sender;
      const context = quote !== undefined && message.kind !== 'reaction' && { context: { id: await resolveQuote(run, uuid, from, quote) } };
      const payload = { from, ...(name !== undefined && { name }), ...(await part(message, sender)), ...context };
      const sent = (await adminSend(run, 'POST', `/network/numbers/${uuid}/messages`, payload)) as { message: { external_id: string } };
      return sent.message.external_id;
    },
  };
}

const tap = (type: string, option: Option) => ({ type: 'interactive', interactive: { type, [type]: option } });

const locationOf = ({ latitude, longitude, name }: Extract<ContactMessage, { kind: 'location' }>) => ({
  latitude,
  longitude,
  ...(name && { name }),
});

/** A file as connectors post it. */
async function filePart(
  run: RunFile,
  number: string,
  { kind, file, caption }: Extract<ContactMessage, { file: unknown }>,
): Promise<object> {
  const { media, link } = await upload(run, number, file);
  const part = { id: media.id, mime_type: media.mime_type, link, sha256: media.sha256, filename: file.name };
  return { type: kind, [kind]: { ...part, ...(caption && { caption }) } };
}

/** Posts messages as the connector of a channel posts them. */
function connectorPhone(run: RunFile, { uuid }: Number): Phone {
  return {
    async write(message, { from, name = 'Sam', quote }) {
      const asked = 'title' in message ? await questionOf(run, uuid, { from, quote }, message.title) : undefined;
      const quoted = asked?.id ?? (quote === undefined ? undefined : await resolveQuote(run, uuid, from, quote));
      const content =
        'file' in message
          ? await filePart(run, uuid, message)
          : asked
            ? tap(asked.type, asked.option)
            : { type: 'text', text: { body: summaryOf(message) } };
      const id = `send-${randomUUID()}`;
      const timestamp = String(Math.floor(Date.parse((await clockView(run, 1)).now) / 1_000));
      await adminSend(run, 'POST', `/channels/${uuid}/messages`, {
        contact: { id: from, profile: { name } },
        message: { from, id, timestamp, ...content, ...(quoted !== undefined && { context: { id: quoted } }) },
      });
      return id;
    },
  };
}

interface ExampleConnector {
  readonly url: string;
  /** Taps options of older messages: the example connector knows the options of the newest. */
  readonly direct: Phone;
}

/** Writes through the example connector, which posts the contact's messages to the channel as any connector does. */
function examplePhone(run: RunFile, { uuid }: Number, { url, direct }: ExampleConnector): Phone {
  const connectorBody = async (message: ContactMessage): Promise<object> => {
    if (message.kind === 'text') return { text: message.text };
    if ('title' in message) return { tap: message.title };
    if (!('file' in message)) throw new UsageError(`a channel cannot receive a ${message.kind}`);
    return { message: await filePart(run, uuid, message) };
  };
  return {
    async write(message, sender, signal) {
      const { from, name, quote } = sender;
      if ('title' in message && quote !== undefined) return direct.write(message, sender, signal);
      const id = quote === undefined ? undefined : await resolveQuote(run, uuid, from, quote);
      const body = { from, ...(name !== undefined && { name }), ...(await connectorBody(message)), ...(id !== undefined && { quote: id }) };
      const response = await fetch(url, { method: 'POST', body: JSON.stringify(body), signal }).catch((error: Error) => {
        if (signal.aborted) throw error;
        throw new SandboxUnreachable(`the example connector at ${url} does not respond`);
      });
      const answer = (await response.json()) as { id: string; error?: string };
      if (!response.ok) {
        // The connector's error ends with the platform's JSON response.
        const reason = answer.error?.replace(/\{.*\}$/s, reasonIn) ?? `the example connector responded ${response.status}`;
        throw response.status < 500 ? new UsageError(reason) : new Error(reason);
      }
      return answer.id;
    },
  };
}

interface Uploaded {
  readonly media: { readonly id: string; readonly mime_type: string; readonly sha256: string };
  readonly link: string;
}

const upload = (run: RunFile, number: string, { bytes, type }: { bytes: Uint8Array; type: string }): Promise<Uploaded> =>
  adminUpload(run, `/numbers/${number}/media`, { bytes, type }) as Promise<Uploaded>;

interface Option {
  readonly id?: string;
  readonly title: string;
  readonly description?: string;
}

interface Message {
  readonly direction: string;
  readonly external_id?: string;
  readonly uuid: string;
  readonly content: {
    readonly interactive?: {
      readonly action?: {
        readonly buttons?: readonly { readonly reply: Option }[];
        readonly sections?: readonly { readonly rows: readonly Option[] }[];
      };
    };
  };
}

/** Returns the id of the quoted message. `last` is the newest message from the number to the contact. @throws UsageError if there is none */
async function resolveQuote(run: RunFile, number: string, from: string, quote: string): Promise<string> {
  if (quote !== 'last') return quote;
  const [newest] = await sentTo(run, number, from);
  if (!newest) throw new UsageError(`no message has been sent to ${from} yet that could be quoted`);
  return newest.external_id;
}

/** Finds the newest message, or the quoted one, that offers an option. @throws UsageError if there is none */
async function questionOf(run: RunFile, number: string, { from, quote }: Sender, title: string) {
  const quoted = quote === undefined ? undefined : await resolveQuote(run, number, from, quote);
  for (const { uuid, external_id, content } of await sentTo(run, number, from)) {
    if (quoted !== undefined && quoted !== external_id && quoted !== uuid) continue;
    const { buttons = [], sections = [] } = content.interactive?.action ?? {};
    const button = buttons.find(({ reply }) => reply.title === title)?.reply;
    if (button) return { id: external_id, type: 'button_reply', option: button };
    const row = sections.flatMap(({ rows }) => rows).find((option) => option.title === title);
    if (row) return { id: external_id, type: 'list_reply', option: row };
  }
  throw new UsageError(
    quoted === undefined
      ? `no recent message to ${from} has an option '${title}'`
      : `message ${quoted} to ${from} is not recent, or has no option '${title}'`,
  );
}

/** The newest messages from a number to a contact, as far as they have been accepted. */
async function sentTo(run: RunFile, number: string, from: string): Promise<(Message & { readonly external_id: string })[]> {
  const { contacts } = (await adminGet(run, `/numbers/${number}/contacts?id=${encodeURIComponent(from)}`)) as {
    contacts: { uuid: string }[];
  };
  const { conversations } = (await adminGet(run, `/numbers/${number}/conversations?limit=500`)) as {
    conversations: { uuid: string; contact: string }[];
  };
  const conversation = conversations.find((one) => one.contact === contacts[0]?.uuid);
  const { messages = [] } = conversation ? ((await adminGet(run, `/conversations/${conversation.uuid}`)) as { messages: Message[] }) : {};
  return messages.flatMap((one) =>
    one.direction === 'outbound' && one.external_id !== undefined ? [{ ...one, external_id: one.external_id }] : [],
  );
}
