import t from 'tap';
import { noResponses } from '../../../core/delivery/no-response.js';
import { eventSummary } from '../../../core/events/event-summary.js';
import { failureText, reasonText } from '../../../core/events/failure-text.js';

t.test('every reason without a response has a sentence of its own', async (t) => {
  const texts = noResponses.filter((code) => code !== 'failed').map((code) => failureText({ code }));
  t.equal(texts.includes('There was no response.'), false);
  for (const text of texts) t.notMatch(text, /_|\d/, text);
});

t.test('a failure is a sentence, with the status only if the endpoint sent one', async (t) => {
  t.equal(failureText({ code: 'refused' }), 'The connection was refused: no program listens at this address.');
  t.equal(failureText({ code: 'http_4xx', status: 401 }), 'It responded 401: it rejected the signature.');
  t.equal(failureText({ code: 'http_500', status: 500 }), 'It responded 500.');
  t.equal(failureText({ code: 'not_json', status: 200 }), 'It responded 200: its response is not JSON.');
  t.equal(failureText({ code: 'refused', status: 503 }), 'It responded 503.', 'an integration refuses with a status');
  t.equal(failureText({ code: 'code_of_a_plugin' }), 'There was no response.');
  t.equal(reasonText('expired_in_queue'), 'its retry waited too long in the queue');
  t.equal(reasonText('reason_of_a_plugin'), 'reason of a plugin');
});

t.test('summaries of events say why', async (t) => {
  const delivery = { subscription: 'msgapp', state: 'dropped', reason: 'expired_in_queue' };
  t.equal(eventSummary({ name: 'delivery.settled', data: { delivery } }), 'msgapp dropped because its retry waited too long in the queue');
  const polled = { integration: 'loans', state: 'failed', trouble: 'timeout', ms: 5 };
  t.equal(eventSummary({ name: 'integration.polled', data: polled }), 'loans failed in 5 ms: It did not respond in time.');
});
