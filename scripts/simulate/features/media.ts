import { Crowd } from '../crowd.js';
import type { Received } from '../network.js';
import { Receiver } from '../receiver.js';
import type { Feature } from '../run.js';
import { createChannel } from '../set-up.js';

const CLIENTS = 3;
/** Operations for a file: it is uploaded, sent and downloaded. */
const PER_FILE = 4;
/** A link is valid for two minutes. */
const LINK_S = 120;
const CLOCK_S = 2;
/** The share of links that are also tried when they have expired. */
const EXPIRED = 0.1;

/** Files of a run whose content is uploaded again later. */
const SHARED = 20;

interface File {
  readonly id: string;
  readonly content: string;
}

/** Clients upload files and send them; the connector downloads them by links, which expire. */
export const media: Feature = {
  name: 'media',
  weight: 1,
  options: { mediaKeptDays: 1 },
  async setUp(run, share) {
    const work = new Media(run, share, CLIENTS, PER_FILE);
    const connector = new Receiver(run, 'connector.files.test', (request) => work.deliver(request));
    work.number = await createChannel(run, 'web:files', connector);
    return work;
  },
};

class Media extends Crowd {
  /** By their names. */
  readonly #files = new Map<string, File>();
  #expiring: readonly File[] = [];

  async check(): Promise<void> {
    for (const file of this.#files.values()) await this.#download(file);
  }

  /** Uploads some of the contents again, so that two files share one, and one of them expires half a day later. */
  async prepareDay(): Promise<void> {
    this.#expiring = [...this.#files.values()];
    this.#files.clear();
    for (const { content } of this.#expiring.slice(0, SHARED)) await this.#upload(`again-${this.#files.size}`, content);
  }

  async checkDay(): Promise<void> {
    for (const { id } of this.#expiring) {
      const response = await this.run.decided({ method: 'GET', path: `/v1/media/${id}`, token: this.number.token });
      if (response?.status !== 404) this.run.violated(`media file ${id} has expired, and its download got ${response?.status}`);
    }
    await this.check();
  }

  /** The connector downloads the file of a message. */
  deliver({ headers, body, at }: Received): object {
    const { link, filename } = JSON.parse(body).turn.document;
    const file = this.#files.get(filename);
    if (!file) this.run.violated(`the connector got the file ${filename}, which no client has sent`);
    else
      this.run.actor(async () => {
        await this.#follow(link, file, at);
        if (!this.random.chance(EXPIRED)) return;
        await this.run.world.sleep((LINK_S + 10 * CLOCK_S) * 1_000);
        await this.#follow(link, file, at);
      });
    return { messages: [{ id: headers['x-svc-hook-delivery'] }] };
  }

  protected async act(client: number, n: number): Promise<void> {
    // Some files have the same content, and share it.
    const content = `file ${this.random.below(40)} `.repeat(1 + this.random.below(60));
    const name = `${client}-${n}.txt`;
    const file = await this.#upload(name, content);
    if (!file) return;
    if (this.random.chance(0.5)) await this.#download(file);
    const { token } = this.number;
    const body = { to: '+27870000001', type: 'document', document: { id: file.id, filename: name } };
    const headers = { 'idempotency-key': `files-${name}` };
    const sent = await this.run.once({ method: 'POST', path: '/v1/messages', token, headers, body });
    if (sent && sent.status >= 300) this.run.violated(`message with ${name} got ${sent.status}: ${JSON.stringify(sent.body)}`);
  }

  /** Undefined if the workload has ended before there was a response. */
  async #upload(name: string, content: string): Promise<File | undefined> {
    const headers = { 'content-type': 'text/plain' };
    const uploaded = await this.run.decided({ method: 'POST', path: '/v1/media', token: this.number.token, headers, body: content });
    if (!uploaded) return undefined;
    const id: string | undefined = uploaded.body.media?.[0]?.id;
    if (id === undefined) {
      this.run.violated(`an upload got ${uploaded.status}: ${JSON.stringify(uploaded.body)}`);
      return undefined;
    }
    const file = { id, content };
    this.#files.set(name, file);
    return file;
  }

  async #download({ id, content }: File): Promise<void> {
    const response = await this.run.decided({ method: 'GET', path: `/v1/media/${id}`, token: this.number.token });
    // A file with a changed bit is missing, and never served.
    if (response?.status === 404 && this.run.rotten?.path.includes('/media/')) return;
    if (response && (response.status !== 200 || response.body !== content))
      this.run.violated(`media file ${id} was acknowledged, and its download got ${response.status}`);
  }

  /** Downloads by a link that was made at a time. */
  async #follow(link: string, { id, content }: File, madeAt: number): Promise<void> {
    const { world } = this.run;
    const { pathname, search } = new URL(link);
    const response = await this.run.call({ method: 'GET', path: `${pathname}${search}` });
    if (!response || response.status >= 500) return;
    const isRight = response.status === 200 && response.body === content;
    if (!isRight && response.status !== 403) this.run.violated(`a link to media file ${id} got ${response.status}`);
    // A clock that was changed since says nothing about the age of the link.
    const ageS = (world.now - madeAt) / 1_000;
    if (this.run.wasDisturbed(madeAt, world.now)) return;
    if (ageS < LINK_S - CLOCK_S - 10 && !isRight) this.run.violated(`a link to media file ${id} got ${response.status} after ${ageS} s`);
    if (ageS > LINK_S + CLOCK_S && isRight) this.run.violated(`a link to media file ${id} works after ${ageS} s`);
  }
}
