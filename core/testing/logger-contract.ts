import type { Logger } from '../ports/logger.js';
import type { Tap } from './tap.js';

/** A logger, and what it wrote. */
export interface LoggerUnderTest {
  readonly log: Logger;
  /** The lines logged so far. */
  lines(): readonly { readonly level: string; readonly message: string; readonly fields: object }[];
}

/** The contract of every logger. */
export async function loggerContract(t: Tap, make: () => LoggerUnderTest): Promise<void> {
  await t.test('a line has its level, its message and its fields', async (t) => {
    const { log, lines } = make();
    log.debug('looked', { at: 'queue' });
    log.info('started', { port: 8080, lanes: ['high', 'low'], owner: { name: 'webhooks' } });
    log.warn('slow');
    log.error('broke', { error: new Error('out of paper') });
    t.match(lines(), [
      { level: 'debug', message: 'looked', fields: { at: 'queue' } },
      { level: 'info', message: 'started', fields: { port: 8080, lanes: ['high', 'low'], owner: { name: 'webhooks' } } },
      { level: 'warn', message: 'slow', fields: {} },
      { level: 'error', message: 'broke', fields: { error: { message: 'out of paper' } } },
    ]);
  });

  await t.test('a child adds its fields to every line, and its own children add theirs', async (t) => {
    const { log, lines } = make();
    const plugin = log.child({ plugin: 'channels', part: 'routes' });
    const request = plugin.child({ request: 'r1', part: 'driver' });
    request.info('sent', { id: 'm1' });
    plugin.info('idle');
    log.info('outside');
    t.same(
      lines().map(({ message, fields }) => ({ message, fields })),
      [
        { message: 'sent', fields: { plugin: 'channels', part: 'driver', request: 'r1', id: 'm1' } },
        { message: 'idle', fields: { plugin: 'channels', part: 'routes' } },
        { message: 'outside', fields: {} },
      ],
    );
  });

  await t.test('fields that cannot be read or never end do not throw', async (t) => {
    const { log, lines } = make();
    const loop: { self?: unknown } = {};
    loop.self = loop;
    const trap = {
      get broken(): never {
        throw new Error('a trap');
      },
    };
    log.info('loop', { loop });
    log.info('trap', { trap });
    log.info('odd', {
      big: 10n,
      none: undefined,
      nothing: null,
      run: () => {},
      mark: Symbol('mark'),
      not: Number.NaN,
      bad: new Date(Number.NaN),
    });
    log.info('huge', { text: 'x'.repeat(10_000_000), list: new Array(100_000).fill({ a: [1, 2, 3] }) });
    t.same(
      lines().map(({ message }) => message),
      ['loop', 'trap', 'odd', 'huge'],
    );
  });
}
