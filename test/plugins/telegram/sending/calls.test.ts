import fc from 'fast-check';
import t from 'tap';
import { turnParts } from '#core/messaging';
import type { Sendable } from '../../../../core/turns/turn.js';
import { type AboutFile, callsOf, type Keyboard } from '../../../../plugins/telegram/sending/calls.js';
import { runs } from '../../../forms.js';

const KEYBOARD: Keyboard = { key: 'k2345678', kind: 'inline' };
const calls = (turn: object, about?: AboutFile, keyboard = KEYBOARD, rendered?: string) =>
  callsOf(turnParts(turn as Sendable, rendered)!, keyboard, about);
const text = (body: string) => ({ type: 'text', text: { body } });
const buttons = (titles: readonly string[], more: object = {}) => ({
  type: 'interactive',
  interactive: {
    type: 'button',
    body: { text: 'Which?' },
    action: { buttons: titles.map((title, i) => ({ type: 'reply', reply: { id: `b${i}`, title } })) },
    ...more,
  },
});

t.test('a text has its formats as entities, counted in UTF-16 units', async (t) => {
  t.strictSame(calls(text('👋 **Hi** _you_ ~no~ `x` [here](https://example.org/a)')), [
    {
      method: 'sendMessage',
      fields: {
        text: '👋 Hi you no x here',
        entities: [
          { type: 'bold', offset: 3, length: 2 },
          { type: 'italic', offset: 6, length: 3 },
          { type: 'strikethrough', offset: 10, length: 2 },
          { type: 'code', offset: 13, length: 1 },
          { type: 'text_link', offset: 15, length: 4, url: 'https://example.org/a' },
        ],
      },
    },
  ]);
  t.strictSame(calls(text('before\n```js\nlet *a* = 1\n```')), [
    { method: 'sendMessage', fields: { text: 'before\nlet *a* = 1', entities: [{ type: 'pre', offset: 7, length: 11 }] } },
  ]);
  t.strictSame(
    calls(text('1 < 2 & *not closed')),
    [{ method: 'sendMessage', fields: { text: '1 < 2 & *not closed' } }],
    'nothing is escaped',
  );
});

t.test('a long text is split between paragraphs, lines or words, with its formats', async (t) => {
  const long = `${'word '.repeat(700)}\n\n**${'bold '.repeat(200).trim()}**`;
  const [first, second, ...more] = calls(text(long)) as unknown as {
    fields: { text: string; entities?: { offset: number; length: number }[] };
  }[];
  t.equal(more.length, 0);
  t.equal(first!.fields.text.trim(), 'word '.repeat(700).trim());
  t.match(second!.fields.text, /^bold bold/);
  t.strictSame(second!.fields.entities, [{ type: 'bold', offset: 0, length: second!.fields.text.length }]);
});

t.test('no text is lost or too long, whatever it is, and no character is cut in two', async () => {
  const words = fc.array(fc.constantFrom('a', '**b**', '👩‍👩‍👧', '\n\n', ' ', 'word', '_x_', 'é'.repeat(3_000)), {
    minLength: 1,
    maxLength: 40,
  });
  fc.assert(
    fc.property(words, (parts) => {
      const sent = calls(text(parts.join(''))) as unknown as {
        fields: { text: string; entities?: { offset: number; length: number }[] };
      }[];
      return sent.every(
        ({ fields: { text, entities = [] } }) =>
          text.length <= 4096 &&
          !/[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/.test(text) &&
          entities.every(({ offset, length }) => offset >= 0 && length > 0 && offset + length <= text.length),
      );
    }),
    { numRuns: runs(100) },
  );
});

t.test('buttons are a keyboard below the text, two on a line if they are short', async (t) => {
  const [call] = calls(buttons(['Yes', 'No', 'Perhaps'], { header: { type: 'text', text: 'Loan' }, footer: { text: 'Thanks' } }));
  t.strictSame(call, {
    method: 'sendMessage',
    fields: {
      text: 'Loan\n\nWhich?\n\nThanks',
      entities: [{ type: 'bold', offset: 0, length: 4 }],
      reply_markup: {
        inline_keyboard: [
          [
            { text: 'Yes', callback_data: 'k2345678.0' },
            { text: 'No', callback_data: 'k2345678.1' },
          ],
          [{ text: 'Perhaps', callback_data: 'k2345678.2' }],
        ],
      },
    },
  });
  const [long] = calls(buttons(['A title that is longer than twenty', 'No'])) as unknown as {
    fields: { reply_markup: { inline_keyboard: unknown[][] } };
  }[];
  t.strictSame(
    long!.fields.reply_markup.inline_keyboard.map((line) => line.length),
    [1, 1],
  );
  const [reply] = calls(buttons(['Yes', 'No']), undefined, { key: 'k', kind: 'reply' });
  t.strictSame(reply!.fields.reply_markup, {
    keyboard: [[{ text: 'Yes' }, { text: 'No' }]],
    resize_keyboard: true,
    one_time_keyboard: true,
  });
});

t.test('the data of buttons has at most 64 bytes, whatever the ids are', async (t) => {
  const turn = buttons(Array.from({ length: 100 }, (_, i) => `${i}`));
  const [call] = calls(turn) as unknown as { fields: { reply_markup: { inline_keyboard: { callback_data: string }[][] } } }[];
  for (const { callback_data: data } of call!.fields.reply_markup.inline_keyboard.flat()) t.ok(Buffer.byteLength(data) <= 64, data);
});

t.test('what rows of a list say besides their titles is in the text', async (t) => {
  const [call] = calls({
    type: 'interactive',
    interactive: {
      type: 'list',
      body: { text: 'How can we help?' },
      action: {
        button: 'Choose',
        sections: [
          {
            title: 'Library',
            rows: [
              { id: 'hours', title: 'Opening hours' },
              { id: 'loans', title: 'Loans', description: 'Due dates' },
            ],
          },
          { title: 'Shop', rows: [{ id: 'cards', title: 'Cards' }] },
        ],
      },
    },
  });
  t.equal(call!.fields.text, 'How can we help?\n\nLibrary\nOpening hours\nLoans: Due dates\n\nShop\nCards');
  t.match(call!.fields.reply_markup, { inline_keyboard: [[{ text: 'Opening hours' }], [{ text: 'Loans' }], [{ text: 'Cards' }]] });
});

t.test('files are photos, videos, sounds, voice messages or documents, by what Telegram plays', async (t) => {
  const about = (mime_type: string, size = 1_000): AboutFile => ({ mime_type, size, filename: null });
  const method = (kind: string, known: AboutFile) => calls({ type: kind, [kind]: { link: 'media:1', mime_type: 'x/y' } }, known)[0]!.method;
  t.equal(method('image', about('image/png')), 'sendPhoto');
  t.equal(method('image', about('image/png', 11 * 1024 * 1024)), 'sendDocument', 'too large for a photo');
  t.equal(method('image', about('image/svg+xml')), 'sendDocument');
  t.equal(method('video', about('video/mp4')), 'sendVideo');
  t.equal(method('video', about('video/quicktime')), 'sendDocument');
  t.equal(method('audio', about('audio/ogg')), 'sendVoice');
  t.equal(method('audio', about('audio/mpeg')), 'sendAudio');
  t.equal(method('audio', about('audio/x-wav')), 'sendDocument');
  t.equal(method('document', about('application/pdf')), 'sendDocument');
  const [call] = calls({
    type: 'document',
    document: { link: 'https://example.org/a.pdf', mime_type: 'application/pdf', filename: 'a.pdf', caption: '*Hi*' },
  });
  t.strictSame(call, {
    method: 'sendDocument',
    fields: { caption: 'Hi', caption_entities: [{ type: 'bold', offset: 0, length: 2 }] },
    file: { field: 'document', id: undefined, link: 'https://example.org/a.pdf', filename: 'a.pdf' },
  });
  const long = calls({ type: 'image', image: { link: 'media:1', mime_type: 'image/png', caption: 'x '.repeat(600) } });
  t.strictSame(
    long.map((one) => one.method),
    ['sendPhoto', 'sendMessage'],
    'a long caption follows as a text',
  );
});

t.test('a file as header comes before the text with the buttons', async (t) => {
  const sent = calls(buttons(['Yes'], { header: { type: 'image', image: { link: 'media:7', mime_type: 'image/png' } } }));
  t.match(sent, [
    { method: 'sendPhoto', file: { field: 'photo', id: '7' } },
    { method: 'sendMessage', fields: { text: 'Which?', reply_markup: { inline_keyboard: [[{ text: 'Yes' }]] } } },
  ]);
});

t.test('a template is its text with the parameters; without a text it cannot be sent', async (t) => {
  const turn = { template: { name: 'loan_due', language: { code: 'en' } } };
  t.strictSame(calls(turn, undefined, KEYBOARD, 'Due *tomorrow*'), [{ method: 'sendMessage', fields: { text: 'Due *tomorrow*' } }]);
  t.equal(turnParts(turn as Sendable), undefined);
});
