import t from 'tap';
import { parseHtml } from '../../../../plugins/telegram/testing/html.js';
import { parseMarkdown } from '../../../../plugins/telegram/testing/markdown.js';
import { PNG, startStandIn } from './stand-in-under-test.js';

/** One stand-in for all tests; each has a person of its own. */
const { clock, standIn, calls, hook, post, call, result } = await startStandIn(t, {
  fetchFile: async (url) => {
    if (url.includes('unreachable')) throw new Error('refused');
    if (url.includes('page')) return { status: 200, mimeType: 'text/html', bytes: Buffer.from('<p>') };
    return { status: 200, mimeType: 'image/png', bytes: url.includes('large') ? Buffer.concat([PNG, Buffer.alloc(6_000_000)]) : PNG };
  },
});
let people = 100;
/** A person who has started the bot. */
async function someone(): Promise<number> {
  await standIn.start(++people);
  return people;
}
/** Confirms all updates, as a poll does. */
const confirm = () => call('getUpdates', { offset: (standIn.updates.at(-1)?.update_id ?? 0) + 1 });
/** Waits until a call is held on the clock. */
const held = async () => {
  while (clock.pending().length === 0) await new Promise((resolve) => setImmediate(resolve));
};

t.test('calls are answered by token and by method', async (t) => {
  t.match(await call('getMe'), { status: 200, ok: true, result: { id: 7_000_000_001, is_bot: true, username: 'stand_in_bot' } });
  t.match(await call('GETME'), { ok: true }, 'names of methods are case-insensitive');
  t.match(await post('/bot1:wrong/getMe', {}), { status: 401, ok: false, error_code: 401, description: 'Unauthorized' });
  t.match(await call('sendNothing'), { status: 404, error_code: 404 });
  t.match(await post('/elsewhere', {}), { status: 404 });
  t.match(await call('getMe', [1]), { status: 400, description: "Bad Request: can't parse request body" });
});

t.test('texts: by JSON and form, with their limits, entities, replies and chats', async (t) => {
  const ada = await someone();
  const send = (fields: object) => result('sendMessage', { chat_id: ada, ...fields });
  const first = await send({ text: ' hello /help ' });
  t.match(first, { from: { is_bot: true }, chat: { id: ada, type: 'private' }, text: 'hello /help', date: clock.now().getTime() / 1_000 });
  t.strictSame(first.entities, [{ type: 'bot_command', offset: 6, length: 5 }]);
  t.match(await result('sendMessage', new URLSearchParams({ chat_id: String(ada), text: 'a form' })), { message_id: first.message_id + 1 });
  t.match(await send({ text: 'b', reply_parameters: { message_id: first.message_id } }), { reply_to_message: { text: 'hello /help' } });
  t.equal(await send({ text: 'b', reply_parameters: { message_id: 9_999 } }), '400 Bad Request: message to be replied not found');
  t.match(await send({ text: 'b', reply_parameters: { message_id: 9_999, allow_sending_without_reply: true } }), { text: 'b' });
  t.match(await send({ text: '😀'.repeat(2_048) }), { text: /😀/ }, '4096 UTF-16 units');
  t.equal(await send({ text: `${'😀'.repeat(2_048)}x` }), '400 Bad Request: message is too long');
  t.match(await send({ text: `<b>${'x'.repeat(4_096)}</b>`, parse_mode: 'HTML' }), { text: /^x/ }, 'the limit counts after parsing');
  t.equal(await send({ text: ' ' }), '400 Bad Request: message text is empty');
  t.equal(await send({ text: 'x', parse_mode: 'Markdown' }), '400 Bad Request: unsupported parse_mode');
  t.match(await send({ text: '😀 link', entities: [{ type: 'text_link', offset: 3, length: 4, url: 'posthorn.test' }] }), {
    entities: [{ type: 'text_link', offset: 3, length: 4, url: 'http://posthorn.test/' }],
  });
  for (const [offset, length, error] of [
    [3, 5, 'entity beginning at UTF-16 offset 3 ends after the end of the text at UTF-16 offset 8'],
    [9, 1, 'entity begins after the end of the text at UTF-16 offset 9'],
    [1, 2, 'entity begins in a middle of a UTF-16 symbol at byte offset 3'],
  ] as const)
    t.equal(await send({ text: '😀 link', entities: [{ type: 'bold', offset, length }] }), `400 Bad Request: ${error}`);
  t.equal(await result('sendMessage', { chat_id: 424242, text: 'x' }), '400 Bad Request: chat not found');
  t.equal(await result('sendMessage', { text: 'x' }), '400 Bad Request: chat_id is empty');
  standIn.person(99);
  t.equal(await result('sendMessage', { chat_id: 99, text: 'x' }), "403 Forbidden: bot can't initiate conversation with a user");
  standIn.person(ada, { isDeactivated: true });
  t.equal(await send({ text: 'x' }), '403 Forbidden: user is deactivated');
});

t.test('HTML is parsed as the network does it', async (t) => {
  t.strictSame(parseHtml('a <b>b <i>c</i></b> &lt;&amp;&#33;&#x1F600; <a href="https://a.test/?x=1&amp;y">d</a>'), {
    text: 'a b c <&!😀 d',
    entities: [
      { type: 'italic', offset: 4, length: 1 },
      { type: 'bold', offset: 2, length: 3 },
      { type: 'text_link', offset: 12, length: 1, url: 'https://a.test/?x=1&y' },
    ],
  });
  t.match(parseHtml('<pre><code class="language-ts">x</code></pre><blockquote expandable>y</blockquote><span class=tg-spoiler>z</span>').entities, [
    { type: 'pre', language: 'ts', offset: 0, length: 1 },
    { type: 'expandable_blockquote', offset: 1 },
    { type: 'spoiler', offset: 2 },
  ]);
  for (const [source, error] of [
    ['ä<b>x', 'Can\'t find end tag corresponding to start tag "b"'],
    ['ä<p>x</p>', 'Unsupported start tag "p" at byte offset 2'],
    ['<b>x</i>', 'Unmatched end tag at byte offset 4, expected "</b>", found "</i>"'],
    ['x</b>', 'Unexpected end tag at byte offset 1'],
    ['1 <b', 'Unclosed start tag at byte offset 2'],
    ['<b>x</b', 'Unclosed end tag at byte offset 4'],
    ['a < b', 'Unsupported start tag "" at byte offset 2'],
    ['<a href>x</a>', 'Expected equal sign in declaration of an attribute of the tag "a" at byte offset 0'],
    ['<a ="x">x</a>', 'Empty attribute name in the tag "a" at byte offset 0'],
    ['<a href=a/b>x</a>', 'Unexpected end of name token at byte offset 8'],
    ['<span>x</span>', 'Tag "span" must have class "tg-spoiler" at byte offset 0'],
  ] as const)
    t.throws(() => parseHtml(source), { code: 400, message: `Bad Request: can't parse entities: ${error}` }, source);
});

t.test('MarkdownV2 is parsed as the network does it', async (t) => {
  t.strictSame(parseMarkdown('*b _i_* __u__ ~s~ ||p|| `c*` [l](https://a.test/\\)) 1\\.5'), {
    text: 'b i u s p c* l 1.5',
    entities: [
      { type: 'italic', offset: 2, length: 1 },
      { type: 'bold', offset: 0, length: 3 },
      { type: 'underline', offset: 4, length: 1 },
      { type: 'strikethrough', offset: 6, length: 1 },
      { type: 'spoiler', offset: 8, length: 1 },
      { type: 'code', offset: 10, length: 2 },
      { type: 'text_link', offset: 13, length: 1, url: 'https://a.test/)' },
    ],
  });
  t.match(parseMarkdown('```ts\nlet x\\`\n```\n>q1\n>q2\nend'), {
    text: 'let x`\n\nq1\nq2\nend',
    entities: [
      { type: 'pre', language: 'ts', offset: 0, length: 7 },
      { type: 'blockquote', offset: 8, length: 5 },
    ],
  });
  t.match(parseMarkdown('>q1\n>q2||').entities, [{ type: 'expandable_blockquote', offset: 0, length: 5 }]);
  for (const [source, error] of [
    ['1.5', "Character '.' is reserved and must be escaped with the preceding '\\'"],
    ['a-b', "Character '-' is reserved and must be escaped with the preceding '\\'"],
    ['ä *b', "Can't find end of Bold entity at byte offset 3"],
    ['a _b', "Can't find end of Italic entity at byte offset 2"],
    ['`a', "Can't find end of Code entity at byte offset 0"],
    ['[a](b', "Can't find end of a URL at byte offset 3"],
    ['a > b', "Character '>' is reserved and must be escaped with the preceding '\\'"],
  ] as const)
    t.throws(() => parseMarkdown(source), { code: 400, message: `Bad Request: can't parse entities: ${error}` }, source);
});

t.test('buttons are checked, tapped, answered and removed', async (t) => {
  const ada = await someone();
  const send = (rows: unknown) => result('sendMessage', { chat_id: ada, text: 'Choose', reply_markup: { inline_keyboard: rows } });
  for (const [rows, error] of [
    [[[{ text: 'x', callback_data: 'ä'.repeat(33) }]], 'BUTTON_DATA_INVALID'],
    [[[{ text: 'x', callback_data: '' }]], 'BUTTON_DATA_INVALID'],
    [[[{ text: 'x' }]], "can't parse inline keyboard button: Text buttons are unallowed in the inline keyboard"],
    [[{ text: 'x', callback_data: 'a' }], 'field "inline_keyboard" of the InlineKeyboardMarkup must be an Array of Arrays'],
    [[[{ text: 'x', url: 'http://localhost:4000' }]], "inline keyboard button URL 'http://localhost:4000' is invalid: Wrong HTTP URL"],
    [[[{ text: 'x', web_app: { url: 'http://a.test' } }]], "inline keyboard button Web App URL 'http://a.test' is invalid: Only HTTPS links are allowed"],
    [Array.from({ length: 101 }, () => [{ text: 'x', callback_data: 'a' }]), 'reply markup is too long'],
  ] as const)
    t.equal(await send(rows), `400 Bad Request: ${error}`);
  const rows = [[{ text: 'Yes', callback_data: 'ä'.repeat(32) }], [{ text: 'No', callback_data: 'n' }, { text: 'Page', url: 'https://a.test/' }]];
  const { message_id, reply_markup } = await send(rows);
  t.strictSame(reply_markup, { inline_keyboard: rows });
  const { id } = await standIn.tap(ada, message_id, 1);
  t.match(standIn.updates.at(-1), { callback_query: { id, data: 'n', from: { id: ada }, message: { message_id, reply_markup } } });
  t.match(standIn.openQueries, [{ query: { id } }]);
  t.equal(await result('answerCallbackQuery', { callback_query_id: id, text: 'x'.repeat(201) }), '400 Bad Request: MESSAGE_TOO_LONG');
  t.equal(await result('answerCallbackQuery', { callback_query_id: id, text: 'ok' }), true);
  t.strictSame(standIn.openQueries, []);
  t.match(standIn.queries.at(-1), { answer: { text: 'ok' } });
  const late = '400 Bad Request: query is too old and response timeout expired or query ID is invalid';
  t.equal(await result('answerCallbackQuery', { callback_query_id: '1' }), late);
  const { id: old } = await standIn.tap(ada, message_id, { data: 'forged' }, { isOld: true });
  t.match(standIn.updates.at(-1), { callback_query: { data: 'forged', message: { message_id, date: 0 } } });
  await clock.advance(60_001);
  t.equal(await result('answerCallbackQuery', { callback_query_id: old }), late);
  const place = { chat_id: ada, message_id };
  t.match(await result('editMessageReplyMarkup', place), { message_id, edit_date: clock.now().getTime() / 1_000 });
  t.equal(standIn.sent.at(-1)!.message.reply_markup, undefined);
  t.match(await result('editMessageReplyMarkup', place), /^400 Bad Request: message is not modified/);
  t.match(await result('editMessageText', { ...place, text: 'Chosen' }), { text: 'Chosen' });
  t.match(await result('editMessageText', { ...place, text: 'Chosen' }), /^400 Bad Request: message is not modified/);
  t.equal(await result('editMessageText', { chat_id: ada, message_id: 1_000_000, text: 'x' }), '400 Bad Request: message to edit not found');
  const own = await standIn.write(ada, 'mine');
  t.equal(await result('editMessageText', { chat_id: ada, message_id: own.message_id, text: 'x' }), "400 Bad Request: message can't be edited");
  await t.rejects(standIn.tap(ada, message_id, 'Yes'), /has no button Yes; it has none/);
});

t.test('keys below the input field arrive as text, or as the own contact', async (t) => {
  const ada = await someone();
  const keyboard = [[{ text: 'Red' }, 'Blue'], [{ text: 'Call me', request_contact: true }]];
  await result('sendMessage', { chat_id: ada, text: 'Colour?', reply_markup: { keyboard } });
  t.match(await standIn.choose(ada, 'Blue'), { text: 'Blue' });
  t.match(await standIn.choose(ada, 'Call me'), { contact: { user_id: ada } });
  await result('sendMessage', { chat_id: ada, text: 'Thanks', reply_markup: { remove_keyboard: true } });
  await t.rejects(standIn.choose(ada, 'Blue'), /has no key Blue; it has none/);
});

t.test('files: uploaded, by id, by address, looked up and downloaded, with their limits', async (t) => {
  const ada = await someone();
  const upload = (method: string, name: string, bytes: Uint8Array, fields: Record<string, string> = {}) => {
    const form = new FormData();
    for (const [key, value] of Object.entries({ chat_id: String(ada), ...fields })) form.set(key, value);
    form.set(name, new File([bytes], `a.${name}`, { type: 'application/octet-stream' }));
    return result(method, form);
  };
  const photo = await upload('sendPhoto', 'photo', PNG, { caption: '<b>shop</b>', parse_mode: 'HTML', reply_markup: '{"inline_keyboard":[[{"text":"a","callback_data":"b"}]]}' });
  t.match(photo, { caption: 'shop', caption_entities: [{ type: 'bold' }], reply_markup: { inline_keyboard: [[{ callback_data: 'b' }]] } });
  const { file_id, file_size, width } = photo.photo.at(-1);
  t.strictSame([file_size, width, standIn.sent.at(-1)!.bytes], [PNG.length, 1, PNG]);
  t.match(await result('sendPhoto', { chat_id: ada, photo: file_id }), { photo: [{}, { file_id }] });
  t.equal(await result('sendVideo', { chat_id: ada, video: file_id }), "400 Bad Request: can't use file of type Photo as Video");
  t.equal(await result('sendPhoto', { chat_id: ada, photo: 'nothing' }), '400 Bad Request: wrong file identifier/HTTP URL specified');
  t.equal(await result('sendPhoto', { chat_id: ada }), '400 Bad Request: there is no photo in the request');
  const byUrl = (name: string) => result('sendPhoto', { chat_id: ada, photo: `https://files.test/${name}` });
  t.match(await byUrl('a.png'), { photo: [{}, { file_size: PNG.length }] });
  t.equal(await byUrl('unreachable'), '400 Bad Request: failed to get HTTP URL content');
  t.equal(await byUrl('large.png'), '400 Bad Request: failed to get HTTP URL content', 'above 5 MB');
  t.equal(await byUrl('page'), '400 Bad Request: wrong type of the web page content');
  t.equal(await upload('sendPhoto', 'photo', Buffer.from('text')), '400 Bad Request: IMAGE_PROCESS_FAILED');
  const wide = Buffer.from(PNG);
  wide.writeUInt32BE(9_999, 16);
  t.equal(await upload('sendPhoto', 'photo', wide), '400 Bad Request: PHOTO_INVALID_DIMENSIONS');
  t.match(await upload('sendPhoto', 'photo', Buffer.alloc(10 * 1024 * 1024 + 1)), /^400 .* is too big for a photo; the maximum size is 10485760 bytes$/);
  t.match(await upload('sendDocument', 'document', Buffer.alloc(0)), /^400 Bad Request: file must be non-empty$/);
  t.equal(await upload('sendDocument', 'document', Buffer.from('x'), { caption: 'x'.repeat(1_025) }), '400 Bad Request: message caption is too long');
  for (const [method, name] of [['sendVideo', 'video'], ['sendAudio', 'audio'], ['sendVoice', 'voice'], ['sendDocument', 'document'], ['sendSticker', 'sticker']] as const)
    t.match(await upload(method, name, Buffer.from(name)), { [name]: { file_id: /./, file_size: name.length } }, method);
  t.match(await result('sendLocation', { chat_id: ada, latitude: 1.5, longitude: -2 }), { location: { latitude: 1.5, longitude: -2 } });
  t.equal(await result('sendLocation', { chat_id: ada, latitude: 91, longitude: 0 }), '400 Bad Request: wrong location specified');
  t.match(await result('sendContact', { chat_id: ada, phone_number: '1', first_name: 'Bo' }), { contact: { first_name: 'Bo' } });

  const { file_path } = await result('getFile', { file_id });
  const address = `${standIn.url}/file/bot${standIn.token}/${file_path}`;
  const download = await fetch(address);
  t.strictSame(Buffer.from(await download.arrayBuffer()), PNG);
  await clock.advance(60 * 60_000 + 1);
  t.equal((await fetch(address)).status, 404, 'an hour later its address is no longer valid');
  standIn.loseFile(file_id);
  t.equal(await result('getFile', { file_id }), '400 Bad Request: wrong file_id or the file is temporarily unavailable');
  const large = await standIn.write(ada, { document: { bytes: PNG, file_size: 20 * 1024 * 1024 + 1 } });
  t.equal(await result('getFile', { file_id: large.document!.file_id }), '400 Bad Request: file is too big');
});

t.test('people write everything, edit, reply, block, and write in groups', async (t) => {
  const ada = await someone();
  const text = await standIn.write(ada, 'see https://a.test/x', { replyTo: (await standIn.start(ada, 'from-shop')).message_id });
  t.match(standIn.updates.at(-1), { message: { entities: [{ type: 'url', offset: 4 }], reply_to_message: { text: '/start from-shop' } } });
  t.match(await standIn.write(ada, { photo: { bytes: PNG }, caption: 'a #shop' }), { photo: [{}, { width: 1 }], caption_entities: [{ type: 'hashtag' }] });
  t.match(await standIn.write(ada, { animation: { bytes: PNG } }), { animation: {}, document: {} }, 'an animation is a document, too');
  t.match(await standIn.write(ada, { sticker: { bytes: PNG, is_animated: true, emoji: '👍' } }), { sticker: { is_animated: true, thumbnail: {} } });
  t.match(await standIn.write(ada, { venue: { title: 'Shop', address: 'Road 1', location: { latitude: 1, longitude: 2 } } }), {
    location: { latitude: 1 },
  });
  t.match(await standIn.write(ada, { poll: { question: 'Tea?', options: ['yes', 'no'] } }), { poll: { options: [{ text: 'yes' }, {}] } });
  t.match(await standIn.write(ada, { dice: { emoji: '🎲', value: 6 } }), { dice: { value: 6 } });
  const album = await standIn.album(ada, [{ photo: { bytes: PNG }, caption: 'two' }, { video: { bytes: PNG } }]);
  t.equal(album[0]!.media_group_id, album[1]!.media_group_id);
  await standIn.edit(ada, text.message_id, 'see it');
  t.match(standIn.updates.at(-1), { edited_message: { message_id: text.message_id, text: 'see it', edit_date: Number } });
  t.notOk('entities' in standIn.updates.at(-1)!.edited_message!);

  await standIn.block(ada);
  t.match(standIn.updates.at(-1), { my_chat_member: { old_chat_member: { status: 'member' }, new_chat_member: { status: 'kicked' } } });
  t.equal(await result('sendMessage', { chat_id: ada, text: 'x' }), '403 Forbidden: bot was blocked by the user');
  await t.rejects(standIn.write(ada, 'hi'), /unblock first/);
  await standIn.unblock(ada);
  t.match(await result('sendMessage', { chat_id: ada, text: 'x' }), { text: 'x' });

  standIn.group(-5, 'Friends');
  await standIn.join(ada, -5);
  t.match(standIn.updates.slice(-2), [{ my_chat_member: { new_chat_member: { status: 'member' } } }, { message: { new_chat_members: [{ is_bot: true }] } }]);
  await standIn.write(ada, 'hi all', { chat: -5 });
  t.match(standIn.updates.at(-1), { message: { chat: { id: -5, type: 'group', title: 'Friends' }, from: { id: ada } } });
  await standIn.migrate(ada, -5, -1_005);
  t.match(standIn.updates.slice(-2), [{ message: { migrate_to_chat_id: -1_005 } }, { message: { migrate_from_chat_id: -5, message_id: 1 } }]);
  t.match(await call('sendMessage', { chat_id: -5, text: 'x' }), { status: 400, parameters: { migrate_to_chat_id: -1_005 } });
  t.match(await result('sendMessage', { chat_id: -1_005, text: 'x' }), { message_id: 2 }, 'a supergroup counts by itself');
  await standIn.leave(ada, -1_005);
  t.equal(await result('sendMessage', { chat_id: -1_005, text: 'x' }), '403 Forbidden: bot was kicked from the supergroup chat');
  t.equal(await result('sendChatAction', { chat_id: ada, action: 'typing' }), true);
  t.equal(await result('sendChatAction', { chat_id: ada, action: 'sleeping' }), '400 Bad Request: wrong parameter action in request');
  t.match(standIn.actions, [{ chat: ada, action: 'typing' }]);
});

t.test('polls: offset, limit, held on the clock, kinds, conflicts, and what is a day old', async (t) => {
  const ada = await someone();
  await confirm();
  const [one, two] = [await standIn.write(ada, 'one'), await standIn.write(ada, 'two')];
  const ids = (answer: { result: { update_id: number }[] }) => answer.result.map(({ update_id }) => update_id);
  const [first, second] = ids(await call('getUpdates')) as [number, number];
  t.strictSame(ids(await call('getUpdates', { limit: 1 })), [first], 'what is not confirmed comes again');
  t.match((await call('getUpdates', { offset: second })).result, [{ message: { message_id: two.message_id } }]);
  t.strictSame(ids(await call('getUpdates', { offset: first })), [second], 'what is confirmed is gone');
  t.equal(second, first + 1);
  t.ok(two.message_id > one.message_id);

  const poll = call('getUpdates', { offset: second + 1, timeout: 30 });
  await held();
  await standIn.write(ada, 'three');
  t.match((await poll).result, [{ message: { text: 'three' } }], 'a held poll ends with an update');
  const silent = call('getUpdates', { offset: second + 2, timeout: 30 });
  await held();
  await clock.advance(30_000);
  t.strictSame((await silent).result, []);
  const loser = call('getUpdates', { timeout: 30, offset: second + 2 });
  await held();
  const winner = call('getUpdates', { timeout: 30, offset: second + 2 });
  t.match(await loser, { status: 409, description: /^Conflict: terminated by other getUpdates request/ });
  await held();
  await clock.advance(30_000);
  t.match(await winner, { status: 200, result: [] });

  await call('getUpdates', { allowed_updates: ['callback_query'] });
  await standIn.write(ada, 'unwanted');
  t.strictSame(ids(await call('getUpdates', { allowed_updates: [] })), []);
  await standIn.write(ada, 'four');
  await standIn.write(ada, 'five');
  t.match((await call('getUpdates', { offset: -1 })).result, [{ message: { text: 'five' } }], 'a negative offset forgets the earlier ones');
  t.match((await call('getUpdates')).result, [{ message: { text: 'five' } }]);
  await confirm();
  await standIn.repeat(undefined, { message: { ...standIn.updates.at(-1)!.message!, text: 'other' } });
  t.match((await call('getUpdates', { offset: 10_000 })).result, [{ update_id: standIn.updates.at(-1)!.update_id, message: { text: 'other' } }]);
  t.strictSame((await call('getUpdates', { offset: 0 })).result, [], 'a repeated update comes once');
  await standIn.write(ada, 'old');
  await clock.advance(25 * 60 * 60_000);
  t.strictSame((await call('getUpdates')).result, []);
});

t.test('the webhook: rules, secret, order, retries, Retry-After, calls in answers, and the end', async (t) => {
  const ada = await someone();
  await confirm();
  calls.length = 0;
  const set = (url: string, fields = {}) => call('setWebhook', { url, secret_token: 'a-secret', ...fields });
  t.match(await set('http://hook.test/x'), { status: 400, description: 'Bad Request: bad webhook: An HTTPS URL must be provided for webhook' });
  t.match(await set('https://hook.test:4000/x'), { description: /can be set up only on ports 80, 88, 443 or 8443$/ });
  t.match(await set('https://hook.test/x', { secret_token: 'a b' }), { description: 'Bad Request: secret token contains unallowed characters' });
  const poll = call('getUpdates', { timeout: 30 });
  await held();
  t.match(await set('https://hook.test/x'), { status: 200, result: true, description: 'Webhook was set' });
  t.match(await poll, { status: 409, description: 'Conflict: terminated by setWebhook request' });
  t.match(await set('https://hook.test/x'), { description: 'Webhook is already set' });
  t.match(await call('getUpdates'), { status: 409, description: /^Conflict: can't use getUpdates method while webhook is active/ });
  t.match(await result('getWebhookInfo'), { url: 'https://hook.test/x', pending_update_count: 0, max_connections: 40 });

  await standIn.write(ada, 'one');
  t.match(calls, [{ url: 'https://hook.test/x', headers: { 'x-telegram-bot-api-secret-token': 'a-secret' }, update: { message: { text: 'one' } } }]);
  hook.body = JSON.stringify({ method: 'sendMessage', chat_id: ada, text: 'by the answer' });
  await standIn.write(ada, 'two');
  t.match(standIn.sent.at(-1), { message: { text: 'by the answer' } });

  hook.status = 500;
  hook.body = '';
  await standIn.write(ada, 'three');
  await standIn.write(ada, 'four');
  const bob = await someone();
  const texts = () => calls.map(({ update }) => (update.message as { text: string }).text).slice(2);
  t.strictSame(texts(), ['three', '/start'], 'a chat waits, and others go on');
  t.match(await result('getWebhookInfo'), { pending_update_count: 3, last_error_message: 'Wrong response from the webhook: 500' });
  const at = () => standIn.deliveries.find(({ update }) => update.message?.text === 'three')!.attempts.map(({ at }) => at.getTime() / 1_000);
  await clock.advance(200_000);
  const [start = 0, ...later] = at();
  t.strictSame(later.slice(0, 8).map((time) => time - start), [1, 3, 7, 15, 31, 63, 123, 183], 'after 1, 2, 4 … 60 seconds');
  hook.headers = { 'retry-after': '600' };
  await clock.advance(60_000);
  const last = at().at(-1)!;
  hook.status = 200;
  await clock.advance(599_000 - (clock.now().getTime() - last * 1_000));
  t.equal(at().at(-1), last);
  await clock.advance(1_000);
  t.equal(at().at(-1), last + 600, 'Retry-After is honoured');
  t.strictSame(texts().filter((text) => text !== '/start').slice(-2), ['three', 'four'], 'in order');
  hook.headers = {};
  await clock.advance(600_000);

  standIn.hold(ada);
  await standIn.write(ada, 'held');
  await standIn.write(bob, 'later');
  await standIn.release(ada);
  t.strictSame(texts().slice(-2), ['later', 'held'], 'out of order across chats');
  await standIn.repeat();
  t.match(calls.at(-1)!.update, { message: { text: 'later' } }, 'the last update, again');

  standIn.change({ goneMs: 2_000 });
  hook.status = 410;
  await standIn.write(ada, 'gone');
  await clock.advance(3_000);
  t.match(await result('getWebhookInfo'), { url: '', pending_update_count: 1 }, 'a webhook that is gone for long enough is removed');
  hook.status = 200;
  t.match(await set('https://hook.test/y', { drop_pending_updates: true, allowed_updates: ['callback_query'] }), { result: true });
  t.match(await result('getWebhookInfo'), { pending_update_count: 0, allowed_updates: ['callback_query'] });
  t.match(await call('deleteWebhook'), { result: true, description: 'Webhook was deleted' });
  t.match(await call('deleteWebhook'), { description: 'Webhook is already deleted' });
  await call('getUpdates', { allowed_updates: [] });
  // The retry of the lost update.
  await clock.advance(60_000);
});

t.test('faults: refusals, floods, broken and silent connections, delays, and messages without an id', async (t) => {
  const [ada, bob] = [await someone(), await someone()];
  const send = (chat: number, text = 'x') => call('sendMessage', { chat_id: chat, text });
  standIn.flood(5, ada);
  t.match(await send(ada), { status: 429, error_code: 429, description: 'Too Many Requests: retry after 5', parameters: { retry_after: 5 } });
  t.match(await send(bob), { status: 200 }, 'only that chat');
  await clock.advance(4_500);
  t.match(await send(ada), { status: 429, parameters: { retry_after: 1 } });
  await clock.advance(500);
  t.match(await send(ada), { status: 200 });
  standIn.flood(2);
  t.match(await call('getMe'), { status: 429 }, 'the whole bot');
  await clock.advance(2_000);

  const before = standIn.sent.length;
  const on = { method: 'sendMessage', chat: ada };
  const fault = (rule: Parameters<typeof standIn.fault>[0]) => standIn.fault({ on, times: 1, ...rule });
  fault({ error: { code: 403, description: 'Forbidden: no' } });
  t.match(await send(bob), { status: 200 });
  t.match(await send(ada), { status: 403, description: 'Forbidden: no' });
  t.match(await send(ada), { status: 200 }, 'once');
  for (const code of [401, 409, 500, 502]) {
    fault({ error: code });
    t.match(await send(ada), { status: code, ok: false, error_code: code });
  }
  fault({ connection: 'reset', on: { contains: 'never' } });
  await t.rejects(send(ada, 'never'), /fetch failed/);
  fault({ connection: 'reset after', on: { contains: 'lost' } });
  await t.rejects(send(ada, 'lost'), /fetch failed/);
  t.strictSame(standIn.sent.slice(before).map(({ message }) => message.text), ['x', 'x', 'lost']);
  fault({ connection: 'silent' });
  const silent = send(ada, 'silent');
  await held();
  t.equal(standIn.sent.at(-1)!.message.text, 'silent');
  const failed = t.rejects(silent, /fetch failed/);
  await clock.advance(30_000);
  await failed;
  fault({ holdMs: 5_000 });
  const slow = send(ada, 'slow');
  await held();
  await clock.advance(5_000);
  t.match(await slow, { result: { text: 'slow' } });
  fault({ isScheduled: true });
  t.match(await send(ada), { result: { message_id: 0 } });
  t.strictSame(standIn.faults.list().map(({ applied }) => applied), Array(10).fill(1));
  standIn.faults.clear();
});

t.test('control routes do the same from outside of the process', async (t) => {
  const control = (path: string, body: unknown) => post(`/control/${path}`, body);
  t.match(await control('messages', { from: 77, text: 'hi' }), { status: 200, text: 'hi', message_id: Number });
  t.match(await control('messages', { from: 77, message: { photo: { base64: PNG.toString('base64') } } }), { photo: [{}, { file_size: PNG.length }] });
  t.match(await control('messages', { from: 77, message: { photo: {} } }), { status: 400, error: 'photo needs its bytes as base64' });
  t.match(await control('messages', { from: 77, words: 'hi' }), { status: 400, error: /words/ });
  const { message_id } = await result('sendMessage', { chat_id: 77, text: 'x', reply_markup: { inline_keyboard: [[{ text: 'A', callback_data: 'a' }]] } });
  t.match(await control('taps', { from: 77, message_id, text: 'A' }), { data: 'a' });
  t.match(await control('people', { id: 77, isBlocking: true }), { status: 200, id: 77 });
  t.match(await control('people', { id: 77, isBlocking: false, first_name: 'Ada' }), { first_name: 'Ada' });
  t.match(await control('groups', { from: 77, id: -77, title: 'G' }), { success: true });
  t.match(await control('faults', { on: { method: 'getMe' }, error: 500, times: 1 }), { id: String });
  t.match(await call('getMe'), { status: 500 });
  t.match(await control('faults', { error: 'no' }), { status: 400 });
  t.match(await control('elsewhere', {}), { status: 404, error: 'no such route' });
  const listed = await (await fetch(`${standIn.url}/control/messages`)).json();
  t.match((listed as { messages: unknown[] }).messages.at(-1), { method: 'sendMessage', message: { message_id } });
});
