import t from 'tap';
import type { JsonObject } from '../../../../core/json.js';
import type { CheckedChannel } from '../../../../plugins/journeys/engine/lint/channel.js';
import { lintJourney } from '../../../../plugins/journeys/engine/lint/lint.js';
import type { AssetLookup } from '../../../../plugins/journeys/engine/lint/references.js';
import { containerOf, type DraftBlock } from './journey-under-test.js';

const found = (blocks: readonly DraftBlock[], known?: AssetLookup, channel?: CheckedChannel): string[] =>
  lintJourney(containerOf({ texts: { r: 'Hello', id: 'other' }, languages: ['eng'], blocks }), known, channel).map(
    ({ severity, code, path }) => `${severity} ${code} ${path}`,
  );

const block = (type: string, config: DraftBlock['config'] & object): DraftBlock => ({ name: 'b', type, config });
const schedule = (flow_id: string) => block('Io.Turn.ScheduleFlow', { flow_id, schedule_in: '60' });
const runs = (flow_id: string) => block('Core.RunFlow', { flow_id });
const plans = (journey: string) => block('Svc.Schedule', { journey, in: '60' });
const form = (flow_id: string) => block('Svc.FlowMessage', { body: 'r', flow: { flow_id, cta: 'Open', screen: 'START' } });

const SOME_UUID = '5e0c0a1e-0000-4000-8000-00000000000a';

t.test('missing flows and journeys are warnings in every block that refers to one', async (t) => {
  const known: AssetLookup = (kind, id) => (kind === 'journey' ? id === 'other' : undefined);
  for (const [make, key] of [
    [schedule, 'flow_id'],
    [runs, 'flow_id'],
    [plans, 'journey'],
  ] as const) {
    const at = `warning missing_journey /flows/0/blocks/0/config/${key}`;
    t.strictSame(found([make(SOME_UUID)], known), [at]);
    t.strictSame(found([make('other')], known), []);
    t.strictSame(found([make('@contact.next')], known), [], 'computed at run time');
    t.strictSame(found([make('gone')]), [at], 'an id that is not a uuid cannot be a journey');
    t.strictSame(found([make(SOME_UUID)]), [], 'without a platform other journeys are unknown');
  }
  t.strictSame(found([runs('main')], known), [], 'a flow of the container');
  t.strictSame(
    found([schedule('main')], known),
    ['warning missing_journey /flows/0/blocks/0/config/flow_id'],
    'flows of the container cannot be scheduled',
  );
  const [own] = lintJourney(containerOf({ texts: { r: 'Hello' }, languages: ['eng'], blocks: [schedule('main')] }), known);
  t.equal(own!.message, "'main' is a flow of this container; only journeys can be scheduled");
  t.strictSame(found([schedule('id')], known), [], 'the id is in a resource');
});

t.test('missing forms are warnings when the forms of the number are known', async (t) => {
  const known: AssetLookup = (kind, id) => (kind === 'form' ? id === '12345' : undefined);
  t.strictSame(found([form('777')], known), ['warning missing_form /flows/0/blocks/0/config/flow/flow_id']);
  for (const id of ['12345', '@contact.form']) t.strictSame(found([form(id)], known), []);
  t.strictSame(found([form('777')]), []);
});

t.test('an empty reference is exactly one error', async (t) => {
  t.strictSame(found([plans('')]), ['error invalid_setting /flows/0/blocks/0/config/journey']);
  t.strictSame(found([schedule('')]), ['error invalid_setting /flows/0/blocks/0/config/flow_id']);
  t.strictSame(found([runs('')]), ['error invalid_setting /flows/0/blocks/0/config/flow_id']);
  t.strictSame(found([form('')]), ['error invalid_setting /flows/0/blocks/0/config/flow/flow_id']);
});

t.test('templates: unknown ones, other languages and numbers of parameters, in blocks and in notebooks', async (t) => {
  const sale = [
    { language: 'en', header: 0, body: 2 },
    { language: 'de', header: 1, body: 1 },
  ];
  const known: AssetLookup = (kind, id) => (kind !== 'template' ? undefined : id === 'sale' ? sale : false);
  const of = (texts: number, files = 0): readonly JsonObject[] => [
    ...(files > 0 ? [{ type: 'HEADER', parameters: [{ type: 'image', image: { link: 'https://a.example/b.png' } }] }] : []),
    ...(texts > 0 ? [{ type: 'body', parameters: Array.from({ length: texts }, () => ({ type: 'text', text: 'x' })) }] : []),
  ];
  const template = (name: string, code: string, components = of(2)): DraftBlock['config'] & object =>
    ({ template: { name, language: { code }, components } }) as JsonObject;
  const missing = 'missing_template /flows/0/blocks/0/config/template/name';
  const wrong = 'template_parameters_wrong /flows/0/blocks/0/config/template/components';
  const cases: readonly [name: string, code: string, components: readonly JsonObject[], expected: readonly string[]][] = [
    ['sale', 'en', of(2), []],
    ['sale', 'en', of(1), [wrong]],
    ['sale', 'en', of(3), [wrong]],
    ['sale', 'en', of(0), [wrong]],
    ['sale', 'en', of(2, 1), [wrong]],
    ['sale', 'de', of(1, 1), []],
    ['sale', 'de', of(2), [wrong, wrong]],
    ['sale', 'fr', of(9), [missing]],
    ['gone', 'en', of(2), [missing]],
  ];
  for (const [name, code, components, expected] of cases) {
    const what = `${name} in ${code} with ${JSON.stringify(components)}`;
    const at = (severity: string) => expected.map((one) => `${severity} ${one}`);
    const own = template(name, code, components);
    t.strictSame(found([block('Svc.Template', own)], known, { severity: 'error' }), at('error'), what);
    t.strictSame(found([block('Svc.Template', own)]), [], `${what}: without a platform`);
    const quoted = template(`"${name}"`, `'${code}'`, components);
    const inNotebook = found([block('Io.Turn.WhatsAppTemplateMessage', quoted)], known, { severity: 'warning' });
    t.strictSame(inNotebook, at('warning'), `${what}: in a notebook`);
  }
  t.strictSame(found([block('Svc.Template', template('sale', '@contact.language', of(1, 1)))], known), [], 'right in one language');
  t.strictSame(found([block('Svc.Template', template('sale', '@contact.language', of(7)))], known), [`warning ${wrong}`], 'wrong in each');
  for (const name of ['@contact.offer', 'r']) t.strictSame(found([block('Svc.Template', template(name, 'en', of(9)))], known), [], name);
  for (const name of ['contact.offer', 'sale', '"@contact.offer"', 'concatenate("sa", "le")'])
    t.strictSame(found([block('Io.Turn.WhatsAppTemplateMessage', template(name, '"en"', of(9)))], known, { severity: 'error' }), [], name);
  t.strictSame(found([block('Svc.Template', template('', 'en'))], known), [
    'error missing_template /flows/0/blocks/0/config/template/name',
  ]);
});
