import t from 'tap';
import { RecordingLogger } from '#core/testing';
import { deliverySettled } from '../../../core/delivery/delivery.js';
import { createDeliveryLog } from '../../../core/delivery/delivery-log.js';

t.test('a delivery that was dropped, or that the endpoint refused, is a warning; one that was cancelled on purpose is none', async (t) => {
  const log = new RecordingLogger();
  const { received } = createDeliveryLog(log);
  for (const [state, reason] of [
    ['delivered', undefined],
    ['dropped', 'exhausted'],
    ['cancelled', 'http_4xx'],
    ['cancelled', 'http_502'],
    ['cancelled', 'webhook_disabled'],
  ])
    received({ name: deliverySettled.name, payload: { delivery: { uuid: 'd', state, reason } } } as never);
  t.match(log.lines, [
    { level: 'warn', message: 'a delivery was dropped', fields: { reason: 'exhausted' } },
    { level: 'warn', message: 'a delivery was cancelled', fields: { reason: 'http_4xx' } },
    { level: 'warn', message: 'a delivery was cancelled', fields: { reason: 'http_502' } },
  ]);
  t.equal(log.lines.length, 3);
});
