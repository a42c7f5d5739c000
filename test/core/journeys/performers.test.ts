import t from 'tap';
import type { PluginContext } from '#core';
import { definePlugin } from '#core';
import type { Effect, HttpEffect, Performer } from '#core/areas';
import { startPlatform } from '#core/testing';
import { createEffects } from '../../../core/journeys/performers.js';

const plugin = (name: string, performs: Performer<HttpEffect>, seen?: (context: PluginContext) => void) =>
  definePlugin({
    name,
    version: '1.0.0',
    register(context) {
      seen?.(context);
      return { effects: { http: performs } };
    },
  })();

const request: HttpEffect = {
  ...{ kind: 'http', method: 'GET', url: 'https://a.test/', query: [], headers: [], body: null },
  ...{ timeoutMs: 1000, cacheMs: 0, retry: { max: 0, on: [] }, deferred: false },
} as const;
const says =
  (reason: string): Performer =>
  async () => ({ kind: 'failed', code: 'test', reason });

t.test('a plugin performs the effects of a kind for every journey', async (t) => {
  let context: PluginContext | undefined;
  const performs: Performer<HttpEffect> = async ({ url }, { number }) => ({ kind: 'failed', code: 'test', reason: `${number}: ${url}` });
  await startPlatform(t, { plugins: [plugin('networking', performs, (given) => (context = given))] });
  t.match(await context?.effects.performer('one')(request), { reason: 'one: https://a.test/' });
  t.match(await context?.effects.performer('one')({ kind: 'content', content: 'c' }), { kind: 'failed', code: 'not_available' });
});

t.test('two plugins cannot perform the same kind of effect', async (t) => {
  await t.rejects(
    startPlatform(t, { plugins: [plugin('one', says('1')), plugin('other', says('2'))] }),
    /'http' effects is already contributed by 'one'/,
  );
});

t.test('an override also applies to effects within effects', async (t) => {
  const { performer } = createEffects(() => ({ http: says('network'), skill: (_, { perform }) => perform(request) }));
  const skill: Effect = { kind: 'skill', skill: 's', arguments: {} };
  t.match(await performer('one')(skill), { reason: 'network' });
  t.match(await performer('one', { http: says('mock') })(skill), { reason: 'mock' });
});
