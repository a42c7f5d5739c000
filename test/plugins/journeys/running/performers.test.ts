import t from 'tap';
import { definePlugin } from '#core';
import { startPlatform } from '#core/testing';
import type { Effect, HttpEffect, PluginEffect } from '../../../../plugins/journeys/engine/effect.js';
import { type JourneysService, journeys, journeysService } from '../../../../plugins/journeys/plugin.js';
import type { Performer } from '../../../../plugins/journeys/running/performers.js';
import { createEffects } from '../../../../plugins/journeys/running/performers.js';

const plugin = (name: string, kind: string, performs: Performer<PluginEffect>, seen?: (service: JourneysService) => void) =>
  definePlugin({
    name,
    version: '1.0.0',
    needs: [journeys],
    register(context) {
      const service = context.service(journeysService);
      service.extend({ plugin: name, effects: { [kind]: performs } });
      seen?.(service);
      return {};
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
  let service: JourneysService | undefined;
  const performs: Performer = async (effect, { number }) => ({ kind: 'failed', code: 'test', reason: `${number}: ${effect.kind}` });
  await startPlatform(t, { plugins: [plugin('post', 'post.letter', performs, (given) => (service = given))] });
  t.match(await service?.performer('one')({ kind: 'post.letter' }), { reason: 'one: post.letter' });
  t.match(await service?.performer('one')({ kind: 'post.parcel' }), { kind: 'failed', code: 'not_available' });
});

t.test('a plugin performs the effects of its own kinds only', async (t) => {
  for (const kind of ['http', 'letter', 'other.letter'])
    await t.rejects(
      startPlatform(t, { plugins: [plugin('one', kind, says('1'))] }),
      new RegExp(`'one' adds the effect '${kind}'.*begin with 'one.'`),
    );
});

t.test('an override also applies to effects within effects', async (t) => {
  const { performer } = createEffects(() => ({ http: says('network'), skill: (_, { perform }) => perform(request) }));
  const skill: Effect = { kind: 'skill', skill: 's', arguments: {} };
  t.match(await performer('one')(skill), { reason: 'network' });
  t.match(await performer('one', { http: says('mock') })(skill), { reason: 'mock' });
});
