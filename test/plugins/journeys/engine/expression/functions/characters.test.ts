import t from 'tap';
import { patient } from '../../../../../../core/testing/slowness.js';
import { charactersOf } from '../../../../../../plugins/journeys/engine/expression/functions/characters.js';

t.test('segmenting a long text in pieces gives the same characters as segmenting the whole', async (t) => {
  const family = '👩‍👩‍👧';
  const flag = '🇿🇦';
  for (const [unit, length] of [
    [family, 8],
    [flag, 4],
    ['e\u0301', 2],
    ['\r\n', 2],
    ['x', 1],
  ] as const) {
    for (const before of ['', 'x', 'xxx']) {
      t.equal(unit.length, length);
      const found = charactersOf(before + unit.repeat(1000));
      t.strictSame([found.length, new Set(found.slice(before.length))], [before.length + 1000, new Set([unit])], JSON.stringify(unit));
    }
  }
  t.equal(charactersOf(`a${'\u0301'.repeat(1000)}b`).length, 2);
  const long = `x\n${'x'.repeat(65_000)}😀`;
  const before = process.cpuUsage();
  t.equal(charactersOf(long).length, 65_003);
  t.equal(charactersOf(`a${'\u0301'.repeat(65_000)}`).join('').length, 65_001, 'no combining mark of a very long character is lost');
  const ms = process.cpuUsage(before).user / 1000;
  t.ok(ms < patient(3000), `${ms} ms`);
});
