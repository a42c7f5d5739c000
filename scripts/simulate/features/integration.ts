import { Crowd } from '../crowd.js';
import { ADMIN_KEY } from '../machine.js';
import type { Received } from '../network.js';
import { Receiver } from '../receiver.js';
import type { Feature } from '../run.js';
import { createChannel } from '../set-up.js';

const CONTACTS = 4;
/** Operations of each round: a message, three looks, and sometimes a click. */
const PER_ROUND = 4.6;
const CLICKED = 0.5;
/** The share of clicks that the integration finishes before it responds. */
const FINISHED = 0.5;
const VERSION = '1.0.0-alpha';

/** Operators open conversations: an integration is polled for the panel of each, and gets each click once. */
export const integration: Feature = {
  name: 'integration',
  weight: 0.5,
  async setUp(run, share) {
    const connector = new Receiver(run, 'connector.help.test', () => ({ messages: [{ id: 'never' }] }));
    const work = new Panels(run, share, CONTACTS, PER_ROUND);
    work.number = await createChannel(run, 'web:help', connector);
    // The secret is in the response of the call that makes the first handshake.
    const early: Received[] = [];
    const server = new Receiver(run, 'panel.test', (request) => {
      if (!server.secrets) early.push(request);
      return work.respond(request);
    });
    server.secrets = undefined;
    // The handshake is made once, and must succeed.
    server.manners.busy = 0;
    const about = { number: work.number.uuid, name: 'Panel', url: server.url };
    const { integration: created, hmac_secret } = await run.admin('POST', '/integrations', about);
    server.secrets = new Set([hmac_secret]);
    for (const request of early) server.check(request);
    if (early.length === 0) run.violated('there was no handshake');
    if (created.handshake.state !== 'ready') run.violated(`the handshake is ${JSON.stringify(created.handshake)}`);
    work.integration = created.uuid;
    return work;
  },
};

class Panels extends Crowd {
  integration!: string;
  /** How often the integration got each click. */
  readonly #clicks = new Map<string, number>();
  readonly #accepted: string[] = [];
  readonly #finished = new Set<string>();

  async check(): Promise<void> {
    const { clicks } = await this.run.admin('GET', `/integrations/${this.integration}/clicks`);
    for (const { uuid, finished_at } of clicks)
      if (this.#finished.has(uuid) && finished_at === undefined)
        this.run.violated(`click ${uuid} was finished, and is shown as unfinished`);
    const isRepeated = this.run.scenario.faults.some(({ kind }) => kind === 'requests repeated');
    for (const click of this.#accepted)
      if (!this.#clicks.has(click)) this.run.violated(`click ${click} was accepted, and the integration has not got it`);
    for (const [click, count] of this.#clicks)
      if (count > 1 && !isRepeated) this.run.violated(`the integration got click ${click} ${count} times`);
  }

  async respond({ url, body }: Received): Promise<object> {
    if (url.searchParams.get('handshake') === 'true') {
      const facts = { title: 'Facts', code: 'facts', type: 'table' };
      return { version: VERSION, capabilities: { actions: true, suggested_responses: false, context_objects: [facts] } };
    }
    const call = JSON.parse(body);
    if (url.pathname === '/go') {
      const click: string = call.integration_action_uuid;
      this.#clicks.set(click, (this.#clicks.get(click) ?? 0) + 1);
      if (this.random.chance(FINISHED)) await this.#finish(click);
      return {};
    }
    if (call.messages.length > 10) this.run.violated(`the integration got ${call.messages.length} messages of a conversation`);
    const actions = { go: { description: 'Go', url: '/go', payload: { of: call.chat.owner } } };
    return { version: VERSION, context_objects: { facts: { owner: `is ${call.chat.owner}` } }, actions };
  }

  /** The integration says that a click is done, before it has responded to the click. */
  async #finish(click: string): Promise<void> {
    const path = `/api/integrations/${this.integration}/notify/finish`;
    const response = await this.run.call({ method: 'POST', path, body: { integration_action_uuid: click } });
    if (response?.status === 201) this.#finished.add(click);
    else if (response && response.status < 500) this.run.violated(`the end of click ${click} got ${response.status}`);
  }

  protected async act(contact: number, n: number): Promise<void> {
    const { uuid, token } = this.number;
    const from = `+2788000${String(contact).padStart(4, '0')}`;
    const timestamp = String(1_767_600_000 + Math.floor(this.run.world.now / 1_000));
    const message = { type: 'text', from, id: `${from}:${n}`, timestamp, text: { body: `question ${n}` } };
    const body = { contact: { id: from, profile: { name: from } }, message };
    await this.run.decided({ method: 'POST', path: `/v1/numbers/${uuid}/messages`, token, body });
    if (this.run.isOver) return;
    const { contacts } = await this.run.admin('GET', `/numbers/${uuid}/contacts?id=${encodeURIComponent(from)}`);
    const { conversations } = await this.run.admin('GET', `/conversations?number=${uuid}`);
    const found = conversations.find(({ contact: one }: { contact: { uuid: string } }) => one.uuid === contacts[0]?.uuid);
    if (found) await this.#open(found.conversation.uuid, from);
  }

  async #open(conversation: string, owner: string): Promise<void> {
    const { views } = await this.run.admin('GET', `/conversations/${conversation}?refresh=true`);
    const text = JSON.stringify(views);
    for (let other = 0; other < CONTACTS; other++) {
      const one = `is +2788000${String(other).padStart(4, '0')}`;
      if (one !== `is ${owner}` && text.includes(one)) this.run.violated(`the panel of ${owner} has the facts of another contact`);
    }
    if (!this.random.chance(CLICKED)) return;
    const response = await this.run.call({
      method: 'POST',
      path: `/admin/v1/conversations/${conversation}/actions`,
      token: ADMIN_KEY,
      isOnce: true,
      body: { integration: this.integration, action: 'go' },
    });
    if (response?.status === 200 && response.body.click.state === 'accepted') this.#accepted.push(response.body.click.uuid);
  }
}
