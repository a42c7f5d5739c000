import { cpSync } from 'node:fs';
import { basename, join } from 'node:path';
import t from 'tap';
import { ManualClock, ScriptedSockets } from '#core/testing';
import { freshFolder } from '../../core/adapters/store/folders.js';
import { startDovecot, withoutDovecot } from './dovecot.js';
import { type NumberUnderTest, startNumber } from './number-under-test.js';

const DAY_MS = 24 * 60 * 60_000;

/** A clock that begins now, because the server writes on each mail when it came, and sockets that reach the server. */
function portsFor(port: number, clock = new ManualClock({ start: new Date() })) {
  return { clock, sockets: new ScriptedSockets({ clock }).answer(`127.0.0.1:${port}`, port) };
}

const textsOf = ({ received }: NumberUnderTest): string[] => received().map(({ content }) => content.text.body);

t.test(
  'a real mailbox: each mail once, over a kill, a server that starts again, and a mailbox that counts from 1 again',
  { skip: withoutDovecot },
  async (t) => {
    const dovecot = await startDovecot(t);
    const folder = freshFolder(t);
    const [dataDir, copy] = [join(folder, 'data'), join(folder, 'copy')];
    await dovecot.append('old@people.example', 'before the number', new Date(Date.now() - 2 * DAY_MS));
    const first = await startNumber(t, { number: dovecot.settings, dataDir, ports: portsFor(dovecot.port) });

    await dovecot.append('m1@people.example', 'mail 1');
    await first.until(() => first.received().length === 1);
    await dovecot.append('m2@people.example', 'mail 2');
    // The test clock does not move, so the server has announced it.
    await first.until(() => first.received().length === 2);
    t.same(textsOf(first), ['mail 1', 'mail 2'], 'the mail from before the number is not read');

    // The files are those of a process that is killed now.
    cpSync(dataDir, copy, { recursive: true, filter: (path) => !basename(path).startsWith('lock') });
    await first.server.stop();
    await dovecot.append('m3@people.example', 'mail 3');
    const again = await startNumber(t, { number: dovecot.settings, dataDir: copy, ports: portsFor(dovecot.port, first.clock) });
    await again.until(() => again.received().length === 1);
    t.same(textsOf(again), ['mail 3'], 'what came meanwhile, and no other again');

    await dovecot.restart();
    await dovecot.append('m4@people.example', 'mail 4');
    await again.settle(5_000);
    await again.until(() => again.received().length === 2);

    const known = [4, 3, 2, 1].map((n) => [`m${n}@people.example`, `mail ${n}`] as const);
    await dovecot.remake([...known, ['m5@people.example', 'mail 5']]);
    // The session still has the deleted mailbox until it looks again.
    await again.settle(5 * 60_000);
    await again.until(() => again.received().length === 3);
    await dovecot.append('m6@people.example', 'mail 6');
    await again.until(() => again.received().length === 4);
    t.same(textsOf(again), ['mail 3', 'mail 4', 'mail 5', 'mail 6'], 'mails that are numbered anew are known by their Message-ID');
    t.same(new Set(again.problems()), new Set(['receiving failed, and is tried again']));
  },
);

t.test('a server that announces nothing is asked', { skip: withoutDovecot }, async (t) => {
  const dovecot = await startDovecot(t, { isSilent: true });
  const test = await startNumber(t, { number: dovecot.settings, ports: portsFor(dovecot.port) });
  await test.settle();
  await dovecot.append('m1@people.example', 'mail 1');
  await test.settle(5 * 60_000);
  await test.until(() => test.received().length === 1);
  t.same(textsOf(test), ['mail 1']);
});
