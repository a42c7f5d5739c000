import Joi from 'joi';
import t from 'tap';
import type { PluginDefinition } from '#core';
import { consume, createPlatform, definePlugin, type Plugin, queue } from '#core';
import { InlinePool } from '#core/testing';

const plugin = ({ register = () => ({}), ...rest }: Partial<PluginDefinition<object>>): Plugin =>
  definePlugin({ name: 'own', version: '1.0.0', register, ...rest })();

t.test('what nobody would read is refused by its name, as no compiler looks at JavaScript', async (t) => {
  const refused = (made: Plugin, phase: string, message: string | RegExp) =>
    t.throws(() => createPlatform({ plugins: [made], ports: { workers: new InlinePool() } }), { phase, message }, String(message));
  const declaring = (more: object) => plugin(more);
  const giving = (contributions: object) => plugin({ register: () => contributions });
  const whole = { method: 'GET', path: '/v1/x', summary: 'X.', responses: {}, handler: () => ({}) };
  refused(declaring({ name: undefined }), 'load', /a name is lower-case words joined with -/);
  refused(
    declaring({ colections: {} }),
    'load',
    /^plugin 'own' failed at load: it declares 'colections', which nobody reads; there are name, /,
  );
  refused(giving({ route: [] }), 'register', /it contributes 'route', which nobody reads; there are routes, admin, /);
  refused(giving({ routes: {} }), 'register', /routes has to be a list$/);
  refused(giving({ on: () => ({}) }), 'register', /on has to be a list$/);
  refused(giving({ errors: 'plain' }), 'register', /errors has to be an object$/);
  refused(giving({ start: 'now' }), 'register', /start has to be a function$/);
  refused(giving({ admin: [null] }), 'register', /admin\[0\] is no route: one has method, path, summary, responses and handler$/);
  refused(giving({ routes: [whole, { ...whole, handler: undefined }] }), 'register', /routes\[1\] is no route/);
  refused(giving({ routes: [{ ...whole, responses: undefined }] }), 'register', /GET \/v1\/x declares no responses$/);
  refused(declaring({ emits: [undefined] }), 'load', /emits\[0\] is no event/);
  refused(declaring({ emits: {} }), 'load', /emits has to be a list$/);
  refused(declaring({ tasks: [{ name: 'x', module: './x.js' }] }), 'load', /tasks\[0\] is no task/);
  const routes: readonly (readonly [object, RegExp])[] = [
    [{ method: 'FETCH' }, /wrong method: there are GET, POST, PUT, PATCH, DELETE$/],
    [{ auth: 'basic' }, /wrong auth: there are bearer, optional, none$/],
    [{ bucket: 'txt' }, /wrong bucket: there are general, text, media, none$/],
    [{ body: 'xml' }, /wrong body/],
    [{ numbers: ['pigeon'] }, /wrong list of numbers: there are network, sandbox, channel$/],
    [{ numbers: [undefined] }, /wrong list of numbers/],
    [{ path: 'v1/x' }, /GET v1\/x has a path that does not begin with \/$/],
    [{ makesDeliveries: 'no' }, /makesDeliveries that is not true or false$/],
    [{ request: [] }, /request that is no object of schemas$/],
    [{ responses: [] }, /declares no responses$/],
    [{ maxBytes: '1 MiB' }, /maxBytes/],
    [{ errors: ['404'] }, /errors that are no list of statuses$/],
    [{ bucketOf: 'text' }, /bucketOf that is no function$/],
    [{ buckets: 'text' }, /has 'buckets', which nobody reads; there are method, path, /],
    [{ request: { body: Joi.object() } }, /request\.body, which nobody reads; there are params, query, payload$/],
  ];
  for (const [more, message] of routes) {
    refused(giving({ routes: [{ ...whole, ...more }] }), 'register', message);
    refused(giving({ admin: [{ ...whole, ...more }] }), 'register', message);
  }
  // As one of joi 17: it has no way to say what it is as JSON Schema.
  const older = { [Symbol.for('@hapi/joi/schema')]: { version: '17.13.3' }, validate: () => ({}) };
  for (const schema of [older, { type: 'object' }, 5]) {
    const message = (where: string) =>
      new RegExp(`^plugin 'own' failed at register: .*${where} that is no schema of the joi that posthorn uses`);
    refused(giving({ routes: [{ ...whole, request: { payload: schema } }] }), 'register', message('GET /v1/x has request.payload'));
    refused(giving({ routes: [{ ...whole, responses: { 200: schema } }] }), 'register', message('GET /v1/x has responses.200'));
    refused(giving({ errors: { render: () => undefined, schemas: { 418: schema } } }), 'register', message('errors has responses.418'));
  }
  const jobs = queue('own.jobs');
  const work = async () => undefined;
  for (const concurrency of [0, Number.NaN, -1, 1.5, '2', null]) {
    const message = /consumes\[0\] of queue own\.jobs has a concurrency that is no whole number from 1$/;
    refused(giving({ consumes: [consume(jobs, work, { concurrency: concurrency as never })] }), 'register', message);
  }
  refused(giving({ consumes: [consume(jobs, work, { maxAttempts: 0 })] }), 'register', /maxAttempts/);
  refused(giving({ consumes: [consume(jobs, work, { shares: { lane: { high: 1 } as never } })] }), 'register', /shares/);
  refused(giving({ consumes: [consume(jobs, work, { onFailed: {} as never })] }), 'register', /onFailed that is no function$/);
  refused(giving({ consumes: [{}] }), 'register', /consumes\[0\] is no consumer, as `consume` makes it$/);
  refused(giving({ on: [undefined] }), 'register', /on\[0\] is no subscription, as `on` and `beforeCommit` make it$/);
  refused(giving({ channels: [undefined] }), 'register', /channels\[0\] is no channel: one has type and deliver$/);
  refused(giving({ channels: [{ type: 'voice' }] }), 'register', /channels\[0\] is no channel/);
  refused(giving({ channels: [{ type: 'voice', deliver: work, carries: 'all' }] }), 'register', /carries something else/);
  refused(giving({ views: [{ name: 'notes' }] }), 'register', /views\[0\] is no view/);
  refused(giving({ outboundChecks: ['no'] }), 'register', /outboundChecks\[0\] is no function$/);
  refused(giving({ roots: ['v1'] }), 'register', /roots\[0\] is no path$/);
  refused(giving({ effects: { http: {} } }), 'register', /effects\.http is no function$/);
  refused(giving({ errors: {} }), 'register', /errors has no render$/);
  for (const schemas of [undefined, null, []]) {
    refused(
      giving({ errors: { render: () => undefined, schemas } }),
      'register',
      /errors has no schemas: the body of every status that it renders$/,
    );
  }
  const usual = {
    ...whole,
    makesDeliveries: false,
    request: { payload: Joi.object() },
    responses: { 200: Joi.object(), 206: { contentType: 'text/plain' } },
  };
  t.ok(createPlatform({ plugins: [giving({ routes: [usual], start: undefined })], ports: { workers: new InlinePool() } }));
});
