import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { setTimeout as realSleep } from 'node:timers/promises';
import t from 'tap';
import { type ClockSetting, ManualClock } from '../../../core/adapters/clock/manual-clock.js';
import { RealClock } from '../../../core/adapters/clock/real-clock.js';
import { clockContract } from '../../../core/testing/clock-contract.js';
import { patient } from '../../../core/testing/slowness.js';
import type { Tap } from '../../../core/testing/tap.js';

t.test('the real clock keeps the contract', async (t) => {
  await clockContract(t, () => ({
    clock: new RealClock({ onError: (error) => t.fail(String(error)) }),
    pass: async (ms) => void (await realSleep(ms + 2)),
  }));
});

t.test('the manual clock keeps the contract', async (t) => {
  await clockContract(t, () => {
    const clock = new ManualClock();
    return { clock, pass: (ms) => clock.advance(ms) };
  });
});

t.test('a manual clock', async (t) => {
  await t.test('starts at the given time, or on a Monday morning', async (t) => {
    t.equal(new ManualClock().now().toISOString(), '2026-01-05T08:00:00.000Z');
    t.equal(new ManualClock({ start: new Date(0) }).now().getTime(), 0);
  });

  await t.test('shows the due time of a timer while it runs, and of the timers it sets', async (t) => {
    const clock = new ManualClock();
    const at: number[] = [];
    clock.after(10, () => {
      at.push(clock.monotonic());
      clock.after(5, () => {
        at.push(clock.monotonic());
        clock.after(0, () => void at.push(clock.monotonic()));
      });
    });
    clock.after(12, () => void at.push(clock.monotonic()));
    await clock.advance(100);
    t.same(at, [10, 12, 15, 15]);
    t.equal(clock.monotonic(), 100);
  });

  await t.test('waits for the promise that a timer returned before it advances', async (t) => {
    const clock = new ManualClock();
    const seen: string[] = [];
    clock.after(10, async () => {
      await realSleep(15);
      seen.push(`first at ${clock.monotonic()}`);
    });
    clock.after(11, () => void seen.push(`second at ${clock.monotonic()}`));
    await clock.advance(20);
    t.same(seen, ['first at 10', 'second at 11']);
  });

  await t.test('waits for work in progress, wherever it was started', async (t) => {
    const clock = new ManualClock();
    const seen: string[] = [];
    const work = clock.during(async () => {
      await realSleep(15);
      seen.push(`work at ${clock.monotonic()}`);
    });
    clock.after(1, () => void seen.push(`timer at ${clock.monotonic()}`));
    await clock.advance(10);
    await work;
    t.same(seen, ['work at 0', 'timer at 1']);
  });

  await t.test('does not wait for sleeps, however deep inside work', async (t) => {
    const clock = new ManualClock({ patienceMs: 60_000 });
    const seen: string[] = [];
    clock.after(5, async () => {
      await clock.during(async () => {
        await clock.during(() => clock.sleep(20));
        seen.push(`woke at ${clock.monotonic()}`);
        await realSleep(10);
        await clock.sleep(20);
        seen.push(`woke at ${clock.monotonic()}`);
      });
    });
    clock.after(25, () => void seen.push('timer at 25'));
    await clock.advance(100);
    t.same(seen, ['timer at 25', 'woke at 25', 'woke at 45']);
  });

  await t.test('does not wait for sleeps inside the work of another clock', async (t) => {
    const [outer, inner] = [new ManualClock({ patienceMs: 60_000 }), new ManualClock({ patienceMs: 60_000 })];
    const began = performance.now();
    const ends: string[] = [];
    const work = outer.during(() => inner.during(() => outer.sleep(1_000))).then(() => void ends.push('work'));
    outer.after(500, () => void ends.push('timer'));
    await outer.advance(1_000);
    await work;
    t.same(ends, ['timer', 'work']);
    t.ok(performance.now() - began < 30_000, 'without waiting for its patience');
  });

  await t.test('waits for work while other work sleeps', async (t) => {
    const clock = new ManualClock({ patienceMs: 60_000 });
    const seen: string[] = [];
    const poller = clock.sleep(50).then(() => void seen.push(`poller at ${clock.monotonic()}`));
    clock.after(10, async () => {
      const slow = clock.during(() => realSleep(20)).then(() => void seen.push(`work at ${clock.monotonic()}`));
      await Promise.all([slow, clock.sleep(5)]);
    });
    await clock.advance(60);
    await poller;
    t.same(seen, ['work at 10', 'poller at 50']);
  });

  await t.test('counts a sleep that ends early as work again', async (t) => {
    const clock = new ManualClock({ patienceMs: 60_000 });
    const stop = new AbortController();
    const seen: string[] = [];
    void clock.during(async () => {
      await clock.sleep(1000, stop.signal);
      await realSleep(10);
      seen.push(`ended at ${clock.monotonic()}`);
    });
    clock.after(30, () => stop.abort());
    clock.after(31, () => void seen.push('timer at 31'));
    await clock.advance(50);
    t.same(seen, ['ended at 30', 'timer at 31']);
    t.same(clock.pending(), []);
  });

  await t.test('advances without stalled work, and waits for it only once', async (t) => {
    const clock = new ManualClock({ patienceMs: 100 });
    const stuck = clock.during(() => new Promise<void>((resolve) => clock.after(5000, resolve)));
    for (let ms = 100; ms < 5000; ms += 100) clock.after(ms, () => {});
    const before = performance.now();
    await clock.advance(5000);
    await stuck;
    const took = performance.now() - before;
    t.ok(took >= 95, `took ${took} ms`);
    t.ok(took < patient(2000), `took ${took} ms`);
  });

  await t.test('rejects with what a timer threw, after the others have run', async (t) => {
    const clock = new ManualClock();
    const ran: number[] = [];
    clock.after(1, () => {
      throw new Error('one');
    });
    clock.after(2, () => void ran.push(2));
    await t.rejects(clock.advance(5), { message: 'one' });
    t.same(ran, [2]);

    clock.after(1, async () => {
      await clock.sleep(1);
      throw new Error('two');
    });
    clock.after(1, () => {
      throw new Error('three');
    });
    await t.rejects(clock.advance(5), { name: 'AggregateError', message: '2 timers failed: Error: three; Error: two' });
    await clock.advance(5);
  });

  await t.test('lists the due times of pending timers, and advances to the next', async (t) => {
    const clock = new ManualClock({ start: new Date(0) });
    let ran = 0;
    clock.after(20, () => void ran++);
    clock.after(10, () => void ran++);
    clock.after(10, () => void ran++);
    t.same(
      clock.pending().map((due) => due.getTime()),
      [10, 10, 20],
    );
    t.equal((await clock.next())?.getTime(), 10);
    t.equal(ran, 2);
    t.equal((await clock.next())?.getTime(), 20);
    t.equal(await clock.next(), undefined);
    t.equal(clock.monotonic(), 20);
  });

  await t.test('advances to a date, and never backwards', async (t) => {
    const clock = new ManualClock({ start: new Date(1000) });
    await clock.advanceTo(new Date(5000));
    t.equal(clock.now().getTime(), 5000);
    await t.rejects(clock.advanceTo(new Date(4999)), { name: 'RangeError' });
    await t.rejects(clock.advance(-1), { name: 'RangeError' });
  });

  await t.test('runs overlapping advances one after the other', async (t) => {
    const clock = new ManualClock();
    const at: number[] = [];
    for (const ms of [5, 15, 25]) clock.after(ms, () => void at.push(clock.monotonic()));
    await Promise.all([clock.advance(10), clock.advance(10), clock.advance(10)]);
    t.same(at, [5, 15, 25]);
    t.equal(clock.monotonic(), 30);
  });

  await t.test('refuses to be advanced from inside work that it waits for', async (t) => {
    const clock = new ManualClock();
    await t.rejects(
      clock.during(() => clock.advance(1)),
      /from inside work/,
    );
  });

  await t.test('keeps the remaining time of timers when the wall clock jumps', async (t) => {
    const clock = new ManualClock({ start: new Date(0) });
    let ran = 0;
    clock.after(10, () => void ran++);
    clock.jump(3_600_000);
    t.equal(clock.now().getTime(), 3_600_000);
    t.equal(clock.monotonic(), 0);
    t.equal(clock.pending()[0]?.getTime(), 3_600_010);
    await clock.advance(10);
    t.equal(ran, 1);
    clock.jump(-7_200_000);
    t.equal(clock.now().getTime(), 10 - 3_600_000);
  });
});

t.test('attempts over real sockets happen at exactly the times of the clock', async (t) => {
  const port = await listen(
    t,
    createServer((_, response) => setTimeout(() => response.end('ok'), Math.random() * 5)),
  );
  for (let round = 0; round < 60; round++) {
    const clock = new ManualClock({ patienceMs: 60_000 });
    const attempts: number[] = [];
    const attempt = async (rest: number[]): Promise<void> => {
      attempts.push(clock.monotonic());
      await clock.during(async () => void (await fetch(`http://127.0.0.1:${port}/`)).text());
      const [wait, ...later] = rest;
      if (wait !== undefined) clock.after(wait, () => attempt(later));
    };
    clock.after(0, () => attempt([17_000, 19_000, 24_000, 31_000, 47_000]));
    await clock.advance(138_000);
    t.same(attempts, [0, 17_000, 36_000, 60_000, 91_000, 138_000]);
  }
});

t.test('the clock does not wait for a receiver that sleeps on it before it answers', async (t) => {
  const clock = new ManualClock({ patienceMs: 200 });
  const port = await listen(
    t,
    createServer((_, response) => void clock.sleep(3000).then(() => response.end('late'))),
  );
  const seen: string[] = [];
  clock.after(1000, async () => {
    const answer = await fetch(`http://127.0.0.1:${port}/`);
    seen.push(`${await answer.text()} at ${clock.monotonic()}`);
  });
  await clock.advance(10_000);
  t.same(seen, ['late at 4000']);
});

t.test('a socket that never answers delays the clock by its patience', async (t) => {
  const server = createServer(() => {});
  const port = await listen(t, server);
  const clock = new ManualClock({ patienceMs: 200 });
  const seen: string[] = [];
  const socket = connect(port, '127.0.0.1');
  t.teardown(() => socket.destroy());
  void clock.during(() => once(socket, 'close')).then(() => void seen.push(`closed at ${clock.monotonic()}`));
  clock.after(5000, () => void socket.destroy());
  await clock.advance(6000);
  t.same(seen, ['closed at 5000']);
});

async function listen(t: Tap, server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

/** A manual clock that follows real time, and a wait in real time. */
const running = (t: Tap) => {
  const clock = new ManualClock({ onError: (error) => t.fail(String(error)) });
  clock.resume();
  return { clock, pass: async (ms: number): Promise<void> => void (await realSleep(ms + 5)) };
};

t.test('a manual clock that follows real time keeps the contract', async (t) => {
  await clockContract(t, () => running(t));
});

t.test('a manual clock that follows real time', async (t) => {
  await t.test('continues from the time that it shows, and keeps its distance to the system clock after a move', async (t) => {
    const clock = new ManualClock({ start: new Date() });
    clock.resume();
    const { offsetMs: before } = clock.setting() as { offsetMs: number };
    await clock.advance(17_000);
    const { offsetMs: after } = clock.setting() as { offsetMs: number };
    t.ok(after - before >= 17_000 && after - before <= 17_005, `moved by ${after - before} ms`);
    const [shown, stopwatch] = [clock.now().getTime(), performance.now()];
    await realSleep(50);
    const error = clock.now().getTime() - shown - (performance.now() - stopwatch);
    t.ok(Math.abs(error) < 5, `off by ${error} ms`);
  });

  await t.test('runs a timer in real time, also while work is in progress, and runs it early when it is moved', async (t) => {
    const { clock } = running(t);
    const ran: string[] = [];
    const work = clock.during(() => realSleep(patient(200)));
    clock.after(20, () => void ran.push('soon'));
    clock.after(60_000, () => void ran.push('late'));
    while (ran.length === 0) await realSleep(5);
    await work;
    t.same(ran, ['soon']);
    await clock.advance(60_000);
    t.same(ran, ['soon', 'late']);
  });

  await t.test('can be paused and resumed; timers wait meanwhile', async (t) => {
    const { clock } = running(t);
    let ran = 0;
    clock.after(20, () => void ran++);
    clock.pause();
    const paused = clock.now();
    await realSleep(50);
    t.same([ran, clock.now(), clock.isPaused], [0, paused, true]);
    clock.resume();
    while (ran === 0) await realSleep(5);
    t.ok(clock.now().getTime() - paused.getTime() < patient(2_000), 'the pause did not count');
  });

  await t.test('gives its setting to a clock that continues it', async (t) => {
    const settings: ClockSetting[] = [];
    const clock = new ManualClock({ start: new Date(5_000), onChange: (setting) => settings.push(setting) });
    await clock.advance(1_000);
    clock.resume();
    clock.pause();
    t.match(settings, [{ paused: true, now: new Date(6_000).toISOString() }, { paused: false, offsetMs: Number }, { paused: true }]);
    t.same(settings[2], { paused: true, now: clock.now().toISOString() });
  });
});

t.test('labelled timers and noted expiries are listed in their order, until they have passed or were cancelled', async (t) => {
  const clock = new ManualClock({ start: new Date(0) });
  clock.after(5, () => undefined);
  clock.after(30, () => undefined, { kind: 'late', title: 'late' });
  const cancelled = clock.after(10, () => undefined, { kind: 'cancelled', title: 'cancelled' });
  clock.noteExpiry(new Date(40), { kind: 'preview', id: 'p', title: 'expiry of p' });
  clock.noteExpiry(new Date(20), { kind: 'link', id: 'l', title: 'expiry of l' });
  cancelled.cancel();
  const kinds = () => clock.labelled().map(({ at, label }) => `${label.kind} ${at.getTime()}`);
  t.same(kinds(), ['link 20', 'late 30', 'preview 40']);
  await clock.advance(30);
  t.same(kinds(), ['preview 40']);
});

t.test('requests of a paused clock use real time, if asked for, and the clock waits for them', async (t) => {
  t.equal(new ManualClock().ofRequests, undefined, 'by default they use the manual clock');
  const paused = new ManualClock({ hasRealRequests: true });
  const requests = paused.ofRequests!;
  const ended: string[] = [];
  void requests.during(async () => {
    await new Promise<void>((resolve) => void requests.after(20, resolve));
    ended.push('request');
  });
  paused.after(1, () => void ended.push('timer'));
  await paused.advance(1);
  t.same(ended, ['request', 'timer']);
});
