import { setTimeout as sleep } from 'node:timers/promises';
import type { EventBus, HandlerFailed } from '../ports/events.js';
import type { Tap } from './tap.js';

/** An event bus, and the failures it reported. */
export interface BusUnderTest {
  readonly bus: EventBus;
  /** The failures reported so far. */
  failures(): readonly Parameters<HandlerFailed>[0][];
}

/** The contract of every event bus. */
export async function eventsContract(t: Tap, make: () => BusUnderTest): Promise<void> {
  await t.test('announce resolves when every handler has ended', async (t) => {
    const { bus } = make();
    const done: string[] = [];
    bus.subscribe('a', 'message.received', async () => {
      await sleep(10);
      done.push('slow');
    });
    bus.subscribe('b', 'message.received', () => void done.push('quick'));
    await bus.announce(eventOf('message.received', 1));
    t.same(done, ['quick', 'slow']);
  });

  await t.test('handlers receive the events they subscribed to, with the payload', async (t) => {
    const { bus } = make();
    const received: unknown[] = [];
    bus.subscribe('a', 'message.received', (payload) => void received.push(payload));
    await bus.announce(eventOf('message.received', { id: 'm1' }));
    await bus.announce(eventOf('message.sent', { id: 'm2' }));
    await bus.announce(eventOf('message', { id: 'm3' }));
    t.same(received, [{ id: 'm1' }]);
  });

  await t.test('an event without handlers does nothing, whatever its name', async (t) => {
    const { bus } = make();
    const received: unknown[] = [];
    for (const name of ['__proto__', 'constructor', 'error', '', '*', 'everything']) await bus.announce(eventOf(name, null));
    bus.subscribe('a', '__proto__', (payload) => void received.push(payload));
    await bus.announce(eventOf('__proto__', 1));
    t.same(received, [1]);
  });

  await t.test('a handler that fails is reported and affects neither other handlers nor the announcer', async (t) => {
    const { bus, failures } = make();
    const done: string[] = [];
    bus.subscribe('webhooks', 'message.received', () => {
      throw new Error('threw');
    });
    bus.subscribe('journeys', 'message.received', async () => {
      await sleep(1);
      throw new Error('rejected');
    });
    bus.subscribeAll('stream', () => {
      throw new Error('stream broke');
    });
    bus.subscribe('channels', 'message.received', () => void done.push('channels'));
    await bus.announce(eventOf('message.received', 1));
    t.same(done, ['channels']);
    const reported = failures().map(({ owner, event, error }) => `${owner} at ${event}: ${(error as Error).message}`);
    t.same(reported.sort(), [
      'journeys at message.received: rejected',
      'stream at message.received: stream broke',
      'webhooks at message.received: threw',
    ]);
  });

  await t.test('a subscriber to all events receives them in the order of announcement, without waiting for other handlers', async (t) => {
    const { bus } = make();
    const received: string[] = [];
    bus.subscribe('slow', 'a', () => sleep(10));
    bus.subscribeAll('stream', ({ name, payload, shown }) => void received.push(`${name} ${payload}, ${shown}`));
    await Promise.all([bus.announce(eventOf('a', 1)), bus.announce(eventOf('b', 2)), bus.announce(eventOf('a', 3))]);
    t.same(received, ['a 1, shown 1', 'b 2, shown 2', 'a 3, shown 3']);
  });

  await t.test('handlers start in the order of announcement', async (t) => {
    const { bus } = make();
    const received: unknown[] = [];
    bus.subscribe('a', 'count', async (payload) => {
      received.push(payload);
      await sleep(1);
    });
    await Promise.all([1, 2, 3].map((payload) => bus.announce(eventOf('count', payload))));
    t.same(received, [1, 2, 3]);
  });

  await t.test('unsubscribing ends that subscription only', async (t) => {
    const { bus } = make();
    const received: string[] = [];
    const handle = () => void received.push('handled');
    const first = bus.subscribe('a', 'tick', handle);
    const second = bus.subscribe('a', 'tick', handle);
    const all = bus.subscribeAll('a', () => void received.push('all'));
    first();
    await bus.announce(eventOf('tick', 1));
    t.same(received, ['all', 'handled']);
    second();
    all();
    first();
    await bus.announce(eventOf('tick', 2));
    t.same(received, ['all', 'handled']);
  });

  await t.test('handlers may subscribe and unsubscribe while an event is announced', async (t) => {
    const { bus } = make();
    const received: string[] = [];
    const stop = bus.subscribe('a', 'tick', () => {
      received.push('a');
      stop();
      bus.subscribe('late', 'tick', () => void received.push('late'));
    });
    bus.subscribe('b', 'tick', () => void received.push('b'));
    await bus.announce(eventOf('tick', 1));
    t.same(received, ['a', 'b']);
    await bus.announce(eventOf('tick', 2));
    t.same(received, ['a', 'b', 'b', 'late']);
  });

  await t.test('a handler may announce, and subscribers to all events receive the earlier event first', async (t) => {
    const { bus } = make();
    const received: string[] = [];
    const stream: string[] = [];
    bus.subscribe('a', 'first', async () => {
      await bus.announce(eventOf('second', 1));
      received.push('first');
    });
    bus.subscribe('b', 'second', () => void received.push('second'));
    bus.subscribeAll('stream', ({ name }) => void stream.push(name));
    await bus.announce(eventOf('first', 1));
    t.same(stream, ['first', 'second']);
    t.same(received, ['second', 'first']);
  });
}

const eventOf = (name: string, payload: unknown) => ({ name, payload, shown: `shown ${payload}` });
