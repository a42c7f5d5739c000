import { server as hapiServer } from '@hapi/hapi';
import t from 'tap';
import { ManualClock, RecordedCall, ScriptedHttp } from '#core/testing';
import { telegramStandIn } from '../../../../plugins/telegram/testing/index.js';
import { PNG, startStandIn } from './stand-in-under-test.js';

/** One stand-in for all tests; each has a person of its own. */
const { clock, standIn, post, call, result, someone, waiting } = await startStandIn(t, {
  fetchFile: async (url) => {
    if (url.includes('unreachable')) throw new Error('refused');
    if (url.includes('page')) return { status: 200, mimeType: 'text/html', bytes: Buffer.from('<p>') };
    return { status: 200, mimeType: 'image/png', bytes: url.includes('large') ? Buffer.concat([PNG, Buffer.alloc(6_000_000)]) : PNG };
  },
});

t.test('calls need the token and a method that exists', async (t) => {
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

t.test('buttons are checked, tapped, answered and removed', async (t) => {
  const ada = await someone();
  const send = (rows: unknown) => result('sendMessage', { chat_id: ada, text: 'Choose', reply_markup: { inline_keyboard: rows } });
  for (const [rows, error] of [
    [[[{ text: 'x', callback_data: 'ä'.repeat(33) }]], 'BUTTON_DATA_INVALID'],
    [[[{ text: 'x', callback_data: '' }]], 'BUTTON_DATA_INVALID'],
    [[[{ text: 'x' }]], "can't parse inline keyboard button: Text buttons are unallowed in the inline keyboard"],
    [[{ text: 'x', callback_data: 'a' }], 'field "inline_keyboard" of the InlineKeyboardMarkup must be an Array of Arrays'],
    [[[{ text: 'x', url: 'http://localhost:4000' }]], "inline keyboard button URL 'http://localhost:4000' is invalid: Wrong HTTP URL"],
    [
      [[{ text: 'x', web_app: { url: 'http://a.test' } }]],
      "inline keyboard button Web App URL 'http://a.test' is invalid: Only HTTPS links are allowed",
    ],
    [Array.from({ length: 101 }, () => [{ text: 'x', callback_data: 'a' }]), 'reply markup is too long'],
  ] as const)
    t.equal(await send(rows), `400 Bad Request: ${error}`);
  const rows = [
    [{ text: 'Yes', callback_data: 'ä'.repeat(32) }],
    [
      { text: 'No', callback_data: 'n' },
      { text: 'Page', url: 'https://a.test/' },
    ],
  ];
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
  await clock.advance(61_000);
  t.equal(await result('answerCallbackQuery', { callback_query_id: old }), late);
  const place = { chat_id: ada, message_id };
  t.match(await result('editMessageReplyMarkup', place), { message_id, edit_date: clock.now().getTime() / 1_000 });
  t.equal(standIn.sent.at(-1)!.message.reply_markup, undefined);
  t.match(await result('editMessageReplyMarkup', place), /^400 Bad Request: message is not modified/);
  t.match(await result('editMessageText', { ...place, text: 'Chosen' }), { text: 'Chosen' });
  t.match(await result('editMessageText', { ...place, text: 'Chosen' }), /^400 Bad Request: message is not modified/);
  t.equal(
    await result('editMessageText', { chat_id: ada, message_id: 1_000_000, text: 'x' }),
    '400 Bad Request: message to edit not found',
  );
  const own = await standIn.write(ada, 'mine');
  t.equal(
    await result('editMessageText', { chat_id: ada, message_id: own.message_id, text: 'x' }),
    "400 Bad Request: message can't be edited",
  );
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
  const photo = await upload('sendPhoto', 'photo', PNG, {
    caption: '<b>shop</b>',
    parse_mode: 'HTML',
    reply_markup: '{"inline_keyboard":[[{"text":"a","callback_data":"b"}]]}',
  });
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
  t.match(
    await upload('sendPhoto', 'photo', Buffer.alloc(10 * 1024 * 1024 + 1)),
    /^400 .* is too big for a photo; the maximum size is 10485760 bytes$/,
  );
  t.match(await upload('sendDocument', 'document', Buffer.alloc(0)), /^400 Bad Request: file must be non-empty$/);
  t.equal(
    await upload('sendDocument', 'document', Buffer.from('x'), { caption: 'x'.repeat(1_025) }),
    '400 Bad Request: message caption is too long',
  );
  for (const [method, name] of [
    ['sendVideo', 'video'],
    ['sendAudio', 'audio'],
    ['sendVoice', 'voice'],
    ['sendDocument', 'document'],
    ['sendSticker', 'sticker'],
  ] as const)
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

t.test('a request above 50 MB is refused', async (t) => {
  const request = { method: 'POST', url: `${standIn.url}/bot${standIn.token}/sendDocument`, body: Buffer.alloc(51 * 1024 * 1024 + 1) };
  const answer = await standIn.answer(new RecordedCall({ ...request, deadlineMs: 0, maxResponseBytes: 0 }, clock.now()));
  t.match(answer, { status: 413, body: { ok: false, description: 'Request Entity Too Large' } });
});

t.test('without a port: a scripted client, and a hapi server that does not listen', async (t) => {
  const time = new ManualClock();
  const alone = await telegramStandIn({ clock: time, port: false });
  const http = new ScriptedHttp({ clock: time });
  alone.serve(http);
  const request = {
    method: 'POST' as const,
    headers: { 'content-type': 'application/json' },
    deadlineMs: 60_000,
    maxResponseBytes: 10_000,
  };
  const send = async (method: string, body: object) => {
    const outcome = await http.send({ ...request, url: `${alone.url}/bot${alone.token}/${method}`, body: JSON.stringify(body) });
    return outcome.kind === 'response' ? JSON.parse(new TextDecoder().decode(outcome.body)) : outcome;
  };
  const poll = send('getUpdates', { timeout: 50 });
  await time.advance(20_000);
  await alone.start(7);
  t.match(await poll, { ok: true, result: [{ message: { text: '/start' } }] });
  t.equal(time.now().getTime() - alone.requests[0]!.at.getTime(), 20_000, 'no longer than needed');
  const received: unknown[] = [];
  const bot = hapiServer();
  bot.route({
    method: 'POST',
    path: '/hook',
    handler: ({ payload, headers }) => {
      received.push([headers['x-telegram-bot-api-secret-token'], payload]);
      return 'ok';
    },
  });
  alone.sendTo(bot);
  await send('setWebhook', { url: 'https://bot.test/hook', secret_token: 's', drop_pending_updates: true });
  await alone.write(7, 'hi');
  t.match(received, [['s', { message: { text: 'hi' } }]]);
  t.ok(alone.updates[0]!.update_id >= 100_000_000, 'a random start');
  await time.advance(8 * 24 * 60 * 60_000);
  await alone.write(7, 'again');
  const [last, next] = alone.updates.slice(-2).map(({ update_id }) => update_id) as [number, number];
  t.not(next, last + 1, 'a random id after a week without updates');
});

t.test('people write everything, edit, reply, block, and write in groups', async (t) => {
  const ada = await someone();
  const text = await standIn.write(ada, 'see https://a.test/x', { replyTo: (await standIn.start(ada, 'from-shop')).message_id });
  t.match(standIn.updates.at(-1), { message: { entities: [{ type: 'url', offset: 4 }], reply_to_message: { text: '/start from-shop' } } });
  t.match(await standIn.write(ada, { photo: { bytes: PNG }, caption: 'a #shop' }), {
    photo: [{}, { width: 1 }],
    caption_entities: [{ type: 'hashtag' }],
  });
  t.match(await standIn.write(ada, { animation: { bytes: PNG } }), { animation: {}, document: {} }, 'an animation is a document, too');
  t.match(await standIn.write(ada, { sticker: { bytes: PNG, is_animated: true, emoji: '👍' } }), {
    sticker: { is_animated: true, thumbnail: {} },
  });
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
  t.match(standIn.updates.slice(-2), [
    { my_chat_member: { new_chat_member: { status: 'member' } } },
    { message: { new_chat_members: [{ is_bot: true }] } },
  ]);
  await standIn.write(ada, 'hi all', { chat: -5 });
  t.match(standIn.updates.at(-1), { message: { chat: { id: -5, type: 'group', title: 'Friends' }, from: { id: ada } } });
  await standIn.migrate(ada, -5, -1_005);
  t.match(standIn.updates.slice(-2), [
    { message: { migrate_to_chat_id: -1_005 } },
    { message: { migrate_from_chat_id: -5, message_id: 1 } },
  ]);
  t.match(await call('sendMessage', { chat_id: -5, text: 'x' }), { status: 400, parameters: { migrate_to_chat_id: -1_005 } });
  t.match(await result('sendMessage', { chat_id: -1_005, text: 'x' }), { message_id: 2 }, 'a supergroup counts by itself');
  await standIn.leave(ada, -1_005);
  t.equal(await result('sendMessage', { chat_id: -1_005, text: 'x' }), '403 Forbidden: bot was kicked from the supergroup chat');
  t.equal(await result('sendChatAction', { chat_id: ada, action: 'typing' }), true);
  t.equal(await result('sendChatAction', { chat_id: ada, action: 'sleeping' }), '400 Bad Request: wrong parameter action in request');
  t.match(standIn.actions, [{ chat: ada, action: 'typing' }]);
});

t.test('faults: refusals, floods, broken and silent connections, delays, and messages without an id', async (t) => {
  const [ada, bob] = [await someone(), await someone()];
  const send = (chat: number, text = 'x') => call('sendMessage', { chat_id: chat, text });
  standIn.flood(5, ada);
  t.match(await send(ada), {
    status: 429,
    error_code: 429,
    description: 'Too Many Requests: retry after 5',
    parameters: { retry_after: 5 },
  });
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
  t.strictSame(
    standIn.sent.slice(before).map(({ message }) => message.text),
    ['x', 'x', 'lost'],
  );
  fault({ connection: 'hang', on: { contains: 'nothing' } });
  const hanging = t.rejects(send(ada, 'nothing'), /fetch failed/);
  fault({ connection: 'silent', on: { contains: 'silent' } });
  const silent = send(ada, 'silent');
  await waiting(2);
  t.equal(standIn.sent.at(-1)!.message.text, 'silent');
  const failed = t.rejects(silent, /fetch failed/);
  await clock.advance(30_000);
  await Promise.all([hanging, failed]);
  t.notOk(
    standIn.sent.some(({ message }) => message.text === 'nothing'),
    'a call that hangs is not accepted',
  );
  fault({ holdMs: 5_000 });
  const slow = send(ada, 'slow');
  await waiting();
  await clock.advance(5_000);
  t.match(await slow, { result: { text: 'slow' } });
  fault({ isScheduled: true });
  t.match(await send(ada), { result: { message_id: 0 } });
  t.strictSame(
    standIn.faults.list().map(({ applied }) => applied),
    Array(11).fill(1),
  );
  standIn.faults.clear();
});

t.test('control routes do the same from outside of the process', async (t) => {
  const control = (path: string, body: unknown) => post(`/control/${path}`, body);
  t.match(await control('messages', { from: 77, text: 'hi' }), { status: 200, text: 'hi', message_id: Number });
  t.match(await control('messages', { from: 77, message: { photo: { base64: PNG.toString('base64') } } }), {
    photo: [{}, { file_size: PNG.length }],
  });
  t.match(await control('messages', { from: 77, message: { photo: {} } }), { status: 400, error: 'photo needs its bytes as base64' });
  t.match(await control('messages', { from: 77, words: 'hi' }), { status: 400, error: /words/ });
  const { message_id } = await result('sendMessage', {
    chat_id: 77,
    text: 'x',
    reply_markup: { inline_keyboard: [[{ text: 'A', callback_data: 'a' }]] },
  });
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
