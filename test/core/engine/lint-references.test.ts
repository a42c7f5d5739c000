import t from 'tap';
import { lintJourney } from '../../../core/engine/lint/lint.js';
import type { AssetLookup } from '../../../core/engine/lint/references.js';
import { containerOf, type DraftBlock } from './journey-under-test.js';

const found = (blocks: readonly DraftBlock[], known?: AssetLookup): string[] =>
  lintJourney(containerOf({ texts: { r: 'Hello', id: 'other' }, languages: ['eng'], blocks }), known).map(
    ({ severity, code, path }) => `${severity} ${code} ${path}`,
  );

const block = (type: string, config: DraftBlock['config'] & object): DraftBlock => ({ name: 'b', type, config });
const schedule = (flow_id: string) => block('Io.Turn.ScheduleFlow', { flow_id, schedule_in: '60' });
const runs = (flow_id: string) => block('Core.RunFlow', { flow_id });
const plans = (journey: string) => block('Svc.Schedule', { journey, in: '60' });
const form = (flow_id: string) => block('Svc.FlowMessage', { body: 'r', flow: { flow_id, cta: 'Open', screen: 'START' } });

const SOME_UUID = '5e0c0a1e-0000-4000-8000-00000000000a';

t.test('flows and journeys that are not there are warned of, in every block that names one', async (t) => {
  const known: AssetLookup = (kind, id) => (kind === 'journey' ? id === 'other' : undefined);
  for (const [make, key] of [
    [schedule, 'flow_id'],
    [runs, 'flow_id'],
    [plans, 'journey'],
  ] as const) {
    const at = `warning missing_journey /flows/0/blocks/0/config/${key}`;
    t.strictSame(found([make(SOME_UUID)], known), [at]);
    t.strictSame(found([make('other')], known), []);
    t.strictSame(found([make('@contact.next')], known), [], 'only known when it runs');
    t.strictSame(found([make('gone')]), [at], 'no journey of any number has an id that is no uuid');
    t.strictSame(found([make(SOME_UUID)]), [], 'without a platform another journey cannot be known');
  }
  t.strictSame(found([runs('main')], known), [], 'a flow of the container');
  t.strictSame(
    found([schedule('main')], known),
    ['warning missing_journey /flows/0/blocks/0/config/flow_id'],
    'which only runs in a journey',
  );
  const [own] = lintJourney(containerOf({ texts: { r: 'Hello' }, languages: ['eng'], blocks: [schedule('main')] }), known);
  t.equal(own!.message, "'main' is a flow of this container; only journeys can be scheduled");
  t.strictSame(found([schedule('id')], known), [], 'a resource that holds the id');
});

t.test('forms that a number does not have are warned of where they are known', async (t) => {
  const known: AssetLookup = (kind, id) => (kind === 'form' ? id === '12345' : undefined);
  t.strictSame(found([form('777')], known), ['warning missing_form /flows/0/blocks/0/config/flow/flow_id']);
  for (const id of ['12345', '@contact.form']) t.strictSame(found([form(id)], known), []);
  t.strictSame(found([form('777')]), []);
});

t.test('a block that names nothing is one error', async (t) => {
  t.strictSame(found([plans('')]), ['error invalid_setting /flows/0/blocks/0/config/journey']);
  t.strictSame(found([schedule('')]), ['error invalid_setting /flows/0/blocks/0/config/flow_id']);
  t.strictSame(found([runs('')]), ['error invalid_setting /flows/0/blocks/0/config/flow_id']);
  t.strictSame(found([form('')]), ['error invalid_setting /flows/0/blocks/0/config/flow/flow_id']);
});
