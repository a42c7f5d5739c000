import { ADMIN_KEY } from './machine.js';
import type { Exchange } from './network.js';
import type { Random } from './random.js';
import type { Run } from './run.js';

const GREETING = '7d0c2a13-94b8-4a57-8f0e-2b6f3f0c1d5e';
const GREETED = 'greeting';

/** A journey that operators start: it sends one message. */
const greeting = {
  specification_version: '1.0.0-rc4',
  uuid: 'greetings',
  name: 'Greeting',
  flows: [
    {
      uuid: 'greet',
      name: 'greet',
      last_modified: '2026-01-05T08:00:00Z',
      interaction_timeout: 300,
      supported_modes: ['RICH_MESSAGING'],
      languages: [{ id: 'eng', iso_639_3: 'eng' }],
      first_block_id: 'hello',
      blocks: [
        {
          uuid: 'hello',
          name: 'hello',
          type: 'MobilePrimitives.Message',
          config: { prompt: 'hello' },
          exits: [{ uuid: 'hello-1', name: 'end', default: true, destination_block: null }],
        },
      ],
      resources: [{ uuid: 'hello', values: [{ language_id: 'eng', content_type: 'TEXT', modes: ['RICH_MESSAGING'], value: GREETED }] }],
    },
  ],
};

/** How often something was asked for, was acknowledged, and was sent to the connector. */
interface Count {
  asked: number;
  acknowledged: number;
  sent: number;
}

/** Operators write to contacts of a channel and start a journey for them. The connector gets each message that was acknowledged, and no other. */
export class Office {
  readonly #run: Run;
  readonly #random: Random;
  readonly #number: string;
  /** By contact and text. */
  readonly #counts = new Map<string, Count>();
  #messages = 0;

  /** @param connector the host name of the connector */
  constructor(run: Run, random: Random, number: string, connector: string) {
    this.#run = run;
    this.#random = random;
    this.#number = number;
    run.deliveries.onFirst(connector, (first) => this.#noteFirst(first));
  }

  /** Publishes the journey. */
  async open(): Promise<void> {
    await this.#run.admin('PUT', `/journeys/${GREETING}`, { number: this.#number, name: 'Greeting', definition: greeting, triggers: [] });
    await this.#run.admin('POST', `/journeys/${GREETING}/publish`, { revision: 'production' });
  }

  /** An operator writes a message to a contact. */
  async write(): Promise<void> {
    const chosen = await this.#choose();
    if (!chosen) return;
    const text = `operator ${++this.#messages}`;
    const body = { operator: { id: 'operator-7', name: 'Thandi' }, type: 'text', text: { body: text } };
    await this.#ask(`${chosen.contact.id} ${text}`, `/conversations/${chosen.conversation.uuid}/messages`, body, 201);
  }

  /** An operator starts the journey for a contact. */
  async greet(): Promise<void> {
    const chosen = await this.#choose();
    if (chosen) await this.#ask(`${chosen.contact.id} ${GREETED}`, `/journeys/${GREETING}/start`, { contact: chosen.contact.uuid }, 202);
  }

  check(): void {
    for (const [what, { asked, acknowledged, sent }] of this.#counts)
      if (sent < acknowledged || sent > asked)
        this.#run.violated(`'${what}' was asked for ${asked} times, acknowledged ${acknowledged} times, and sent ${sent} times`);
  }

  async #choose() {
    const list = await this.#run.call({ method: 'GET', path: `/admin/v1/conversations?number=${this.#number}`, token: ADMIN_KEY });
    const conversations: { conversation: { uuid: string }; contact: { uuid: string; id: string } }[] =
      list?.status === 200 ? list.body.conversations : [];
    return conversations.length > 0 ? this.#random.pick(conversations) : undefined;
  }

  async #ask(what: string, path: string, body: object, success: number): Promise<void> {
    const count = this.#counts.get(what) ?? { asked: 0, acknowledged: 0, sent: 0 };
    this.#counts.set(what, count);
    count.asked++;
    const response = await this.#run.call({ method: 'POST', path: `/admin/v1${path}`, token: ADMIN_KEY, isOnce: true, body });
    if (!response || response.status >= 500) return;
    if (response.status === success) count.acknowledged++;
    else this.#run.violated(`'${what}' got ${response.status}: ${JSON.stringify(response.body)}`);
  }

  #noteFirst({ body }: Exchange): void {
    const { to, turn } = JSON.parse(body);
    const count = this.#counts.get(`${to} ${turn.text.body}`);
    if (count) count.sent++;
    else this.#run.violated(`the connector got '${turn.text.body}' for ${to}, which no operator has asked for`);
  }
}
