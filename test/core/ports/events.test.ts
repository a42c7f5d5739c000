import t from 'tap';
import { EmitterBus } from '../../../core/adapters/emitter-bus.js';
import type { HandlerFailed } from '../../../core/ports/events.js';
import { eventsContract } from '../../../core/testing/events-contract.js';
import { RecordingBus } from '../../../core/testing/recording-bus.js';

t.test('the emitter bus keeps the contract', (t) =>
  eventsContract(t, () => {
    const failures: Parameters<HandlerFailed>[0][] = [];
    return { bus: new EmitterBus((failure) => failures.push(failure)), failures: () => failures };
  }),
);

t.test('the recording bus keeps the contract', (t) =>
  eventsContract(t, () => {
    const bus = new RecordingBus();
    return { bus, failures: () => bus.failures };
  }),
);

t.test('the recording bus copies events when they are announced', async (t) => {
  const bus = new RecordingBus();
  const payload = { status: 'sent' };
  await bus.announce({ name: 'message.status', payload, shown: payload });
  payload.status = 'read';
  await bus.announce({ name: 'message.status', payload, shown: payload });
  await bus.announce({ name: 'other', payload: 1, shown: 1 });
  t.same(bus.payloads('message.status'), [{ status: 'sent' }, { status: 'read' }]);
  t.equal(bus.announced.length, 3);
});
