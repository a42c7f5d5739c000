import { readFileSync } from 'node:fs';
import t from 'tap';
import { blockTypes } from '../../../../plugins/journeys/engine/blocks/index.js';
import { lintJourney } from '../../../../plugins/journeys/engine/lint/lint.js';
import { containerOf, type Draft } from './journey-under-test.js';
import { containers } from './release-candidates.js';

const lint = (container: unknown): string[] =>
  lintJourney(container)
    .filter(({ code }) => code === 'unknown_setting' || code === 'ignored_key')
    .map(({ severity, code, path }) => `${severity} ${code} ${path}`);
const configured = (type: string, config: object, exits?: object): string[] =>
  lint(containerOf({ texts: { q: 'Which?' }, blocks: [{ name: 'b', type, config, ...exits }] } as Draft));

t.test('an unknown setting is a warning at any depth of the config', async (t) => {
  const at = '/flows/0/blocks/0/config';
  t.strictSame(configured('MobilePrimitives.Message', { promt: 'q' }), [`warning unknown_setting ${at}/promt`]);
  t.strictSame(
    configured('MobilePrimitives.OpenResponse', { prompt: 'q', maximum: 3, on_invalid: { max_attemps: 2 }, timeout: { second: 5 } }),
    [
      `warning unknown_setting ${at}/maximum`,
      `warning unknown_setting ${at}/on_invalid/max_attemps`,
      `warning unknown_setting ${at}/timeout/second`,
    ],
  );
  t.strictSame(configured('Svc.Http', { url: 'https://a.test/', timeout: 5000, retry: { max: 1, times: 2 } }), [
    `warning unknown_setting ${at}/retry/times`,
  ]);
  const choices = [{ name: 'a', prompt: 'q', label: 'A' }];
  t.strictSame(configured('MobilePrimitives.SelectOneResponse', { prompt: 'q', choices, list: { sections: [{ titel: 'T' }] } }), [
    `warning unknown_setting ${at}/choices/0/label`,
    `warning unknown_setting ${at}/list/sections/0/titel`,
  ]);
  t.strictSame(
    configured('MobilePrimitives.Message', { prompt: 'q', promt: null, texts: [], more: {}, note: '' }),
    [],
    'empty values cause no warning',
  );
  t.strictSame(configured('Other.Vendor', { anything: 1 }), [], 'settings of unknown types cause no warning');
  const [finding] = lintJourney(
    containerOf({ texts: { q: '?' }, languages: ['eng'], blocks: [{ name: 'b', type: 'Svc.End', config: { why: 'x' } }] }),
  );
  t.match(finding, {
    block: 'b',
    message: "Svc.End has no setting 'why' here; it has set_contact_property, timeout, on_invalid, reason",
    fix: /spelling/,
  });
});

t.test('a setting of the format that the engine ignores is a warning', async (t) => {
  const at = '/flows/0/blocks/0/config';
  t.strictSame(configured('MobilePrimitives.NumericResponse', { prompt: 'q', IVR: { max_digits: 2 } }), [`warning ignored_key ${at}/IVR`]);
  t.strictSame(configured('SmartDevices.LocationResponse', { prompt: 'q', accuracy_threshold_meters: 5 }), [
    `warning ignored_key ${at}/accuracy_threshold_meters`,
  ]);
  t.strictSame(configured('Core.Webhook', { url: 'https://a.test/', auth: { user: 'x' } }), [`warning ignored_key ${at}/auth`]);
  t.strictSame(configured('Io.Turn.DynamicSelectOneResponse', { prompt: 'q', choice_expression: '[1]', choices: [] }), []);
});

t.test('a key that is not part of the format is a warning', async (t) => {
  const container = containerOf({
    texts: { q: 'Hello' },
    languages: ['eng'],
    blocks: [{ name: 'b', type: 'MobilePrimitives.Message', config: { prompt: 'q' } }],
  });
  t.strictSame(lint(container), []);
  const [flow] = container.flows;
  const [block] = flow!.blocks;
  const changed = {
    ...container,
    flow: [],
    flows: [
      {
        ...flow,
        interaction_timout: 600,
        languages: [{ id: 'eng', iso: 'eng' }],
        resources: [{ uuid: 'q', value: 'x', values: [{ ...flow!.resources![0]!.values[0], mimetype: 'text/plain' }] }],
        blocks: [{ ...block, configs: {}, exits: [{ ...block!.exits[0], destination: 'b' }] }],
      },
    ],
  };
  t.strictSame(lint(changed), [
    'warning ignored_key /flow',
    'warning ignored_key /flows/0/interaction_timout',
    'warning ignored_key /flows/0/languages/0/iso',
    'warning ignored_key /flows/0/resources/0/value',
    'warning ignored_key /flows/0/resources/0/values/0/mimetype',
    'warning ignored_key /flows/0/blocks/0/configs',
    'warning ignored_key /flows/0/blocks/0/exits/0/destination',
  ]);
});

t.test('containers of each release candidate cause no key warnings, except for settings of calls', async (t) => {
  for (const [version, { container }] of Object.entries(containers)) {
    const voice = /rc4/.test(version) ? ['warning ignored_key /flows/0/blocks/1/config/choices/1/ivr_test'] : [];
    t.strictSame(lint(container), voice, version);
  }
});

t.test('every setting in the cases of a block type is declared by the type', async (t) => {
  for (const type of blockTypes.keys()) {
    const cases = JSON.parse(readFileSync(`test/plugins/journeys/engine/step/${type}.json`, 'utf8')) as Draft[];
    const unknown = cases.flatMap((item) => lintJourney(containerOf(item)).filter(({ code }) => code === 'unknown_setting'));
    t.strictSame(
      unknown.map(({ message }) => message),
      [],
      type,
    );
  }
});

t.test('errors are reported even after many warnings', async (t) => {
  const odd = Array.from({ length: 300 }, (_, i) => ({
    name: `odd name ${i}`,
    type: 'MobilePrimitives.Message',
    config: { prompt: 'q', [`x${i}`]: 1 },
  }));
  const last = { name: 'last', type: 'Core.Case', exits: [{ to: 'gone' }] };
  const findings = lintJourney(containerOf({ texts: { q: 'Hello' }, languages: ['eng'], blocks: [...odd, last] }));
  t.match(findings[0], { severity: 'error', code: 'dangling_exit', block: 'last' });
  t.equal(findings.filter(({ severity }) => severity === 'warning').length, 200);
});
