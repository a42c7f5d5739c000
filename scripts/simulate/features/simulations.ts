import { Crowd } from '../crowd.js';
import type { Response } from '../machine.js';
import { Receiver } from '../receiver.js';
import type { Feature } from '../run.js';
import { createChannel } from '../set-up.js';
import { journey } from './journeys.js';

const AUTHORS = 3;
/** Requests of a simulation: its start, two inputs, and one after its end. */
const PER_SIMULATION = 4;
/** "A simulation ends … after 30 minutes without a request." */
const EXPIRY_MS = 31 * 60_000;
const JOURNEY = '0a4bdfb0-2f0e-4f86-8c0c-6f5f0a0c9e11';

/** Authors simulate a journey turn by turn: a simulation continues where its last response was, also after a restart, and sends no message. */
export const simulations: Feature = {
  name: 'simulations',
  weight: 0.3,
  async setUp(run, share) {
    const connector = new Receiver(run, 'connector.simulations.test', () => run.violated('a simulation has sent a message'));
    const number = await createChannel(run, 'web:simulations', connector);
    await run.admin('PUT', `/journeys/${JOURNEY}`, { number: number.uuid, name: 'Simulated', definition: journey, triggers: [] });
    await run.admin('POST', `/journeys/${JOURNEY}/publish`, { revision: 'production' });
    return Object.assign(new Simulations(run, share, AUTHORS, PER_SIMULATION), { number });
  },
};

class Simulations extends Crowd {
  readonly #started: string[] = [];

  async check(): Promise<void> {
    if (this.#started.length > 0) await this.run.world.sleep(EXPIRY_MS);
    for (const id of this.#started.splice(0)) {
      const late = await this.#turn(id, 'late');
      if (late && late.status !== 404) this.run.violated(`${id} has expired, and a request to it got ${late.status}`);
    }
    const { conversations } = await this.run.admin('GET', `/conversations?number=${this.number.uuid}`);
    if (conversations.length > 0) this.run.violated('a simulation has recorded a conversation');
  }

  /** Plays a whole simulation. One of which a response was lost is not continued, because its turn is unknown. */
  protected async act(author: number, n: number): Promise<void> {
    const id = `simulation-${author}-${n}`;
    const turns: readonly (readonly [input: string | undefined, state: string, message: string])[] = [
      [undefined, 'waiting_for_input', 'first'],
      [`a${n}`, 'waiting_for_input', `second a${n}`],
      [`b${n}`, 'end', `bye b${n}`],
    ];
    for (const [input, state, message] of turns) {
      const response = await this.#turn(id, input);
      if (!response || response.status >= 500) return;
      const { body } = response;
      if (response.status !== 200 || body.state !== state || !String(body.message).includes(message))
        return this.run.violated(`turn '${message}' of ${id} got ${response.status}: ${JSON.stringify(body)}`);
      if (input === undefined) this.#started.push(id);
      await this.run.world.sleep(this.random.exponential(20_000));
    }
    const late = await this.#turn(id, 'late');
    if (late && late.status < 500 && late.status !== 404) this.run.violated(`${id} has ended, and a request to it got ${late.status}`);
  }

  #turn(simulation_id: string, input: string | undefined): Promise<Response | undefined> {
    const body = { simulation_id, ...(input !== undefined && { input }) };
    return this.run.call({ method: 'POST', path: `/v1/journeys/${JOURNEY}/simulation`, token: this.number.token, body, isOnce: true });
  }
}
