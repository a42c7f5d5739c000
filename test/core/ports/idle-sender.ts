import { RealClock } from '../../../core/adapters/clock/real-clock.js';
import { ThreadSender } from '../../../core/adapters/outbound/thread-sender.js';
import { delivery } from './sender-under-test.js';

/** Sends one request to the URL of its argument, writes the status, and does not stop the sender. */
const clock = new RealClock({
  onError(error) {
    throw error;
  },
});
const outcome = await new ThreadSender({ clock, targets: { guard: false } }).send(delivery(process.argv[2]!));
process.stdout.write(String(outcome.kind === 'response' && outcome.status));
