import Joi from 'joi';
import t from 'tap';
import { createPlatform, definePlugin, offer, type Plugin, type PluginDefinition, service } from '#core';
import { InlinePool, RecordingLogger, startPlatform } from '#core/testing';

interface Points {
  of(contact: string): number;
}

const points = service<Points>('loyalty');
const implementation: Points = { of: (contact) => contact.length };

const factory = (name: string, { register = () => ({}), ...rest }: Partial<PluginDefinition<object>> = {}) =>
  definePlugin({ name, version: '1.0.0', register, ...rest });

const loyalty = factory('loyalty', { offers: [points], register: () => ({ services: [offer(points, implementation)] }) });

const platformOf = (plugins: readonly Plugin[], log = new RecordingLogger()) =>
  createPlatform({ plugins, ports: { workers: new InlinePool(), log } });

/** Plugins that note when they are registered, started and stopped. */
function noting(notes: string[]) {
  return (name: string, rest: Partial<PluginDefinition<object>> = {}) =>
    factory(name, {
      ...rest,
      register() {
        notes.push(`register ${name}`);
        return { start: () => void notes.push(`start ${name}`), stop: () => void notes.push(`stop ${name}`) };
      },
    });
}

t.test('plugins start after those in needs and optional, and stop before them', async (t) => {
  const notes: string[] = [];
  const note = noting(notes);
  const c = note('c');
  const platform = platformOf([note('a', { needs: [c], optional: ['d', 'absent'] })(), note('b')(), c(), note('d')()]);
  t.strictSame(notes, ['register c', 'register d', 'register a', 'register b']);
  await platform.start();
  await platform.stop();
  t.strictSame(notes.slice(4), ['start c', 'start d', 'start a', 'start b', 'stop b', 'stop a', 'stop d', 'stop c']);
});

t.test('a plugin that is needed by its factory and missing is added with its defaults, once, with a log line', async (t) => {
  let given: object = {};
  const deep = definePlugin<{ size?: number }, 'size'>({
    ...{ name: 'deep', version: '1.0.0', options: Joi.object({ size: Joi.number().default(3) }) },
    register(_, options) {
      given = options;
      return {};
    },
  });
  const middle = factory('middle', { needs: [deep] });
  const added = (plugins: readonly Plugin[]) => {
    const log = new RecordingLogger();
    platformOf(plugins, log);
    return log.lines.map(({ level, message, fields: { plugin, needed_by } }) => [level, message, plugin, needed_by]);
  };
  const line = 'a plugin that another one needs was added with its default options';
  const users = [factory('first', { needs: [middle] })(), factory('second', { needs: [middle, 'deep'] })()];
  t.strictSame(added(users), [
    ['info', line, 'middle', 'first'],
    ['info', line, 'deep', 'middle'],
  ]);
  t.strictSame(given, { size: 3 });
  t.strictSame(added([...users, deep({ size: 5 })]), [['info', line, 'middle', 'first']]);
  t.strictSame(given, { size: 5 }, 'the plugin of the list, with its options');
  t.strictSame(
    added([factory('early', { needs: ['middle'] })(), ...users, deep()]).length,
    1,
    'a name finds a plugin that another one adds',
  );
});

t.test('a service is available in register, and later', async (t) => {
  const further = service<{ reset(): string }>('loyalty.admin');
  const seen: unknown[] = [];
  let late = (): unknown => undefined;
  const offering = factory('loyalty', {
    offers: [points, further],
    register: () => ({ services: [offer(further, { reset: () => 'reset' }), offer(points, implementation)] }),
  });
  const asking = factory('asking', {
    needs: [offering],
    register(context) {
      seen.push(context.service(points).of('ada'), context.service(further).reset(), context.optionalService(points)?.of('joan'));
      late = () => context.service(points);
      return {};
    },
  });
  const platform = platformOf([asking()]);
  t.strictSame(seen, [3, 'reset', 4]);
  t.equal(late(), implementation);
  t.equal(platform.service(points), implementation);
  t.notOk('loyalty' in platform, 'a service is no member of the platform, where TypeScript would not know it');
});

t.test('a service of an optional plugin is undefined if the platform does not have the plugin', async (t) => {
  const seen: unknown[] = [];
  const asking = factory('asking', {
    optional: ['loyalty'],
    register(context) {
      seen.push(context.optionalService(points));
      return {};
    },
  })();
  platformOf([asking]);
  platformOf([asking, loyalty()]);
  t.strictSame(seen, [undefined, implementation]);
});

t.test('the compiler checks what a plugin offers and what another one asks for', async (t) => {
  // @ts-expect-error the service has a method that the implementation lacks
  offer(points, {});
  // @ts-expect-error the method returns a number
  offer(points, { of: () => 'many' });
  // @ts-expect-error a service has an object's type
  service<string>('loyalty');
  const asking = factory('asking', {
    needs: [loyalty],
    register(context) {
      // @ts-expect-error the service has no such method
      context.service(points).spend?.();
      // @ts-expect-error the function of a plugin is not a service
      t.throws(() => context.service(loyalty), /pass the value that `service` returned/);
      // @ts-expect-error the service may be missing
      t.equal(context.optionalService(points).of('ada'), 3);
      return {};
    },
  });
  platformOf([asking()]);
});

const asks = (fields: Partial<PluginDefinition<object>>, kind: 'service' | 'optionalService' = 'service', asked = points): Plugin =>
  factory('asking', {
    ...fields,
    register(context) {
      context[kind](asked);
      return {};
    },
  })();
const offers = (fields: Partial<PluginDefinition<object>>, services: unknown = []): Plugin =>
  factory('loyalty', { ...fields, register: () => ({ services: services as [] }) })();

/** Two plugins that need each other by their factories. */
function cycle(): Plugin {
  const needs: (() => Plugin)[] = [];
  const a = factory('a', { needs });
  needs.push(factory('b', { needs: [a] }));
  return a();
}

t.test('needs, offers and asks that cannot work are refused with what to write', async (t) => {
  const demanding = definePlugin<{ url: string }>({
    ...{ name: 'night-mail', version: '1.0.0', options: Joi.object({ url: Joi.string().required() }) },
    register: () => ({}),
  });
  const other = service<Points>('loyalty.other');
  const offered = offer(points, implementation);
  const refusals: readonly (readonly [plugins: readonly Plugin[], message: string])[] = [
    [[cycle()], "plugin 'a' failed at load: plugins need each other in a cycle: a -> b -> a"],
    [
      [factory('a', { optional: ['b'] })(), factory('b', { needs: ['a'] })()],
      "plugin 'a' failed at load: plugins need each other in a cycle: a -> b -> a",
    ],
    [
      [factory('a', { needs: ['loyalty'] })()],
      "plugin 'a' failed at load: it needs the plugin 'loyalty', which is missing from `plugins`; add it",
    ],
    [
      [factory('a', { needs: [demanding] })()],
      "plugin 'a' failed at load: it needs the plugin 'night-mail', which has required options; add nightMail({ ... }) to `plugins` " +
        `(plugin 'night-mail' failed at options: "url" is required)`,
    ],
    [[factory('a', { needs: 'loyalty' as never })()], "plugin 'a' failed at load: needs must be a list"],
    ...[loyalty(), () => loyalty(), 5].map(
      (need) =>
        [
          [factory('a', { needs: [need as never] })()],
          "plugin 'a' failed at load: needs[0] is not a plugin: use its name, or the function that `definePlugin` returned",
        ] as const,
    ),
    [[factory('a', { optional: [loyalty as never] })()], "plugin 'a' failed at load: optional[0] is not the name of a plugin"],
    [[offers({ offers: ['loyalty' as never] })], "plugin 'loyalty' failed at load: offers[0] is not a service, as `service` returns it"],
    ...['network', 'loyalty.', 'loyalty.a.b', 'loyaltyx'].map(
      (name) =>
        [
          [offers({ offers: [service<Points>(name)] })],
          `plugin 'loyalty' failed at load: offers[0] is the service '${name}': a plugin offers services under its own name, 'loyalty' or 'loyalty.<name>'`,
        ] as const,
    ),
    [
      [offers({ offers: [points] })],
      "plugin 'loyalty' failed at register: it offers the service 'loyalty'; return its implementation from register: services: [offer(…)]",
    ],
    [
      [offers({}, [offered])],
      "plugin 'loyalty' failed at register: register returned the service 'loyalty', which offers does not list; add it to offers",
    ],
    [
      [offers({ offers: [points] }, [offered, offered])],
      "plugin 'loyalty' failed at register: register returned the service 'loyalty' twice; remove one",
    ],
    [
      [offers({ offers: [points, points] }, [offered])],
      "plugin 'loyalty' failed at register: offers lists the service 'loyalty' twice; remove one",
    ],
    ...[implementation, offer(points, undefined as never), { service: points }].map(
      (wrong) =>
        [
          [offers({ offers: [points] }, [wrong])],
          "plugin 'loyalty' failed at register: services[0] is not an offer, as `offer(service, implementation)` returns it",
        ] as const,
    ),
    [
      [loyalty(), asks({})],
      "plugin 'asking' failed at register: 'asking' asks for the service 'loyalty' without needing its plugin: add 'loyalty' to needs",
    ],
    [
      [loyalty(), asks({ optional: ['loyalty'] })],
      "plugin 'asking' failed at register: 'asking' asks for the service 'loyalty', but 'loyalty' may be missing: use context.optionalService, or list it in needs",
    ],
    [
      [loyalty(), asks({}, 'optionalService')],
      "plugin 'asking' failed at register: 'asking' asks for the service 'loyalty' of another plugin: add 'loyalty' to optional",
    ],
    [
      [asks({ needs: [loyalty] }, 'service', other)],
      "plugin 'asking' failed at register: 'asking' asks for the service 'loyalty.other', which 'loyalty' does not offer",
    ],
    [
      [loyalty(), asks({ optional: ['loyalty'] }, 'optionalService', other)],
      "plugin 'asking' failed at register: 'asking' asks for the service 'loyalty.other', which 'loyalty' does not offer",
    ],
    ...[loyalty, null, 'loyalty'].map(
      (asked) =>
        [
          [asks({ needs: [loyalty] }, 'service', asked as never)],
          "plugin 'asking' failed at register: it asks for a service without naming one: pass the value that `service` returned",
        ] as const,
    ),
  ];
  for (const [plugins, message] of refusals) t.throws(() => platformOf(plugins), { name: 'PluginFailed', message }, message);
});

t.test('the admin API shows what each plugin needs and offers', async (t) => {
  const asking = factory('asking', { needs: [loyalty], optional: ['absent'] });
  const { admin } = await startPlatform(t, { plugins: [asking()] });
  const { plugins } = (await admin('GET', '/platform')).body.platform;
  t.match(plugins, [
    { name: 'loyalty', needs: [], optional: [], offers: ['loyalty'] },
    { name: 'asking', needs: ['loyalty'], optional: ['absent'], offers: [] },
  ]);
});
