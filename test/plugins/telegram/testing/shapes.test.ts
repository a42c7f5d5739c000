import type { Update as ApiUpdate, CallbackQuery, Chat, File, Message, MessageEntity, UserFromGetMe, WebhookInfo } from '@grammyjs/types';
import t from 'tap';
import { ManualClock } from '#core/testing';
import { telegramStandIn } from '../../../../plugins/telegram/testing/index.js';
import type {
  TelegramEntity,
  TelegramFile,
  TelegramMessage,
  TelegramUpdate,
  TelegramWebhookInfo,
} from '../../../../plugins/telegram/testing/types.js';
import { PNG } from './stand-in-under-test.js';

/**
 * The objects of the stand-in against the types of the Bot API. Most of this test is done by the compiler: the functions compile only while
 * every object that the stand-in declares is one of the Bot API. The quoted message is compared by itself, because the types of the Bot API
 * say `reply_to_message: undefined` where the field is missing.
 */
type Received = Message & { from: NonNullable<Message['from']>; chat: Exclude<Chat, Chat.ChannelChat> };

const asEntity = (entity: TelegramEntity): MessageEntity => entity;
const asFile = (file: TelegramFile): File => file;
const asWebhookInfo = ({ allowed_updates: _, ...info }: TelegramWebhookInfo): WebhookInfo => info;
const asMessage = ({ reply_to_message: _, ...message }: TelegramMessage): Received => message;
const asQuery = ({ message, ...query }: NonNullable<TelegramUpdate['callback_query']>): CallbackQuery => ({
  ...query,
  ...(message && { message: message.date === 0 && !('from' in message) ? { ...message, date: 0 } : asMessage(message as TelegramMessage) }),
});

function asUpdate({
  update_id,
  message,
  edited_message: edited,
  callback_query: query,
  my_chat_member: member,
}: TelegramUpdate): ApiUpdate {
  return {
    update_id,
    ...(message && { message: asMessage(message) }),
    ...(edited && { edited_message: { ...asMessage(edited), edit_date: edited.edit_date } }),
    ...(query && { callback_query: asQuery(query) }),
    ...(member && { my_chat_member: member }),
  };
}

t.test('every object that the stand-in makes is one of the Bot API', async (t) => {
  const standIn = await telegramStandIn({ clock: new ManualClock(), port: false });
  standIn.bot satisfies UserFromGetMe;
  const file = { bytes: PNG };
  const kinds = { photo: file, video: file, animation: file, audio: file, voice: file, video_note: file, document: file, sticker: file };
  for (const [kind, given] of Object.entries(kinds)) await standIn.write(7, { [kind]: given });
  const location = { latitude: 1, longitude: 2 };
  const { message_id: replyTo } = await standIn.write(7, { location });
  await standIn.write(7, { venue: { location, title: 'a', address: 'b' } }, { replyTo });
  await standIn.write(7, { contact: { phone_number: '1', first_name: 'a', user_id: 7 } });
  await standIn.write(7, { poll: { question: 'a', options: ['b', 'c'] } });
  await standIn.write(7, { dice: { emoji: '🎲', value: 1 } });
  await standIn.edit(7, replyTo, { location });
  await standIn.tap(7, replyTo, { data: 'x' });
  await standIn.tap(7, replyTo, { data: 'x' }, { isOld: true });
  await standIn.block(7);
  standIn.group(-7, 'Friends');
  await standIn.join(8, -7);
  await standIn.migrate(8, -7, -1_007);
  const updates = standIn.updates.map(asUpdate);
  // Each has exactly one kind, which is the only field beside the id.
  t.strictSame(new Set(updates.map((update) => Object.keys(update).length)), new Set([2]));
  const made = new Set(updates.flatMap(({ message }) => Object.keys(message ?? {})));
  for (const kind of [...Object.keys(kinds), 'location', 'venue', 'contact', 'poll', 'dice', 'migrate_to_chat_id', 'migrate_from_chat_id'])
    t.ok(made.has(kind), kind);
  t.match(asWebhookInfo({ url: '', has_custom_certificate: false, pending_update_count: 0 }), { url: '' });
  t.match(asFile({ file_id: 'a', file_unique_id: 'b', file_path: 'c' }), { file_id: 'a' });
  t.match(asEntity({ type: 'bold', offset: 0, length: 1 }), { type: 'bold' });
});
