import { boolean, integer, number, object, oneOf, string } from '#core';
import { textOf } from '../../../core/events/message-text.js';
import { adminGet } from '../../client/admin-client.js';
import { callTool, outputOf, type Tool, verbTool } from '../tool.js';

const SHOWN_CONVERSATIONS = 20;
const SHOWN_MESSAGES = 30;

interface Message {
  readonly uuid: string;
  readonly direction: 'inbound' | 'outbound';
  readonly type: string;
  readonly content: Parameters<typeof textOf>[0]['content'];
  readonly timestamp: string;
}

interface Contact {
  readonly id: string;
  readonly fields: { readonly name?: string | null };
}

interface Listed {
  readonly conversation: { readonly uuid: string; readonly updated_at: string };
  readonly contact: Contact;
  readonly message?: Message;
}

/** Tools to start a sandbox, and to talk to it as a contact. */
export const conversationTools: readonly Tool[] = [
  callTool(
    {
      name: 'start_sandbox',
      description:
        'Finds the running sandbox of this folder, or starts one, and shows its URLs, numbers, tokens and secrets. A sandbox that this tool starts ends with the MCP server.',
      input: object(
        {},
        {
          seed: string().description('A seed file (JSON) instead of the demo, or `empty` or `demo`.'),
          clock: oneOf('manual', 'real').description('`manual`: the clock is paused until move_clock moves it.'),
          port: integer().min(0).max(65_535).description('The port; 0 is any free one. Default: 4100, or a free one if it is in use.'),
          data: string().description('A folder that keeps the state. Default: in memory.'),
        },
      ),
    },
    async (flags, full, { start, verb }) => {
      await start(flags);
      return outputOf(await verb({ verb: ['status'], flags: { json: full } }));
    },
  ),
  verbTool(
    {
      name: 'send_message',
      description:
        'Sends a message as a contact, and waits for what follows: the replies, the webhook deliveries with their statuses, and where the journey waits.',
      input: object(
        {},
        {
          text: string().description('The text of the message, or the caption of a file.'),
          from: string().description('The address of the contact; each address is its own contact. Default: +27611111111.'),
          name: string().description('The name of the contact. Default: Sam.'),
          number: string().description("The recipient, by address or uuid. Default: the demo's channel."),
          button: string().description('Instead of a text: tap the reply button with this title.'),
          list: string().description('Instead of a text: choose the row of a list with this title.'),
          image: string().description('Instead of a text: send this image file.'),
          document: string().description('Instead of a text: send this document file.'),
          location: string().description('Instead of a text: send this location, as `LAT,LONG`.'),
          reaction: string().description('Instead of a text: react to the newest message with this emoji.'),
          quote: string().description('Reply to the message with this id; `last` is the newest.'),
          wait: number().min(0.1).max(600).description('How many seconds to wait for what follows. Default: 10.'),
        },
      ).or('text', 'button', 'list', 'image', 'document', 'location', 'reaction'),
    },
    ({ text, ...flags }) => ({ verb: ['send'], flags, positionals: text === undefined ? [] : [text] }),
  ),
  callTool(
    {
      name: 'read_conversations',
      description: 'Lists the newest conversations, or with `conversation` shows the messages of one, oldest first.',
      isReadOnly: true,
      input: object(
        {},
        {
          conversation: string().guid().description('The uuid of a conversation.'),
          number: string().guid().description('List only conversations of this number (uuid).'),
          limit: integer().min(1).max(500).description(`Default: ${SHOWN_CONVERSATIONS} conversations or ${SHOWN_MESSAGES} messages.`),
          refresh: boolean().description('Also reload the panels of integrations.'),
        },
      ),
    },
    async ({ conversation, number, limit, refresh }, full, { platform }) => {
      const isOne = conversation !== undefined;
      const query = new URLSearchParams({ limit: String(limit ?? (isOne ? SHOWN_MESSAGES : SHOWN_CONVERSATIONS)) });
      if (!isOne && number !== undefined) query.set('number', number);
      if (isOne && refresh) query.set('refresh', 'true');
      const found = await adminGet(platform(), `/conversations${isOne ? `/${conversation}` : ''}?${query}`);
      if (full) return { text: JSON.stringify(found) };
      return { text: isOne ? transcript(found as Parameters<typeof transcript>[0]) : overview(found as Parameters<typeof overview>[0]) };
    },
  ),
];

const nameOf = ({ id, fields }: Contact): string => (fields.name ? `${fields.name} (${id})` : id);
const lineOf = (message: Message): string => `${message.direction === 'inbound' ? '▶' : '◀'} ${textOf(message).replaceAll('\n', '\n  ')}`;

function overview({ conversations }: { readonly conversations: readonly Listed[] }): string {
  if (conversations.length === 0) return 'No conversations yet. send_message starts one.';
  return conversations
    .map(({ conversation, contact, message }) => {
      const newest = message ? `  ${lineOf(message).split('\n')[0]}` : '';
      return `${conversation.uuid}  ${conversation.updated_at}  ${nameOf(contact)}${newest}`;
    })
    .join('\n');
}

function transcript({ contact, messages }: { readonly contact: Contact; readonly messages: readonly Message[] }): string {
  return [`Conversation with ${nameOf(contact)}`, ...[...messages].reverse().map(lineOf)].join('\n');
}
