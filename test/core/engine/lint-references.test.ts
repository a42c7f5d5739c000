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
