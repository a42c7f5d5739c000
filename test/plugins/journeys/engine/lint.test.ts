import { readFileSync } from 'node:fs';
import t from 'tap';
import type { JsonObject } from '../../../../core/json.js';
import { pointerOf, stepsOf, stepsOfPointer } from '../../../../core/json-pointer.js';
import { NETWORK_CAPABILITIES } from '../../../../core/turns/network-limits.js';
import { type CheckedChannel, unknownChannel } from '../../../../plugins/journeys/engine/lint/channel.js';
import { codes } from '../../../../plugins/journeys/engine/lint/codes.js';
import { lintJourney } from '../../../../plugins/journeys/engine/lint/lint.js';
import type { AssetLookup } from '../../../../plugins/journeys/engine/lint/references.js';
import { containerOf, type Draft } from './journey-under-test.js';

const texts = { r: { eng: 'Hello', fra: 'Bonjour' } };
const say = (
  name: string,
  exits?: Draft['blocks'] extends readonly (infer B)[] | undefined ? (B & { exits?: unknown })['exits'] : never,
) => ({
  name,
  type: 'MobilePrimitives.Message',
  config: { prompt: 'r' },
  ...(exits !== undefined && { exits: exits as readonly { to: string | null; test?: string }[] }),
});
const ask = (name: string, to: string | null) => ({
  name,
  type: 'MobilePrimitives.OpenResponse',
  config: { prompt: 'r' },
  exits: [{ to }],
});
const sort = (name: string, exits: readonly { to: string | null; test?: string }[]) => ({ name, type: 'Core.Case', exits });

const found = (draft: Draft, known?: AssetLookup): string[] =>
  lintJourney(containerOf({ texts, ...draft }), known).map(({ severity, code, path }) => `${severity} ${code} ${path}`);
const messages = (draft: Draft, known?: AssetLookup): string[] =>
  lintJourney(containerOf({ texts, ...draft }), known).map(({ message }) => message);

t.test('the demo journey has no findings', async (t) => {
  t.strictSame(lintJourney(JSON.parse(readFileSync('test/plugins/journeys/engine/clinic.journey.json', 'utf8'))), []);
});

t.test('a finding has severity, code, path, block, message and fix', async (t) => {
  const [finding] = lintJourney(containerOf({ texts, blocks: [say('hello', [{ to: 'gone' }])] }));
  t.strictSame(finding, {
    severity: 'error',
    code: 'dangling_exit',
    path: '/flows/0/blocks/0/exits/0/destination_block',
    block: 'hello',
    message: 'this exit leads to block gone, which is not in this flow',
    fix: codes.dangling_exit.fix,
  });
});

t.test('unreachable blocks are reported, also in long flows', async (t) => {
  t.strictSame(found({ blocks: [say('a', [{ to: 'c' }]), say('b', [{ to: 'c' }]), say('c', [{ to: null }])] }), [
    'warning unreachable_block /flows/0/blocks/1',
  ]);
  t.strictSame(found({ blocks: [say('a', [{ to: null }]), ask('b', 'c'), ask('c', 'b')] }), [
    'warning unreachable_block /flows/0/blocks/1',
    'warning unreachable_block /flows/0/blocks/2',
  ]);
  const container = containerOf({ texts, blocks: [say('a', [{ to: null }]), say('on error', [{ to: null }])] });
  const flows = container.flows.map((flow) => ({ ...flow, exit_block_id: 'on error' }));
  t.notMatch(JSON.stringify(lintJourney({ ...container, flows })), /unreachable/, 'the exit block is reachable by failures');
});

t.test('a cycle without a wait is an error if no exit leaves it, else a warning', async (t) => {
  t.strictSame(found({ blocks: [say('a', [{ to: 'a' }])] }), ['error endless_cycle /flows/0/blocks/0']);
  t.strictSame(found({ blocks: [say('a', [{ to: 'b' }]), say('b', [{ to: 'c' }]), say('c', [{ to: 'b' }])] }), [
    'error endless_cycle /flows/0/blocks/1',
  ]);
  t.match(messages({ blocks: [say('a', [{ to: 'b' }]), say('b', [{ to: 'a' }])] }), [
    "the cycle 'a', 'b' never ends and never waits for the contact",
  ]);
  const leaves = { blocks: [say('a', [{ to: 'b' }]), sort('b', [{ test: 'contact.done', to: null }, { to: 'a' }])] };
  t.strictSame(found(leaves), ['warning cycle_without_wait /flows/0/blocks/0']);
  t.strictSame(found({ blocks: [say('a', [{ to: 'b' }]), ask('b', 'a')] }), [], 'a cycle with a wait has no finding');
  const many = Array.from({ length: 2000 }, (_, i) => say(`b${i}`, [{ to: `b${(i + 1) % 2000}` }]));
  t.strictSame(found({ blocks: many }), ['error endless_cycle /flows/0/blocks/0'], 'also a long cycle');
});

t.test('missing resources and translations are reported', async (t) => {
  t.strictSame(found({ blocks: [{ ...say('a'), config: { prompt: 'gone' } }] }), [
    'error missing_resource /flows/0/blocks/0/config/prompt',
  ]);
  t.strictSame(found({ texts: { r: { eng: 'Hello' } }, blocks: [say('a')] }), [
    'warning missing_translation /flows/0/blocks/0/config/prompt',
  ]);
});

t.test('too many or too long buttons are reported', async (t) => {
  const choices = (count: number) => Array.from({ length: count }, (_, i) => ({ name: `c${i}`, prompt: i === 0 ? 'long' : `l${i}` }));
  const labels = Object.fromEntries([1, 2, 3].map((i) => [`l${i}`, { eng: `Choice ${i}`, fra: `Choix ${i}` }]));
  const offer = (count: number) => ({
    texts: { ...texts, ...labels, long: { eng: 'more than twenty characters', fra: 'court' } },
    blocks: [
      {
        name: 'menu',
        type: 'MobilePrimitives.SelectOneResponse',
        config: { prompt: 'r', choices: choices(count) },
        vendor_metadata: { svc: { presentation: 'buttons' } },
        exits: [{ to: null }],
      },
    ],
  });
  t.strictSame(found(offer(3)), ['warning label_too_long /flows/0/blocks/0/config/choices/0/prompt']);
  t.ok(found(offer(4)).includes('error too_many_choices /flows/0/blocks/0/config/choices'));
});

t.test('what the network refuses is reported by its table of limits; a channel without limits refuses nothing', async (t) => {
  const long = (length: number) => ({ eng: 'x'.repeat(length), fra: 'x' });
  const refused = (draft: Draft, channel: CheckedChannel = { ...NETWORK_CAPABILITIES, severity: 'error' }): string[] =>
    lintJourney(containerOf({ ...draft, texts: { ...texts, ...draft.texts } }), undefined, channel).flatMap(({ severity, code, path }) =>
      code === 'over_network_limit' ? `${severity} ${path.replace('/flows/0/blocks/0/config/', '')}` : [],
    );
  const choice = (config: object) => ({
    name: 'pick',
    type: 'MobilePrimitives.SelectOneResponse',
    config: { prompt: 'r', choices: [{ name: 'a', prompt: 'r' }], ...config } as JsonObject,
  });
  const form = (config: object) => ({ name: 'form', type: 'Svc.FlowMessage', config: { body: 'r', ...config } as JsonObject });
  const flow = { flow_id: '1', screen: 'A' };
  const picture = (link: string, type = 'IMAGE') => [{ language_id: 'eng', content_type: type, modes: ['RICH_MESSAGING'], value: link }];
  const cases: readonly [what: string, draft: Draft, expected: readonly string[]][] = [
    ['a header and a footer at the limits', { texts: { h: long(60) }, blocks: [choice({ header: 'h', footer: 'h' })] }, []],
    ['over them', { texts: { h: long(61) }, blocks: [choice({ header: 'h', footer: 'h' })] }, ['header', 'footer']],
    ['emoji count once', { texts: { h: { eng: '🙂'.repeat(60), fra: 'x' } }, blocks: [choice({ header: 'h' })] }, []],
    [
      'a header with an expression',
      { texts: { h: { eng: `@contact.name ${'x'.repeat(70)}`, fra: 'x' } }, blocks: [choice({ header: 'h' })] },
      [],
    ],
    ['beside text a header has no limit', { texts: { h: long(61) }, blocks: [{ ...say('s'), config: { prompt: 'r', header: 'h' } }] }, []],
    ['a form', { texts: { b: long(1025) }, blocks: [form({ body: 'b', flow: { ...flow, cta: 'x'.repeat(31) } })] }, ['body', 'flow/cta']],
    ['a form at the limits', { texts: { b: long(1024) }, blocks: [form({ body: 'b', flow: { ...flow, cta: 'x'.repeat(30) } })] }, []],
    ['one section without a title', { blocks: [choice({ list: { sections: [{ choice_names: ['a'] }] } })] }, []],
    [
      'choices outside of the sections',
      { blocks: [choice({ list: { sections: [{ title: 'A', choice_names: [] }] } })] },
      ['list/sections'],
    ],
    [
      'a picture as GIF',
      { texts: { p: picture('https://a.example/b.gif') }, blocks: [{ ...say('s'), config: { prompt: 'p' } }] },
      ['prompt'],
    ],
    ['a picture as PNG', { texts: { p: picture('https://a.example/b.png') }, blocks: [{ ...say('s'), config: { prompt: 'p' } }] }, []],
    [
      'a sound as WAV',
      { texts: { p: picture('https://a.example/b.wav', 'AUDIO') }, blocks: [{ ...say('s'), config: { prompt: 'p' } }] },
      ['prompt'],
    ],
  ];
  for (const [what, draft, expected] of cases) {
    const at = (severity: string) => expected.map((path) => `${severity} ${path}`);
    t.strictSame(refused(draft), at('error'), what);
    t.strictSame(refused(draft, unknownChannel), at('warning'), `${what}: a warning where the channel is not known`);
    t.strictSame(refused(draft, { severity: 'error' }), [], `${what}: a channel without limits`);
  }
  const strict: CheckedChannel = { limits: { header: 5 }, severity: 'error' };
  t.strictSame(refused({ texts: { h: long(6) }, blocks: [choice({ header: 'h', footer: 'h' })] }, strict), ['error header'], 'own limits');
});

t.test('choices with the same label in a language are reported', async (t) => {
  const choices = ['a', 'b'].map((name) => ({ name, prompt: 'l' }));
  const [message] = messages({
    texts: { ...texts, l: 'Yes' },
    blocks: [{ name: 'p', type: 'MobilePrimitives.SelectOneResponse', config: { prompt: 'r', choices } }],
  }).filter((text) => /label of/.test(text));
  t.match(message, /^'Yes' is also the label of 'a' in language .*; a typed answer selects that choice$/);
  const pick = (type: string, ...labels: { eng: string; fra: string }[]) =>
    found({
      texts: { ...texts, ...Object.fromEntries(labels.map((label, i) => [`l${i}`, label])) },
      blocks: [{ name: 'p', type, config: { prompt: 'r', choices: labels.map((_, i) => ({ name: `c${i}`, prompt: `l${i}` })) } }],
    });
  for (const type of ['MobilePrimitives.SelectOneResponse', 'MobilePrimitives.SelectManyResponses']) {
    t.strictSame(pick(type, { eng: 'Yes', fra: 'Oui' }, { eng: 'No', fra: ' oui' }), [
      'warning duplicate_label /flows/0/blocks/0/config/choices/1/prompt',
    ]);
    t.strictSame(pick(type, { eng: 'No', fra: 'Oui' }, { eng: 'Yes', fra: 'no' }), [], 'the same label in two languages is allowed');
    t.strictSame(
      pick(type, { eng: '@contact.a', fra: '@contact.b' }, { eng: '@contact.a', fra: 'Oui' }),
      [],
      'labels with expressions are not compared',
    );
  }
});

t.test('unknown functions and names, wrong arguments and constant tests are reported', async (t) => {
  const test = (source: string) => found({ blocks: [ask('age', 'b'), sort('b', [{ test: source, to: null }, { to: null }])] });
  const at = '/flows/0/blocks/1/exits/0/test';
  t.strictSame(test('nope(age)'), [`error unknown_function ${at}`]);
  t.strictSame(test('left(age)'), [`error wrong_arity ${at}`]);
  t.strictSame(test('age +'), [`error invalid_expression ${at}`]);
  t.strictSame(test('agee > 18'), [`warning unknown_name ${at}`]);
  t.strictSame(test('AGE > 18 and contact.name = "x" and block.value = results.age and child.x = parent.y'), []);
  t.strictSame(test('map([1], &(&1 + age)) = 1'), []);
  t.strictSame(test('1 = 1'), [`warning constant_test ${at}`]);
  t.strictSame(test('true'), []);
  t.strictSame(test('"@age" = "x"'), [], 'a text with an @ is a template');
  t.strictSame(test('"@(upper(age))" = "x"'), []);
  t.strictSame(test('"a@@b.c" = "@(1 + 1)"'), [`warning constant_test ${at}`]);
  for (const source of ['(age > 18) && (age < 60)', 'age > 18 && age < 60', '(age > 18) & &(age < 60)', 'age & &age', 'map([1], &age) = 1'])
    t.strictSame(test(source), [`error invalid_expression ${at}`], source);
  t.strictSame(test('join(map([1], &("n" &&1)), age & "b") = "n1"'), [], 'joins, and functions with arguments');
  for (const pattern of ['^(?!no).*$', '(', 'a**', 'x'.repeat(1001)])
    t.strictSame(test(`has_pattern(age, "${pattern}")`), [`error invalid_pattern ${at}`], pattern.slice(0, 20));
  t.strictSame(test(String.raw`has_pattern(age, " ^\d+$ ") or has_pattern(age, "@contact.name (")`), []);
  const text = (source: string) => found({ texts: { r: { eng: source, fra: source } }, blocks: [say('a'), say('b')] });
  t.strictSame(text('Hello @a and @contact.name, write to help@example.org'), []);
  t.strictSame(text('Hello @absent.name'), [
    'warning unknown_name /flows/0/resources/0/values/0/value',
    'warning unknown_name /flows/0/resources/0/values/1/value',
  ]);
  t.match(text('@upperr("a")')[0], /error unknown_function/);
  const sets = { name: 'set', type: 'Svc.SetVariable', config: { assignments: [{ name: 'total', value: '1' }] } };
  t.notOk(found({ blocks: [sets, sort('b', [{ test: 'total > 1', to: null }, { to: null }])] }).some((line) => /unknown_name/.test(line)));
});

t.test('assets are looked up by uuid or name when a lookup is given', async (t) => {
  const known: AssetLookup = (kind, id) => `${kind} ${id}` === 'code_skill quote' || `${kind} ${id}` === 'journey other';
  const agent = {
    name: 'agent',
    type: 'Svc.AiAgent',
    config: {
      connection: 'nowhere',
      instructions: 'r',
      skills: [
        { name: 'a', kind: 'code', skill: 'quote' },
        { name: 'b', kind: 'code', skill: 'gone' },
      ],
    },
  };
  const draft: Draft = {
    blocks: [
      { name: 'card', type: 'Svc.ContentCard', config: { content_id: 'gone' } },
      { name: 'named', type: 'Svc.ContentCard', config: { content_id: '@contact.card' } },
      { name: 'skill', type: 'Svc.Skill', config: { skill: 'quote' } },
      { name: 'less', type: 'Svc.Skill', config: {} },
      agent,
      { name: 'template', type: 'Svc.Template', config: { template: { name: 'gone', language: { code: 'en' }, components: [] } } },
      { name: 'run', type: 'Core.RunFlow', config: { flow_id: 'gone' } },
      { name: 'runs', type: 'Core.RunFlow', config: { flow_id: 'other' } },
      { name: 'own', type: 'Core.RunFlow', config: { flow_id: 'main' } },
    ],
  };
  const missing = (lines: readonly string[]) => lines.filter((line) => /error missing_/.test(line));
  t.strictSame(missing(found(draft, known)), [
    'error missing_content_card /flows/0/blocks/0/config/content_id',
    'error missing_code_skill /flows/0/blocks/3/config/skill',
    'error missing_ai_connection /flows/0/blocks/4/config/connection',
    'error missing_code_skill /flows/0/blocks/4/config/skills/1/skill',
    'error missing_template /flows/0/blocks/5/config/template/name',
  ]);
  t.ok(found(draft, known).includes('warning missing_journey /flows/0/blocks/6/config/flow_id'), 'a journey can be created later');
  t.strictSame(
    missing(found(draft)),
    ['error missing_code_skill /flows/0/blocks/3/config/skill'],
    'without a lookup there are no findings about assets',
  );
});

t.test('any value can be linted; one that is not a container has one finding', async (t) => {
  for (const value of [
    null,
    1,
    'text',
    [],
    {},
    { flows: {} },
    { specification_version: '1.0.0-rc4', uuid: 'u', name: '', flows: [null] },
  ]) {
    const findings = lintJourney(value);
    t.ok(findings.length > 0 && findings.every(({ severity }) => severity === 'error'), JSON.stringify(value));
  }
});

t.test('paths become JSON pointers, also with dots and slashes in keys', async (t) => {
  const document = { a: [{ 'x.y': { 'p/q': 1 } }] };
  const steps = stepsOf('a[0].x.y.p/q', document);
  t.strictSame(steps, ['a', 0, 'x.y', 'p/q']);
  t.equal(pointerOf(steps), '/a/0/x.y/p~1q');
  t.strictSame(stepsOfPointer('/a/0/x.y/p~1q'), steps);
  t.equal(pointerOf(stepsOf('', document)), '');
  t.equal(pointerOf(stepsOf('a[0].missing.deep', document)), '/a/0/missing/deep', 'a missing key has a pointer too');
});

t.test('exits that the block chooses need no test, and secrets no value', async (t) => {
  const exits = (...names: string[]) => [...names.map((name) => ({ name, to: null, test: '' })), { to: null }];
  t.strictSame(
    found({ blocks: [{ name: 'pause', type: 'Svc.Wait', config: { seconds: 60 }, exits: exits('elapsed', 'interrupted') }] }),
    [],
  );
  t.strictSame(found({ blocks: [{ name: 'draw', type: 'Svc.Random', config: { weights: { a: 1, b: 2 } }, exits: exits('a', 'b') }] }), []);
  t.strictSame(found({ blocks: [{ name: 'pause', type: 'Svc.Wait', config: { seconds: 60 }, exits: exits('odd') }] }), [
    'warning exit_never_taken /flows/0/blocks/0/exits/0',
    'warning invalid_setting /flows/0/blocks/0/exits',
  ]);
  const headers = [['authorization', 'Bearer @secrets.TOKEN']];
  t.strictSame(found({ blocks: [{ name: 'order', type: 'Svc.Http', config: { url: 'https://a.test/@secrets.PATH', headers } }] }), []);
  const body = '@secrets.TOKEN @absent';
  t.strictSame(found({ blocks: [{ name: 'order', type: 'Svc.Http', config: { url: 'https://a.test/', body } }] }), [
    'warning unknown_name /flows/0/blocks/0/config/body',
  ]);
  const reading = { name: 'line', type: 'ConsoleIO.Read', config: { format: '%s', destination_variables: ['who'] } };
  t.strictSame(
    found({ texts: { ...texts, s: { eng: '@who', fra: '@who' } }, blocks: [reading, { ...say('hello'), config: { prompt: 's' } }] }),
    [],
  );
});

t.test('texts in templates, prints, schedules, lists and tools of notebooks are checked', async (t) => {
  const parameters = ['"Hello"', 'Ada', 'contact.name', 'absent.name', 'upper(contact.name, 1)', 'Dear @absent, hello'];
  const template = {
    name: '"greeting"',
    language: { code: 'en_US' },
    components: [{ type: 'body', parameters: parameters.map((text) => ({ type: 'text', text })) }],
  };
  const http = { url: 'https://x.test/@absent', headers: { q: '@(1 +' } };
  const tool = { kind: 'http', description: 'Asks' };
  const skills = [
    { ...tool, name: 't', http },
    { ...tool, name: 'u', http: { url: 'https://x.test/@arguments.id' } },
  ];
  const draft: Draft = {
    blocks: [
      { name: 'sent', type: 'Io.Turn.WhatsAppTemplateMessage', config: { template } },
      { name: 'said', type: 'ConsoleIO.Print', config: { message: 'Hi @absent' } },
      { name: 'later', type: 'Io.Turn.ScheduleFlow', config: { flow_id: '@absent', schedule_in: '60' } },
      { name: 'agent', type: 'Svc.AiAgent', config: { connection: 'c', instructions: 'r', skills } },
    ],
  };
  const config = (line: string): boolean => /unknown_name|unknown_function|wrong_arity|printed_at|invalid_expression/.test(line);
  const parameter = '/flows/0/blocks/0/config/template/components/0/parameters';
  t.strictSame(found(draft).filter(config), [
    `error wrong_arity ${parameter}/4/text`,
    `warning unknown_name ${parameter}/3/text`,
    `warning unknown_name ${parameter}/5/text`,
    'warning unknown_name /flows/0/blocks/1/config/message',
    'warning unknown_name /flows/0/blocks/2/config/flow_id',
    'warning unknown_name /flows/0/blocks/3/config/skills/0/http/url',
    'warning printed_at /flows/0/blocks/3/config/skills/0/http/headers/q',
  ]);
});
