import t from 'tap';
import { containerOf, type Draft } from '../journeys/engine/journey-under-test.js';
import { JOURNEY, says, startSimulation } from './simulation-under-test.js';

const WAITS = 'Options (reply with the exact label of one option):';

const sends = (type: 'Svc.Template' | 'Io.Turn.WhatsAppTemplateMessage', quote: (text: string) => string): Draft => ({
  texts: { yes: 'Yes please', after: 'You said @sent.name.' },
  blocks: [
    {
      name: 'sent',
      type,
      config: {
        template: {
          name: quote('spring_offer'),
          language: { code: quote('en') },
          components: [
            { type: 'header', parameters: [{ type: 'image', image: { link: quote('https://files.test/a.png') } }] },
            {
              type: 'body',
              parameters: [
                { type: 'text', text: quote('@contact.name') },
                { type: 'text', text: quote('Friday') },
              ],
            },
            { type: 'button', sub_type: 'quick_reply', index: '0', parameters: [{ type: 'payload', payload: quote('yes') }] },
          ],
        },
        buttons: ['yes'],
      },
    },
    says('after'),
  ],
});

for (const [type, quote] of [
  ['Svc.Template', (text: string) => text],
  ['Io.Turn.WhatsAppTemplateMessage', (text: string) => `"${text}"`],
] as const) {
  t.test(`a ${type} that is not registered is shown with its parameters and a warning, and the simulation continues`, async (t) => {
    const { simulate, admin, number } = await startSimulation(t, { blocks: [says('none', 'none')], texts: { none: 'None' } });
    const definition = containerOf({ languages: ['eng'], ...sends(type, quote) });
    await admin('PUT', `/journeys/${JOURNEY}`, { number, name: 'Offer', definition });
    t.equal((await admin('POST', `/journeys/${JOURNEY}/publish`, { revision: 'staging' })).status, 200);
    const { status, body } = await simulate({ revision: 'staging', contact: { name: 'Ann' }, debug: true });
    t.equal(status, 200);
    t.match(body, { state: 'waiting_for_input', card: 'sent', options: ['Yes please'] });
    t.equal(body.message, `[template: spring_offer (en)]\n[image: https://files.test/a.png]\nAnn\nFriday\n\n${WAITS}\n- Yes please`);
    t.strictSame(body.warnings, [
      { block: 'sent', expression: 'spring_offer', reason: "template 'spring_offer' in language en not found" },
    ]);
    const answered = await simulate({ input: 'Yes please' });
    t.match(answered.body, { state: 'end', message: 'You said template-btn-idx-0.' });
  });
}

t.test('in a conversation an unregistered template fails the run with an error code', async (t) => {
  const { call, admin, number, events, clock } = await startSimulation(t, { blocks: [says('none', 'none')], texts: { none: 'None' } });
  const draft = sends('Io.Turn.WhatsAppTemplateMessage', (text) => `"${text}"`);
  await admin('PUT', `/journeys/${JOURNEY}`, { number, name: 'Offer', definition: containerOf({ languages: ['eng'], ...draft }) });
  t.equal((await admin('POST', `/journeys/${JOURNEY}/publish`, { revision: 'production' })).status, 200);
  const { text: token } = (await admin('POST', `/numbers/${number}/tokens`, { name: 'real' })).body;
  await call('POST', `/v1/stacks/${JOURNEY}/start`, { token, payload: { wa_id: '27820001001' } });
  await clock.advance(0);
  const [turn] = events.filter(({ name }) => name === 'journey.turn_taken');
  t.match(turn, { data: { failure: /^template_not_found: / } });
});
