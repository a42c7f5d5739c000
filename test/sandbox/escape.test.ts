import t from 'tap';
import type { StreamEvent } from '../../sandbox/client/admin-client.js';
import { summaryOf } from '../../sandbox/reports/summary.js';
import { escapeControls, escapeOutput } from '../../sandbox/terminal/escape.js';
import { painter } from '../../sandbox/terminal/painter.js';

/** Clears the screen, returns to the start of the line, starts a control sequence in one character, and reverses the text after it. */
const hostile = 'a\u001b[2J\r\u009b1m\u202eb\u2066c\u2028';
const harmless = 'a\\u001b[2J\\u000d\\u009b1m\\u202eb\\u2066c\\u2028';

t.test('control characters in texts from outside are escaped as in the log', async (t) => {
  t.equal(escapeControls(hostile), harmless);
  t.equal(escapeControls('Héllo 👋🏽 مرحبا'), 'Héllo 👋🏽 مرحبا');
  const marked = 'שלום\u200f (3)\u200e مرحبا\u061c!';
  t.equal(escapeControls(marked), marked, 'ordinary texts contain direction marks');
  t.equal(escapeOutput(marked, { isColoured: false }), marked);
  for (const turn of '\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069') t.match(escapeControls(turn), /^\\u20[26]/);
});

t.test('the line that tail prints for a message is escaped', async (t) => {
  const event = (name: string, data: object) => ({ id: '1', at: '2026-01-05T08:00:00.000Z', name, data }) as StreamEvent;
  const message = { from: '+1', type: 'text', content: { text: { body: `${hostile}\nd\u001b[31m` } } };
  t.equal(summaryOf(event('message.received', { message })), `▶ +1  ${harmless} ⏎ d\\u001b[31m`);
  t.equal(summaryOf(event('of.a.plugin', { said: '\u009b' })), '{"said":"\\u009b"}');
});

t.test('the output is escaped again, except for our own colours and line ends', async (t) => {
  const line = painter(true)('red', 'x');
  t.equal(escapeOutput(`${line}\n${hostile}`, { isColoured: true }), `${line}\n${harmless}`);
  t.equal(escapeOutput(`${line}\n`, { isColoured: false }), '\\u001b[31mx\\u001b[0m\n');
  t.strictSame(JSON.parse(escapeOutput(JSON.stringify({ hostile }), { isColoured: false })), { hostile });
});
