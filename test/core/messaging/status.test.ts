import fc from 'fast-check';
import t from 'tap';
import { type DeliveryStatus, deliveryStatuses, type StatusReport } from '../../../core/messaging/message.js';
import { currentStatus } from '../../../core/messaging/status.js';
import { runs } from '../../forms.js';

/** Reads `delivered@10`. */
const report = (text: string): StatusReport => {
  const [status, timestamp] = text.split('@') as [DeliveryStatus, string];
  return { status, timestamp };
};
const written = ({ status, timestamp }: StatusReport): string => `${status}@${timestamp}`;

t.test('one more report may change the current status', async (t) => {
  const cases: [earlier: string, report: string, stands: string, why: string][] = [
    ['', 'sent@1', 'sent@1', 'the first stands'],
    ['', 'failed@1', 'failed@1', 'a failure too'],
    ['sent@1', 'delivered@2', 'delivered@2', 'a step further'],
    ['delivered@2', 'read@3', 'read@3', 'a step further'],
    ['sent@1', 'read@3', 'read@3', 'read implies delivered'],
    ['delivered@2', 'sent@1', 'delivered@2', 'sent came late'],
    ['read@3', 'delivered@2', 'read@3', 'delivered came late'],
    ['read@3', 'delivered@9', 'read@3', 'never backwards, whatever the clock of the other side'],
    ['delivered@9', 'read@3', 'read@3', 'a step further even if its time is earlier'],
    ['delivered@2', 'delivered@5', 'delivered@2', 'the same step once more changes nothing'],
    ['sent@1', 'failed@2', 'failed@2', 'it failed after it was sent'],
    ['sent@2', 'failed@2', 'failed@2', 'within one second a failure follows sent'],
    ['sent@3', 'failed@2', 'sent@3', 'it was sent after it had failed'],
    ['failed@2', 'sent@1', 'failed@2', 'sent came late'],
    ['failed@2', 'sent@2', 'failed@2', 'within one second a failure follows sent'],
    ['failed@2', 'sent@3', 'sent@3', 'the timestamp decides: it was sent once more'],
    ['failed@2', 'delivered@1', 'failed@2', 'the timestamp decides'],
    ['failed@2', 'delivered@2', 'delivered@2', 'what arrived within the same second has not failed'],
    ['delivered@2', 'failed@2', 'delivered@2', 'what arrived within the same second has not failed'],
    ['delivered@2', 'failed@3', 'failed@3', 'the timestamp decides'],
    ['failed@9', 'read@1', 'read@1', 'what was read has not failed'],
    ['read@1', 'failed@9', 'read@1', 'what was read has not failed'],
    ['failed@2', 'failed@5', 'failed@5', 'the later failure'],
    ['sent@1 failed@2', 'delivered@3', 'delivered@3', 'it arrived after all'],
    ['delivered@2 failed@3', 'sent@5', 'delivered@2', 'a later step outweighs the failure, and the furthest counts'],
    ['sent@9', 'delivered@10', 'delivered@10', 'timestamps are numbers: 10 is later than 9'],
    ['sent@9', 'failed@10', 'failed@10', 'timestamps are numbers: 10 is later than 9'],
  ];
  for (const [earlier, next, stands, why] of cases) {
    const known = earlier === '' ? [] : earlier.split(' ').map(report);
    t.equal(written(currentStatus(known, report(next))), stands, `${earlier} then ${next}: ${why}`);
  }
});

t.test('the current status does not depend on the order in which reports arrive', async (t) => {
  const reports = fc.uniqueArray(fc.record({ status: fc.constantFrom(...deliveryStatuses), timestamp: fc.nat(6).map(String) }), {
    minLength: 1,
    maxLength: 6,
    selector: written,
  });
  fc.assert(
    fc.property(reports, fc.infiniteStream(fc.nat()), (reports, order) => {
      const shuffled = reports.map((one) => ({ one, at: order.next().value })).sort((a, b) => a.at - b.at);
      const inTheEnd = (list: readonly StatusReport[]) => currentStatus(list.slice(0, -1), list.at(-1)!).status;
      return inTheEnd(reports) === inTheEnd(shuffled.map(({ one }) => one));
    }),
    { seed: 7, numRuns: runs(2000) },
  );
  t.pass('2000 shuffles');
});

t.test('a message that was read stays read', async (t) => {
  for (const status of deliveryStatuses) {
    for (const timestamp of ['0', '5', '10']) {
      t.equal(currentStatus([report('read@5')], { status, timestamp }).status, 'read');
    }
  }
});
