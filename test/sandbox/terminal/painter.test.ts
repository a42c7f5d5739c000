import t from 'tap';
import { painter, wantsColour } from '../../../sandbox/terminal/painter.js';

t.test('a terminal gets colours and a pipe does not, unless the environment overrides it', async (t) => {
  const [terminal, pipe] = [{ isTTY: true }, {}];
  t.equal(wantsColour(terminal, {}), true);
  t.equal(wantsColour(pipe, {}), false);
  t.equal(wantsColour(terminal, { NO_COLOR: '1' }), false);
  t.equal(wantsColour(terminal, { NO_COLOR: '' }), true, 'an empty NO_COLOR has no effect');
  t.equal(wantsColour(terminal, { TERM: 'dumb' }), false);
  t.equal(wantsColour(pipe, { FORCE_COLOR: '1' }), true);
  t.equal(wantsColour(terminal, { FORCE_COLOR: '0' }), false);
  t.equal(wantsColour(pipe, { FORCE_COLOR: '1', NO_COLOR: '1' }), false);
});

t.test('without colours a text stays unchanged', async (t) => {
  t.equal(painter(false)('red', 'no'), 'no');
  t.equal(painter(true)('red', 'no'), '\u001b[31mno\u001b[0m');
});
