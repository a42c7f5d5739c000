import t from 'tap';
import { readFilter } from '../../../core/events/event-filter.js';

const queued = { name: 'delivery.queued', data: { delivery: { uuid: 'd1', state: 'queued', attempts: 0, message: 'm1' } } };
const settled = {
  name: 'delivery.settled',
  data: { delivery: { uuid: 'd1', state: 'failed', message: 'm1' }, attempt: { status: 503, error: 'No "answer"', errors: [{ code: 7 }] } },
};
const turn = { name: 'journey.turn_taken', data: { session: { state: 'waiting' }, failure: null } };
const all = [queued, settled, turn];
const found = (text: string): string[] => all.filter(readFilter(text).matches).map(({ name }) => name);
const names = all.map(({ name }) => name);

for (const [text, expected] of [
  ['', names],
  ['   ', names],
  ['delivery', ['delivery.queued', 'delivery.settled']],
  ['DELIVERY.s', ['delivery.settled']],
  ['delivery.q journey', ['delivery.queued', 'journey.turn_taken']],
  ['state:failed', ['delivery.settled']],
  ['state:failed state:waiting', ['delivery.settled', 'journey.turn_taken']],
  ['state:failed status:50', ['delivery.settled']],
  ['state:failed status:40', []],
  ['delivery.state:q', ['delivery.queued']],
  ['session.state:q', []],
  ['code:7', ['delivery.settled']],
  ['attempts:0', ['delivery.queued']],
  ['failure:null', ['journey.turn_taken']],
  ['"no \\"', []],
  ['"answer"', ['delivery.settled']],
  ['error:"No "', ['delivery.settled']],
  ['"unfinished', []],
  ['-delivery', ['journey.turn_taken']],
  ['delivery -state:failed', ['delivery.queued']],
  ['-"answer"', ['delivery.queued', 'journey.turn_taken']],
  ['toString:x constructor:', []],
] as const) {
  t.strictSame(found(text), expected, `filter: ${text}`);
}

t.ok(readFilter('x:1').matches({ name: 'a', data: nested(20_000) }) === false, 'deep data does not overflow the stack');
t.ok(readFilter('"x"').matches({ name: 'a', data: undefined }) === false);

function nested(depth: number): unknown {
  let value: unknown = 1;
  for (let i = 0; i < depth; i++) value = { value };
  return value;
}
