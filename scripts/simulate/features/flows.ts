import { Crowd } from '../crowd.js';
import type { Call, Response } from '../machine.js';
import type { Feature } from '../run.js';
import { createNetworkNumber } from '../set-up.js';

const EDITORS = 3;

/** The definition of a flow with one screen. */
export const form = (title: string) => ({
  version: '7.3',
  screens: [
    {
      id: 'END',
      title,
      terminal: true,
      layout: {
        type: 'SingleColumnLayout',
        children: [{ type: 'Footer', label: 'Done', 'on-click-action': { name: 'complete', payload: {} } }],
      },
    },
  ],
});

type Status = 'DRAFT' | 'PUBLISHED' | 'DEPRECATED' | 'removed';

interface Flow {
  readonly id: string;
  name: string;
  status: Status;
  /** The preview URL that was returned last. */
  preview?: { readonly url: string; readonly at: number };
}

/** The transitions of the interface: the status from which each is allowed, and the status after it. */
const transitions: Readonly<Record<string, readonly [from: Status, to: Status]>> = {
  publish: ['DRAFT', 'PUBLISHED'],
  delete: ['DRAFT', 'removed'],
  deprecate: ['PUBLISHED', 'DEPRECATED'],
};

/** Editors create, change, publish, delete and deprecate flows; only allowed transitions happen. */
export const flows: Feature = {
  name: 'flows',
  weight: 0.5,
  async setUp(run, share) {
    const work = new Flows(run, share, EDITORS);
    work.number = await createNetworkNumber(run, '+27600000002');
    return work;
  },
};

class Flows extends Crowd {
  readonly #flows: Flow[] = [];
  /** Those of each editor. */
  readonly #own = Array.from({ length: EDITORS }, (): Flow[] => []);

  async check(): Promise<void> {
    const listed = await this.#listed();
    for (const { id, name, status } of this.#flows) {
      const known = listed.get(id);
      if ((known?.status ?? 'removed') !== status || (known && known.name !== name))
        this.run.violated(`flow ${id} is '${known?.name}' and ${known?.status ?? 'removed'}, not '${name}' and ${status}`);
    }
  }

  protected async act(editor: number, n: number): Promise<void> {
    const own = this.#own[editor]!;
    const actions = [this.#change, this.#move, this.#move, this.#preview, this.#look];
    if (own.length === 0 || this.random.chance(0.2)) {
      const flow = await this.#create(`form ${editor} ${n}`);
      if (flow) own.push(flow);
    } else await this.random.pick(actions).call(this, this.random.pick(own.slice(-8)));
  }

  async #create(name: string): Promise<Flow | undefined> {
    const response = await this.#call({ method: 'POST', path: '/v1/flows', body: { name, flow_json: form(name) } });
    if (!response) return undefined;
    // An earlier call has created it, and its response was lost.
    if (response.status === 400 && JSON.stringify(response.body).includes('The flow name is not unique')) return this.#find(name);
    if (response.status !== 201) {
      this.run.violated(`flow '${name}' got ${response.status}: ${JSON.stringify(response.body)}`);
      return undefined;
    }
    const flow: Flow = { id: response.body.id, name, status: 'DRAFT' };
    this.#flows.push(flow);
    return flow;
  }

  async #find(name: string): Promise<Flow | undefined> {
    const response = await this.#call({ method: 'GET', path: '/v1/flows' });
    const found = response?.body.data?.find((one: { name: string }) => one.name === name);
    if (response && !found) this.run.violated(`flow '${name}' exists by its name, and is not listed`);
    if (!found) return undefined;
    const flow: Flow = { id: found.id, name, status: 'DRAFT' };
    this.#flows.push(flow);
    return flow;
  }

  /** Renames a flow, which is possible for drafts only. */
  async #change(flow: Flow): Promise<void> {
    const name = `${flow.name.slice(0, 40)}'`;
    const response = await this.#call({ method: 'POST', path: `/v1/flows/${flow.id}`, body: { name } });
    if (!response) return;
    const isAllowed = flow.status === 'DRAFT';
    if ((response.status === 200) !== isAllowed) this.run.violated(`a change of a flow that is ${flow.status} got ${response.status}`);
    if (isAllowed) flow.name = name;
  }

  /** Makes a transition. One that is repeated, because its response was lost, may find that it has happened. */
  async #move(flow: Flow): Promise<void> {
    const how = this.random.pick(Object.keys(transitions));
    const [from, to] = transitions[how]!;
    const call: Call =
      how === 'delete'
        ? { method: 'DELETE', path: `/v1/flows/${flow.id}`, isOnce: true }
        : { method: 'POST', path: `/v1/flows/${flow.id}/${how}`, isOnce: true };
    for (let isRepeated = false; ; isRepeated = true) {
      const response = await this.run.call({ ...call, token: this.number.token });
      if (!response || response.status >= 500) {
        await this.run.world.sleep(2_000);
        continue;
      }
      const isAllowed = flow.status === from;
      if (isAllowed ? response.status !== 200 && !isRepeated : response.status !== 400)
        this.run.violated(`${how} of a flow that is ${flow.status} got ${response.status}: ${JSON.stringify(response.body)}`);
      if (isAllowed) flow.status = to;
      return;
    }
  }

  /** A preview URL stays the same until a new one is forced. */
  async #preview(flow: Flow): Promise<void> {
    const isNew = this.random.chance(0.3);
    const startedAt = this.run.world.now;
    const response = await this.#call({ method: 'GET', path: `/v1/flows/${flow.id}/preview${isNew ? '?invalidate=true' : ''}` });
    if (!response || flow.status === 'removed') return;
    const url: string | undefined = response.body.preview_url;
    if (url === undefined)
      return this.run.violated(`a preview of flow ${flow.id} got ${response.status}: ${JSON.stringify(response.body)}`);
    // A call that arrives twice forces another one later.
    const isCertain =
      !this.run.wasDisturbed(flow.preview?.at ?? startedAt, this.run.world.now) &&
      !this.run.network.link('callers', this.run.machines[0]!.name).repeated;
    if (isCertain && flow.preview && (url === flow.preview.url) === isNew)
      this.run.violated(`the preview URL of flow ${flow.id} is ${isNew ? 'not new' : 'new'}`);
    flow.preview = { url, at: this.run.world.now };
  }

  async #look({ id, status }: Flow): Promise<void> {
    const listed = (await this.#listed()).get(id);
    if ((listed?.status ?? 'removed') !== status)
      this.run.violated(`flow ${id} is listed as ${listed?.status ?? 'removed'}, and is ${status}`);
  }

  async #listed(): Promise<Map<string, { readonly id: string; readonly name: string; readonly status: Status }>> {
    const found = new Map<string, { readonly id: string; readonly name: string; readonly status: Status }>();
    for (let after: string | undefined = ''; after !== undefined; ) {
      const response: Response | undefined = await this.#call({ method: 'GET', path: `/v1/flows?limit=100${after && `&after=${after}`}` });
      for (const flow of response?.body.data ?? []) found.set(flow.id, flow);
      after = response?.body.paging?.cursors.after;
    }
    return found;
  }

  #call(call: Call) {
    return this.run.decided({ ...call, token: this.number.token });
  }
}
