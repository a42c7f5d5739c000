import t from 'tap';
import { definePlugin } from '#core';
import { startPlatform } from '#core/testing';
import type { Effect, HttpEffect } from '../../../../plugins/journeys/engine/effect.js';
import { type JourneysService, journeys, journeysService } from '../../../../plugins/journeys/plugin.js';
import type { Performer } from '../../../../plugins/journeys/running/performers.js';
import { createEffects } from '../../../../plugins/journeys/running/performers.js';

const plugin = (name: string, kind: string, performs: Performer, seen?: (service: JourneysService) => void) =>
  definePlugin({
    name,
    version: '1.0.0',
    needs: [journeys],
    register(context) {
      const service = context.service(journeysService);
      service.performs(name, kind, performs);
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
  await startPlatform(t, { plugins: [plugin('post', 'letter', performs, (given) => (service = given))] });
  t.match(await service?.performer('one')({ kind: 'letter' } as unknown as Effect), { reason: 'one: letter' });
  t.match(await service?.performer('one')({ kind: 'parcel' } as unknown as Effect), { kind: 'failed', code: 'not_available' });
});

t.test('two plugins cannot perform the same kind of effect', async (t) => {
  await t.rejects(
    startPlatform(t, { plugins: [plugin('one', 'letter', says('1')), plugin('other', 'letter', says('2'))] }),
    /'letter' effects is already contributed by 'one'/,
  );
  await t.rejects(startPlatform(t, { plugins: [plugin('one', 'http', says('1'))] }), /'http' effects is already contributed by 'journeys'/);
});

t.test('an override also applies to effects within effects', async (t) => {
  const { performer } = createEffects(() => ({ http: says('network'), skill: (_, { perform }) => perform(request) }));
  const skill: Effect = { kind: 'skill', skill: 's', arguments: {} };
  t.match(await performer('one')(skill), { reason: 'network' });
  t.match(await performer('one', { http: says('mock') })(skill), { reason: 'mock' });
});
