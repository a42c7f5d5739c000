import { Crowd } from '../crowd.js';
import type { Feature } from '../run.js';
import { createNetworkNumber, storedMessages, subscribe } from '../set-up.js';
import { form } from './flows.js';

const CONTACTS = 4;
/** Operations for a flow: it is sent, opened and submitted. */
const PER_FLOW = 3;
const HOST = 'responses.hook.test';
/** The share of forms that are submitted twice at the same time, as by a double click. */
const TWICE = 0.3;

/** Contacts open flows that they were sent, and submit them: each arrives once, as a message of the contact. */
export const sentFlows: Feature = {
  name: 'sent flows',
  weight: 0.5,
  async setUp(run, share) {
    const number = await createNetworkNumber(run, '+27600000003');
    const { flow } = await run.admin('POST', '/flows', {
      account: 'acme',
      name: 'Sent',
      definition: JSON.stringify(form('Sent')),
      publish: true,
    });
    await subscribe(run, number.uuid, HOST, ['msgapp']);
    return Object.assign(new SentFlows(run, share, CONTACTS, PER_FLOW), { number, flow: flow.id });
  },
};

class SentFlows extends Crowd {
  flow!: string;
  /** By the token of each sent flow: how many submissions were acknowledged. */
  readonly #accepted = new Map<string, number>();

  async check(): Promise<void> {
    const stored = new Map<string, string[]>();
    for (const { direction, content, external_id: id } of await storedMessages(this.run, this.number.uuid)) {
      if (direction !== 'inbound') continue;
      const { flow_token: token } = JSON.parse(content.interactive.nfm_reply.response_json);
      stored.set(token, [...(stored.get(token) ?? []), id]);
    }
    for (const [token, accepted] of this.#accepted) {
      const ids = stored.get(token) ?? [];
      if (accepted > 1 || ids.length > 1 || ids.length < accepted)
        this.run.violated(`${accepted} submissions of flow ${token} were acknowledged, and ${ids.length} are stored`);
      for (const id of ids) {
        const deliveries = this.run.deliveries.countOf(HOST, id);
        if (deliveries !== 1) this.run.violated(`the submission of flow ${token} has ${deliveries} deliveries`);
      }
    }
  }

  protected async act(contact: number, n: number): Promise<void> {
    const message = await this.#send(`+27880000${String(contact).padStart(3, '0')}`, `${contact}-${n}`);
    if (message !== undefined) await this.#fillIn(message, `${contact}-${n}`);
  }

  /** Undefined if the workload has ended before there was a response. */
  async #send(to: string, flow_token: string): Promise<string | undefined> {
    const parameters = {
      flow_id: this.flow,
      flow_cta: 'Open',
      flow_action: 'navigate',
      flow_action_payload: { screen: 'END' },
      flow_message_version: '3',
      flow_token,
      mode: 'published',
    };
    const interactive = { type: 'flow', body: { text: 'Please fill in' }, action: { name: 'flow', parameters } };
    const response = await this.run.once({
      method: 'POST',
      path: '/v1/messages',
      token: this.number.token,
      headers: { 'idempotency-key': `flow-${flow_token}` },
      body: { to, type: 'interactive', interactive },
    });
    const id: string | undefined = response?.body.messages?.[0]?.id;
    if (response && id === undefined) this.run.violated(`flow ${flow_token} got ${response.status}: ${JSON.stringify(response.body)}`);
    return id;
  }

  async #fillIn(message: string, token: string): Promise<void> {
    const { url } = await this.run.admin('POST', `/messages/${message}/flow`);
    const { pathname, search } = new URL(url);
    this.#accepted.set(token, 0);
    const submit = async () => {
      const body = { response: { answer: token } };
      const response = await this.run.decided({ method: 'POST', path: `${pathname}${search}`, body, latencyMs: 5 });
      if (response?.status === 200) this.#accepted.set(token, this.#accepted.get(token)! + 1);
      // It has arrived already, with a response that was lost, or together with this one.
      else if (response && response.status !== 410)
        this.run.violated(`a submission of flow ${token} got ${response.status}: ${JSON.stringify(response.body)}`);
    };
    await Promise.all(this.random.chance(TWICE) ? [submit(), submit()] : [submit()]);
  }
}
