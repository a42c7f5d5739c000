import t from 'tap';
import { contactOf, readMessage } from '../../../../plugins/telegram/receiving/inbound.js';

const frame = { message_id: 5, date: 1_767_600_000, chat: { id: 7, type: 'private' }, from: { id: 7, first_name: 'Ann' } };
const read = (message: object) => readMessage({ ...frame, ...message });
const file = { file_id: 'F1', file_unique_id: 'U1', file_size: 12 };

t.test('every kind of message has its form of the platform', async (t) => {
  t.strictSame(read({ text: 'hi' }), { type: 'text', part: { body: 'hi' } });
  t.strictSame(
    read({ photo: [{ ...file, file_id: 'small' }, file], caption: 'a cat' }),
    { type: 'image', part: { caption: 'a cat' }, file: { id: 'F1', size: 12, mimeType: 'image/jpeg' } },
    'the largest size',
  );
  t.match(read({ animation: { ...file, mime_type: 'video/mp4' }, document: file }), { type: 'video', file: { id: 'F1' } });
  t.match(read({ video: file }), { type: 'video', file: { mimeType: 'video/mp4' } });
  t.match(read({ video_note: file }), { type: 'video' });
  t.match(read({ voice: { ...file, mime_type: 'audio/ogg' } }), { type: 'voice', file: { mimeType: 'audio/ogg' } });
  t.match(read({ audio: { ...file, file_name: 'song.mp3', mime_type: 'audio/mpeg' } }), { type: 'audio', file: { filename: 'song.mp3' } });
  t.match(read({ document: { ...file, file_name: 'a.pdf', mime_type: 'application/pdf' } }), {
    type: 'document',
    file: { filename: 'a.pdf', mimeType: 'application/pdf' },
  });
  t.match(read({ sticker: { ...file, emoji: '😀' } }), { type: 'sticker', part: { caption: '😀' }, file: { mimeType: 'image/webp' } });
  t.match(read({ sticker: { ...file, is_animated: true, thumbnail: { file_id: 'T', file_size: 3 } } }), {
    type: 'sticker',
    file: { id: 'T' },
  });
  t.strictSame(read({ location: { latitude: 1.5, longitude: -2 } }), { type: 'location', part: { latitude: 1.5, longitude: -2 } });
  t.strictSame(
    read({
      location: { latitude: 1, longitude: 2 },
      venue: { title: 'Library', address: 'Main St', location: { latitude: 1, longitude: 2 } },
    }),
    { type: 'location', part: { latitude: 1, longitude: 2, name: 'Library', address: 'Main St' } },
  );
  t.match(read({ contact: { phone_number: '+27820001001', first_name: 'Bob', last_name: 'Lee' } }), {
    type: 'contacts',
    part: [{ name: { formatted_name: 'Bob Lee' }, phones: [{ phone: '+27820001001' }] }],
  });
  t.strictSame(read({ poll: { id: '1', question: '?' } }), { type: 'unsupported', part: { poll: { id: '1', question: '?' } } });
});

t.test('the addresses of links behind words are written out, from the end of the text to its beginning', async (t) => {
  const entities = [
    { type: 'text_link', offset: 3, length: 4, url: 'https://a.example/' },
    { type: 'bold', offset: 0, length: 2 },
    { type: 'text_link', offset: 8, length: 5, url: 'https://b.example/' },
  ];
  t.strictSame(read({ text: '👋 here there', entities }).part, { body: '👋 here (https://a.example/) there (https://b.example/)' });
});

t.test('values of other types than those of the Bot API break nothing', async (t) => {
  for (const value of [null, 0, '', 'x', true, [], [null], {}, [[]], { file_id: 7 }, { latitude: 'x' }]) {
    for (const kind of [
      'text',
      'caption',
      'photo',
      'video',
      'animation',
      'voice',
      'audio',
      'sticker',
      'document',
      'location',
      'venue',
      'contact',
      'entities',
    ])
      t.type(read({ [kind]: value, ...(kind === 'entities' && { text: 'x' }) }).type, 'string');
  }
});

t.test('the name of a contact is that of the profile, else the user name', async (t) => {
  t.strictSame(contactOf({ id: 7, first_name: 'Ann', last_name: 'Lee' }, '7'), { id: '7', name: 'Ann Lee' });
  t.strictSame(contactOf({ id: 7, username: 'ann' }, '7'), { id: '7', name: 'ann' });
  t.strictSame(contactOf({ id: 7 }, '7'), { id: '7' });
});
