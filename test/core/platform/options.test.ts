import t from 'tap';
import { createPlatform } from '#core';

t.test('an invalid platform option is named', async (t) => {
  const none = createPlatform as unknown as (options?: unknown) => unknown;
  for (const options of [undefined, null, 'x']) {
    t.throws(() => none(options), new TypeError('a platform needs options: createPlatform({ plugins: [...] })'));
  }
  for (const plugins of ['x', {}, null])
    t.throws(() => none({ plugins }), { message: /^these platform options cannot be used: .plugins. must be an array$/ });
  const wrong: readonly (readonly [object, RegExp])[] = [
    [{ name: 'Two Words' }, /"name" with value "Two Words"/],
    [{ admin: { key: 'short' } }, /"admin\.key" length must be at least 16 characters long/],
    [{ publicUrl: 'ftp://a' }, /"publicUrl" must be a valid uri/],
    [{ rateLimits: { general: 0 } }, /"rateLimits\.general" must be greater than or equal to 1/],
    [{ dialect: { service: 'Two Words' } }, /"dialect\.service"/],
    [{ journeys: { timeZone: 'Mars/Olympus' } }, /"journeys\.timeZone" must be the IANA name of a time zone/],
    [{ journeys: { timeZone: '+02:00' } }, /"journeys\.timeZone"/],
    [{ journeys: { country: 'UK' } }, /"journeys\.country" must be the ISO 3166-1 alpha-2 code of a country/],
    [{ journeys: { country: 'za' } }, /"journeys\.country"/],
    [{ dialect: { service: 'channel' } }, /"dialect\.service" has to be a word of its own/],
    [{ dialect: { network: 'channel' } }, /"dialect\.network" has to be a word of its own/],
    [{ dialect: { service: 'x', network: 'x' } }, /"dialect" needs two different words: webhooks tell/],
    [{ dialect: { service: 'msgapp' } }, /"dialect" needs two different words/],
    [{ plugins: undefined }, /"plugins" is required/],
    [{ ports: { stor: {} } }, /"ports\.stor" is not a port; the ports are store, queue, /],
    [{ ports: { log: console } }, /"ports\.log" has no child\(\)$/],
    [{ ports: { store: { start() {} } } }, /"ports\.store" has no define\(\), stop\(\), transaction\(\), open\(\)$/],
    [{ ports: { clock: null } }, /"ports\.clock" has no now\(\)/],
    [{ ports: null }, /"ports" must be of type object/],
    [{ dataFolder: './data' }, /"dataFolder" is not allowed/],
  ];
  for (const [options, message] of wrong) {
    t.throws(() => createPlatform({ plugins: [], ...options } as never), { name: 'TypeError', message }, JSON.stringify(options));
  }
});
