import { ADMIN_KEY } from '../machine.js';
import type { Random } from '../random.js';
import { Receiver } from '../receiver.js';
import { type Feature, HOUR_MS, type Run, type Work } from '../run.js';
import { createChannel, subscribe, type UsedNumber } from '../set-up.js';

const CONTACT = '+27890000999';
/** The share of the operations that create, use and revoke a token. */
const TOKENS = 0.2;
/** The share of changes after which the value is read. */
const READ = 0.5;

/** Something that operators set. */
interface Setting {
  readonly path: string;
  readonly body: (value: string) => object;
  // biome-ignore lint/suspicious/noExplicitAny: the workload reads any field
  readonly read: (body: any) => string | undefined;
  /** The value that was acknowledged last, and those of later changes of which the operator has no response. */
  possible: (string | undefined)[];
}

/** Operators change settings, and create and revoke tokens: what was acknowledged is so, until the next change. */
export const settings: Feature = {
  name: 'settings',
  weight: 0.4,
  async setUp(run, { random, operations }) {
    const connector = new Receiver(run, 'connector.settings.test', () => ({ messages: [{ id: 'never' }] }));
    const number = await createChannel(run, 'web:settings', connector);
    const webhook = await subscribe(run, number.uuid, 'settings.hook.test', ['msgapp']);
    const { uuid, token } = number;
    const message = { type: 'text', from: CONTACT, id: 'first', timestamp: '1767600000', text: { body: 'first' } };
    const body = { contact: { id: CONTACT, profile: { name: 'first' } }, message };
    await run.decided({ method: 'POST', path: `/v1/numbers/${uuid}/messages`, token, body });
    const { contacts } = await run.admin('GET', `/numbers/${uuid}/contacts?id=${encodeURIComponent(CONTACT)}`);
    const patched: readonly (readonly [path: string, body: Setting['body'], read: Setting['read']])[] = [
      [`/numbers/${uuid}`, (name) => ({ name }), ({ number }) => number.name],
      [`/webhooks/${webhook.uuid}`, (name) => ({ name }), ({ webhook }) => webhook.name],
      [`/contacts/${contacts[0].uuid}`, (value) => ({ fields: { value } }), ({ contact }) => contact.fields.value],
    ];
    const all: Setting[] = [];
    for (const [path, body, read] of patched) all.push({ path, body, read, possible: [read(await run.admin('GET', path))] });
    return new Settings(run, random, number, all, operations);
  },
};

class Settings implements Work {
  readonly #run: Run;
  readonly #random: Random;
  readonly #number: UsedNumber;
  readonly #settings: readonly Setting[];
  readonly #operations: number;
  readonly #tokens: { readonly text: string; readonly isRevoked: boolean }[] = [];

  constructor(run: Run, random: Random, number: UsedNumber, all: readonly Setting[], operations: number) {
    this.#run = run;
    this.#random = random;
    this.#number = number;
    this.#settings = all;
    this.#operations = operations;
  }

  begin(): void {
    const changing = (this.#settings.length * HOUR_MS * (1 + READ)) / (this.#operations * (1 - TOKENS));
    for (const setting of this.#settings) this.#run.actor(() => this.#change(setting, changing));
    this.#run.actor(() => this.#useTokens((3 * HOUR_MS) / (this.#operations * TOKENS)));
  }

  async check(): Promise<void> {
    for (const setting of this.#settings) await this.#look(setting);
    for (const token of this.#tokens) await this.#try(token);
  }

  async #change(setting: Setting, pauseMs: number): Promise<void> {
    for (let n = 0; ; n++) {
      await this.#run.world.sleep(this.#random.exponential(pauseMs));
      if (this.#run.isOver) return;
      const value = `value ${n}`;
      setting.possible.push(value);
      const { path, body } = setting;
      const response = await this.#run.call({
        method: 'PATCH',
        path: `/admin/v1${path}`,
        token: ADMIN_KEY,
        isOnce: true,
        body: body(value),
      });
      if (response?.status === 200) setting.possible = [value];
      else if (response && response.status < 500)
        this.#run.violated(`PATCH ${path} got ${response.status}: ${JSON.stringify(response.body)}`);
      if (this.#random.chance(READ)) await this.#look(setting);
    }
  }

  async #look({ path, read, possible }: Setting): Promise<void> {
    const value = read(await this.#run.admin('GET', path));
    if (!possible.includes(value)) this.#run.violated(`${path} is '${value}', not ${possible.map((one) => `'${one}'`).join(' or ')}`);
  }

  async #useTokens(pauseMs: number): Promise<void> {
    const path = `/numbers/${this.#number.uuid}/tokens`;
    for (let n = 0; ; n++) {
      await this.#run.world.sleep(this.#random.exponential(pauseMs));
      if (this.#run.isOver) return;
      const { text, token } = await this.#run.admin('POST', path, { name: `token ${n}` });
      await this.#try({ text, isRevoked: false });
      const isRevoked = this.#random.chance(0.5);
      if (isRevoked) await this.#run.decided({ method: 'DELETE', path: `/admin/v1${path}/${token.uuid}`, token: ADMIN_KEY });
      this.#tokens.push({ text, isRevoked });
    }
  }

  /** Makes a call with a token, which is refused if the token was revoked. */
  async #try({ text, isRevoked }: { readonly text: string; readonly isRevoked: boolean }): Promise<void> {
    const response = await this.#run.decided({ method: 'GET', path: `/v1/contacts/${encodeURIComponent(CONTACT)}/profile`, token: text });
    if (response && response.status !== (isRevoked ? 401 : 200))
      this.#run.violated(`a call with a token that was ${isRevoked ? 'revoked' : 'created'} got ${response.status}`);
  }
}
