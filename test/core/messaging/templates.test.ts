import t from 'tap';
import { startPlatform, type Tap } from '#core/testing';
import type { SentTemplate } from '../../../core/messaging/template.js';

const reminder = {
  name: 'visit_reminder',
  language: 'en',
  namespace: 'library',
  components: [
    { type: 'header' as const, format: 'text' as const, text: 'Your visit' },
    { type: 'body' as const, text: 'Dear {{1}}, we see you on {{2}}. Bring your card, {{1}}.' },
    { type: 'footer' as const, text: 'Riverside Library' },
    { type: 'buttons' as const, buttons: [{ type: 'quick_reply' as const, text: 'I come' }] },
  ],
};

async function startTemplates(t: Tap) {
  const test = await startPlatform(t, { plugins: [] });
  const { platform } = test;
  const number = await platform.numbers.require((await test.number('network')).uuid);
  const within = platform.store.transaction;
  return {
    ...test,
    number,
    put: (template: Parameters<typeof platform.templates.put>[2]) => within((tx) => platform.templates.put(tx, number, template)),
    check: (sent: SentTemplate) => within((tx) => platform.templates.check(tx, number, sent)),
    rendered: (sent: SentTemplate) => within((tx) => platform.templates.rendered(tx, number, sent)),
  };
}

const sentWith = (...texts: string[]): SentTemplate => ({
  name: 'visit_reminder',
  language: { code: 'en' },
  components: [{ type: 'body', parameters: texts.map((text) => ({ type: 'text', text })) }],
});

t.test('the parameters of a message fill in the placeholders of its template', async (t) => {
  const { put, check, rendered } = await startTemplates(t);
  await put(reminder);
  const sent = sentWith('Ann', 'Monday');
  await check(sent);
  t.equal(await rendered(sent), 'Your visit\nDear Ann, we see you on Monday. Bring your card, Ann.\nRiverside Library');
});

t.test('a template that is unknown, not approved, or has wrong parameters cannot be sent', async (t) => {
  const { put, check, rendered } = await startTemplates(t);
  await t.rejects(check(sentWith('Ann', 'Monday')), { code: 'template_not_found', status: 404 });
  t.equal(await rendered(sentWith()), undefined);
  await put(reminder);
  await t.rejects(check(sentWith('Ann')), {
    code: 'template_parameters_wrong',
    message: /body of the template has 2 parameters, but the message has 1/,
  });
  await t.rejects(check({ ...sentWith('Ann', 'Monday'), language: { code: 'fr' } }), { code: 'template_not_found' });
  await put({ ...reminder, status: 'PAUSED' });
  await t.rejects(check(sentWith('Ann', 'Monday')), { code: 'template_not_found', message: /its status is PAUSED/ });
});

t.test('a template replaces the previous one of the same name and language, and can be deleted', async (t) => {
  const { put, platform, number } = await startTemplates(t);
  const first = await put(reminder);
  const second = await put({ ...reminder, category: 'MARKETING' });
  t.equal(second.uuid, first.uuid);
  await put({ ...reminder, language: 'fr' });
  t.match(await platform.templates.list(number.uuid), [{ language: 'en', category: 'MARKETING' }, { language: 'fr' }]);
  await platform.store.transaction((tx) => platform.templates.delete(tx, first.uuid));
  t.match(await platform.templates.list(number.uuid), [{ language: 'fr' }]);
  await t.rejects(
    platform.store.transaction((tx) => platform.templates.delete(tx, first.uuid)),
    { code: 'template_not_found' },
  );
});
