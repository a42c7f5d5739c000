import Joi from 'joi';
import t from 'tap';
import type { PluginDefinition } from '#core';
import { consume, createPlatform, definePlugin, object, type Plugin, queue } from '#core';
import { InlinePool } from '#core/testing';

const plugin = ({ register = () => ({}), ...rest }: Partial<PluginDefinition<object>>): Plugin =>
  definePlugin({ name: 'own', version: '1.0.0', register, ...rest })();

t.test('unknown and invalid keys of a plugin are refused, because JavaScript has no compiler', async (t) => {
  const refused = (created: Plugin, phase: string, message: string | RegExp) =>
    t.throws(() => createPlatform({ plugins: [created], ports: { workers: new InlinePool() } }), { phase, message }, String(message));
  const declaring = (more: object) => plugin(more);
  const giving = (contributions: object) => plugin({ register: () => contributions });
  const validRoute = { method: 'GET', path: '/v1/x', summary: 'X.', responses: {}, handler: () => ({}) };
  refused(declaring({ name: undefined }), 'load', /its name must be lower-case words joined with -/);
  refused(
    declaring({ colections: {} }),
    'load',
    /^plugin 'own' failed at load: it declares the unknown key 'colections'; known keys are name, /,
  );
  refused(giving({ route: [] }), 'register', /it contributes the unknown key 'route'; known keys are routes, admin, /);
  refused(giving({ routes: {} }), 'register', /routes must be a list$/);
  refused(giving({ on: () => ({}) }), 'register', /on must be a list$/);
  refused(giving({ errors: 'plain' }), 'register', /errors must be an object$/);
  refused(giving({ start: 'now' }), 'register', /start must be a function$/);
  refused(giving({ admin: [null] }), 'register', /admin\[0\] is not a route: it needs method, path, summary, responses and handler$/);
  refused(giving({ routes: [validRoute, { ...validRoute, handler: undefined }] }), 'register', /routes\[1\] is not a route/);
  refused(giving({ routes: [{ ...validRoute, responses: undefined }] }), 'register', /GET \/v1\/x declares no responses$/);
  refused(declaring({ emits: [undefined] }), 'load', /emits\[0\] is not an event/);
  refused(declaring({ emits: {} }), 'load', /emits must be a list$/);
  refused(declaring({ tasks: [{ name: 'x', module: './x.js' }] }), 'load', /tasks\[0\] is not a task/);
  const routes: readonly (readonly [object, RegExp])[] = [
    [{ method: 'FETCH' }, /invalid method: use GET, POST, PUT, PATCH, DELETE$/],
    [{ auth: 'basic' }, /invalid auth: use bearer, optional, none$/],
    [{ bucket: 'txt' }, /invalid bucket: use general, text, media, none$/],
    [{ body: 'xml' }, /invalid body/],
    [{ numbers: ['pigeon'] }, /invalid list of numbers: use network, sandbox, channel$/],
    [{ numbers: [undefined] }, /invalid list of numbers/],
    [{ path: 'v1/x' }, /GET v1\/x has an invalid path: it must begin with '\/'$/],
    [{ makesDeliveries: 'no' }, /an invalid makesDeliveries: use true or false$/],
    [{ request: [] }, /invalid request: use an object with the schemas params, query or payload$/],
    [{ responses: [] }, /declares no responses$/],
    [{ maxBytes: '1 MiB' }, /maxBytes/],
    [{ errors: ['404'] }, /invalid errors: use a list of HTTP statuses$/],
    [{ bucketOf: 'text' }, /an invalid bucketOf: use a function$/],
    [{ buckets: 'text' }, /has the unknown key 'buckets'; known keys are method, path, /],
    [{ request: { body: Joi.object() } }, /unknown key request\.body; known keys are params, query, payload$/],
  ];
  for (const [more, message] of routes) {
    refused(giving({ routes: [{ ...validRoute, ...more }] }), 'register', message);
    refused(giving({ admin: [{ ...validRoute, ...more }] }), 'register', message);
  }
  // Like a schema of joi 17, which cannot convert itself to JSON Schema.
  const older = { [Symbol.for('@hapi/joi/schema')]: { version: '17.13.3' }, validate: () => ({}) };
  for (const schema of [older, { type: 'object' }, 5]) {
    const message = (where: string) =>
      new RegExp(`^plugin 'own' failed at register: .*${where}: use a schema of joi 18, the version that posthorn uses`);
    refused(
      giving({ routes: [{ ...validRoute, request: { payload: schema } }] }),
      'register',
      message('GET /v1/x has an invalid request.payload'),
    );
    refused(
      giving({ routes: [{ ...validRoute, responses: { 200: schema } }] }),
      'register',
      message('GET /v1/x has an invalid responses.200'),
    );
    refused(
      giving({ errors: { render: () => undefined, schemas: { 418: schema } } }),
      'register',
      message('errors has an invalid responses.418'),
    );
  }
  const jobs = queue('own.jobs');
  const work = async () => undefined;
  for (const concurrency of [0, Number.NaN, -1, 1.5, '2', null]) {
    const message = /consumes\[0\] of queue own\.jobs has an invalid concurrency: use an integer of at least 1$/;
    refused(giving({ consumes: [consume(jobs, work, { concurrency: concurrency as never })] }), 'register', message);
  }
  refused(giving({ consumes: [consume(jobs, work, { maxAttempts: 0 })] }), 'register', /maxAttempts/);
  refused(giving({ consumes: [consume(jobs, work, { shares: { lane: { high: 1 } as never } })] }), 'register', /shares/);
  refused(giving({ consumes: [consume(jobs, work, { onFailed: {} as never })] }), 'register', /an invalid onFailed: use a function$/);
  refused(giving({ consumes: [{}] }), 'register', /consumes\[0\] is not a consumer, as `consume` returns it$/);
  refused(giving({ on: [undefined] }), 'register', /on\[0\] is not a subscription, as `on` and `beforeCommit` return it$/);
  const sender = { name: 'pager', destination: work, request: work };
  refused(giving({ senders: [{ name: 'pager' }] }), 'register', /senders\[0\] is not a sender: it needs name, destination and request$/);
  refused(giving({ senders: [{ ...sender, policy: 5 }] }), 'register', /senders\[0\] named pager has an invalid policy: use an object$/);
  refused(
    giving({ senders: [{ ...sender, read: 'status' }] }),
    'register',
    /senders\[0\] named pager has an invalid read: use a function$/,
  );
  refused(giving({ channels: [undefined] }), 'register', /channels\[0\] is not a channel driver: it needs type and deliver$/);
  refused(giving({ channels: [{ type: 'voice' }] }), 'register', /channels\[0\] is not a channel driver/);
  refused(giving({ channels: [{ type: 'voice', deliver: work, supports: 'all' }] }), 'register', /has an invalid supports/);
  const connected = (connection: object) => giving({ channels: [{ type: 'voice', deliver: work, connection }] });
  const settings = { schema: Joi.object({ token: Joi.string(), port: Joi.number() }), secrets: ['token'], check: work };
  refused(connected({ ...settings, schema: Joi.string() }), 'register', /has an invalid connection\.schema: use an object schema/);
  for (const secrets of [undefined, ['port'], ['none']])
    refused(connected({ ...settings, secrets }), 'register', /has invalid connection\.secrets: list keys of the schema that are text$/);
  refused(connected({ ...settings, check: undefined }), 'register', /has no connection\.check$/);
  refused(connected({ ...settings, view: 'all' }), 'register', /has an invalid connection\.view: use a function$/);
  refused(giving({ loops: [{ name: 'poll', run: work }] }), 'register', /loops\[0\] is not a loop: it needs name, type and run$/);
  refused(giving({ views: [{ name: 'notes' }] }), 'register', /views\[0\] is not a view/);
  refused(giving({ explanations: [{ name: 'notes' }] }), 'register', /explanations\[0\] is not an explanation/);
  const letters = { name: 'letters', title: 'Letters', html: () => '' };
  refused(
    giving({ pages: [{ ...letters, name: 'My letters' }] }),
    'register',
    /pages\[0\] is not a page: its name must be lower-case words/,
  );
  refused(giving({ pages: [{ ...letters, title: ' ' }] }), 'register', /pages\[0\] is not a page: it needs title and html$/);
  refused(giving({ pages: [{ ...letters, html: '<p>' }] }), 'register', /it needs title and html$/);
  refused(giving({ pages: [{ ...letters, place: 'header' }] }), 'register', /unknown place; places are menu, number, conversation$/);
  refused(giving({ pages: [{ ...letters, calls: ['GET numbers'] }] }), 'register', /must list its calls as method and path below/);
  refused(giving({ pages: [{ ...letters, calls: ['FETCH /numbers'] }] }), 'register', /must list its calls/);
  refused(giving({ pages: [{ ...letters, events: [''] }] }), 'register', /must list its events as names$/);
  const check = {
    ...{ kind: 'webhook', id: 'own-01', level: 'MUST', section: 'Own', title: 'accepts', sends: 'an event', fix: 'Accept it.' },
    run: async () => undefined,
  };
  const wrongChecks: readonly (readonly [object, RegExp])[] = [
    [{ id: 'W-01' }, /checks\[0\] must have an id such as 'own-01', not 'W-01'$/],
    [{ id: 'own-1' }, /must have an id such as 'own-01', not 'own-1'$/],
    [{ kind: 'phone' }, /own-01 has an unknown kind; kinds are connector, webhook, integration, api$/],
    [{ level: 'INFO' }, /own-01 has an unknown level; levels are MUST, SHOULD$/],
    [{ fix: '' }, /own-01 has no fix$/],
    [{ needs: 'W-01' }, /own-01 must list its needs as ids of checks$/],
    [{ run: undefined }, /own-01 has no run$/],
  ];
  for (const [more, message] of wrongChecks) refused(declaring({ checks: [{ ...check, ...more }] }), 'load', message);
  const needing = (id: string, ...needs: string[]) => ({ ...check, id, needs });
  const circular = [needing('own-01', 'W-01', 'own-02'), needing('own-02', 'own-03'), needing('own-03', 'own-02')];
  refused(
    declaring({ checks: circular }),
    'load',
    /plugin 'own' failed at load: checks need each other in a cycle: own-02 -> own-03 -> own-02$/,
  );
  refused(declaring({ checks: [needing('own-01', 'own-01')] }), 'load', /in a cycle: own-01 -> own-01$/);
  refused(declaring({ checks: check }), 'load', /checks must be a list$/);
  refused(declaring({ checks: [null] }), 'load', /must have an id/);
  const list = { verb: 'list', summary: 'lists', run: () => ({ text: [], data: {} }) };
  const wrongCommands: readonly (readonly [object, RegExp])[] = [
    [{ verb: 'List' }, /commands\[0\] is not a command: its verb must be lower-case words joined with -$/],
    [{ summary: ' ' }, /is not a command: it needs summary and run$/],
    [{ run: undefined }, /is not a command: it needs summary and run$/],
    [{ args: 'CONTACT' }, /must list its args in upper case, such as CONTACT, \[NOTE\] or FILE\.\.\.$/],
    [{ args: ['contact'] }, /must list its args in upper case/],
    [{ args: ['[NOTE]', 'CONTACT'] }, /must list args that may be missing after the others, and one that repeats at the end$/],
    [{ args: ['FILE...', 'CONTACT'] }, /must list args that may be missing after/],
    [{ flags: {} }, /has invalid flags: use an object schema of joi 18/],
    [{ flags: Joi.string() }, /has invalid flags/],
    [{ flags: older }, /has invalid flags/],
    [{ flags: Joi.object({ Most: Joi.number().description('most') }) }, /has the flag 'Most': use lower-case words joined with -$/],
    [{ flags: Joi.object({ json: Joi.boolean().description('JSON') }) }, /the flag 'json', which every command has: give it another name$/],
    [{ flags: Joi.object({ most: Joi.number().required() }) }, /has no help for the flag 'most': add \.description\('…'\) to its schema$/],
  ];
  for (const [more, message] of wrongCommands) refused(giving({ commands: [{ ...list, ...more }] }), 'register', message);
  refused(giving({ commands: [list, list] }), 'register', /the command 'own list' is already contributed by 'own'$/);
  for (const name of ['send', 'help', 'cloud-api']) {
    const message = `plugin '${name}' failed at register: commands[0] cannot be called: 'posthorn ${name}' is a command of Posthorn; give the plugin another name`;
    refused(plugin({ name, register: () => ({ commands: [list] }) }), 'register', message);
  }
  refused(giving({ outboundChecks: ['no'] }), 'register', /outboundChecks\[0\] is not a function$/);
  for (const hook of ['no', {}, { check: 'no' }, { check: () => undefined, run: () => undefined }])
    refused(
      giving({ beforeSend: [hook] }),
      'register',
      /beforeSend\[0\] is not a function, and not an object \{ check \} with a function$/,
    );
  refused(giving({ beforeReceive: [undefined] }), 'register', /beforeReceive\[0\] is not a function$/);
  refused(giving({ payloads: [{ name: 'left' }] }), 'register', /payloads\[0\] is not a payload: it needs name, summary and body$/);
  const left = { name: 'left', summary: 'A contact left.', body: object({}) };
  refused(giving({ payloads: [{ ...left, subscription: 'msgapp' }] }), 'register', /named left has an invalid subscription: use network/);
  refused(giving({ payloads: [{ ...left, body: {} }] }), 'register', /named left has an invalid body: use a schema of joi/);
  refused(
    giving({ payloads: [{ ...left, answers: { '2XX': { body: {} } } }] }),
    'register',
    /has an invalid answers\.2XX\.body: use a schema/,
  );
  refused(giving({ roots: ['v1'] }), 'register', /roots\[0\] is not a path: it must begin with \/$/);
  refused(giving({ errors: {} }), 'register', /errors has no render$/);
  for (const schemas of [undefined, null, []]) {
    refused(
      giving({ errors: { render: () => undefined, schemas } }),
      'register',
      /errors has no schemas: the body of every status that it renders$/,
    );
  }
  const minimalRoute = {
    ...validRoute,
    makesDeliveries: false,
    request: { payload: Joi.object() },
    responses: { 200: Joi.object(), 206: { contentType: 'text/plain' } },
  };
  t.ok(createPlatform({ plugins: [giving({ routes: [minimalRoute], start: undefined })], ports: { workers: new InlinePool() } }));
});
