import type { InlinePool } from '#core/testing';
import type { Draft } from './engine/journey-under-test.js';

// Journeys of a few blocks, for tests of conversations.

export const minutes = (count: number): number => count * 60_000;

export const OPEN = 'MobilePrimitives.OpenResponse';

export const MESSAGE = 'MobilePrimitives.Message';

/** Sends one message, and ends. */
export const says = (text: string): Draft => ({ texts: { text }, blocks: [{ name: 'say', type: MESSAGE, config: { prompt: 'text' } }] });

/** Asks two questions, and says goodbye. */
export const asks: Draft = {
  texts: { who: 'What is your name?', where: 'Where do you live, @who?', bye: 'Goodbye @who of @where' },
  blocks: [
    { name: 'who', type: OPEN, config: { prompt: 'who' } },
    { name: 'where', type: OPEN, config: { prompt: 'where' } },
    { name: 'bye', type: MESSAGE, config: { prompt: 'bye' } },
  ],
};

/** Runs a function before each step of a journey. */
export function poolWith(pool: InlinePool, before: (input: unknown) => Promise<void> | void): InlinePool {
  const run: InlinePool['run'] = async (type, input) => {
    if (type.name === 'journey.step') await before(input);
    return pool.run(type, input);
  };
  return { run, check: (type) => pool.check(type), stop: () => pool.stop() } as InlinePool;
}
