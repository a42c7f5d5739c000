import { DATABASE } from './database/server.js';
import { ADMIN_KEY, type Machine } from './machine.js';
import type { Random } from './random.js';
import type { Run, Work } from './run.js';

/** A member that is frozen or cut off from the database is read this often. */
const TICK_MS = 700;
/** Mean pauses between messages to a register, and between reads of another member: while something is wrong, and otherwise. */
const WRITE_MS = { troubled: 2_500, calm: 40_000 };
const READ_MS = { troubled: 5_000, calm: 30_000 };
/** Reads that a member has not responded to. A frozen one responds to all of them when it continues. */
const MOST_WAITING = 10;
/** Messages of a contact, before another one takes its place, and messages before the token is replaced. */
const [PER_CONTACT, PER_TOKEN] = [10, 30];
const DIRECTORY_MS = 2_000;
/** The share of reads with a token that was revoked. */
const REVOKED = 0.3;

interface Known {
  /** True time of the acknowledgement. */
  readonly at: number;
}

interface Token extends Known {
  readonly uuid: string;
  readonly text: string;
}

/** A number of which every member must show what was acknowledged before it was asked. */
interface Register {
  readonly number: string;
  contact: string;
  /** The acknowledged messages of the contact, by id. */
  messages: Map<string, Known>;
  token: Token;
  revoked: Token | undefined;
}

/**
 * Reads from each member directly, also from one that is frozen or cut off and that a load balancer would leave out. A response with 200 has every
 * message that was acknowledged before the call, and a token that was revoked before it gets 401. Without faults, each member responds.
 */
export async function setUpRegisters(run: Run, shards: number): Promise<Work> {
  const registers: Register[] = [];
  for (let i = 0; i < shards; i++) {
    // Each member then knows how many tenants each shard has, and puts this one into the shard with the fewest.
    await run.world.sleep(DIRECTORY_MS);
    const about = { from_addr: `web:register-${i}`, name: `register ${i}`, endpoint: 'http://connector.registers.test/' };
    const { number } = await run.admin('POST', '/channels', about);
    const { uuid } = number;
    registers.push({ number: uuid, contact: '', messages: new Map(), token: await issue(run, uuid), revoked: undefined });
  }
  return new Registers(run, registers);
}

async function issue(run: Run, number: string): Promise<Token> {
  const { token, text } = await run.admin('POST', `/numbers/${number}/tokens`, { name: 'register' });
  return { uuid: token.uuid, text, at: run.world.now };
}

class Registers implements Work {
  readonly #run: Run;
  readonly #random: Random;
  readonly #registers: readonly Register[];

  constructor(run: Run, registers: readonly Register[]) {
    this.#run = run;
    this.#random = run.world.random.stream('registers');
    this.#registers = registers;
  }

  begin(): void {
    for (const [i, register] of this.#registers.entries()) this.#run.actor(() => this.#write(register, i));
    for (const machine of this.#run.machines) this.#run.actor(() => this.#readFrom(machine));
  }

  async check(): Promise<void> {
    for (const machine of this.#run.machines)
      for (const register of this.#registers) {
        await this.#read(machine, register, false);
        if (register.revoked) await this.#read(machine, register, true);
      }
  }

  /** Resolves when the next one is due. */
  async #pause({ troubled, calm }: typeof WRITE_MS, isDue = () => false): Promise<void> {
    const { world, faults } = this.#run;
    do await world.sleep(TICK_MS);
    while (!this.#run.isOver && !isDue() && !this.#random.chance(TICK_MS / (faults.isTroubled ? troubled : calm)));
  }

  async #write(register: Register, i: number): Promise<void> {
    const { world } = this.#run;
    const { number } = register;
    for (let n = 0; ; n++) {
      if (n > 0) await this.#pause(WRITE_MS);
      if (this.#run.isOver) return;
      if (n % PER_TOKEN === PER_TOKEN - 1) await this.#replaceToken(register);
      if (n % PER_CONTACT === 0) {
        register.contact = `+2788${i}${String(n).padStart(6, '0')}`;
        register.messages = new Map();
      }
      const { contact, messages } = register;
      const id = `register-${i}-${n}`;
      const message = { type: 'text', from: contact, id, timestamp: String(1_767_600_000 + n), text: { body: id } };
      const body = { contact: { id: contact, profile: { name: contact } }, message };
      const { token } = register;
      const response = await this.#run.decided({ method: 'POST', path: `/v1/numbers/${number}/messages`, token: token.text, body });
      if (response?.status === 200) messages.set(id, { at: world.now });
      else if (response && !this.#isLost(token))
        this.#run.violated(`message ${id} got ${response.status}: ${JSON.stringify(response.body)}`);
      else if (response) register.token = await issue(this.#run, number);
    }
  }

  async #replaceToken(register: Register): Promise<void> {
    const { token, number } = register;
    register.token = await issue(this.#run, number);
    // A token that the database has lost is unknown, and the second of two revocations finds none.
    await this.#run.decided({ method: 'DELETE', path: `/admin/v1/numbers/${number}/tokens/${token.uuid}`, token: ADMIN_KEY });
    register.revoked = { ...token, at: this.#run.world.now };
  }

  async #readFrom(machine: Machine): Promise<void> {
    let waiting = 0;
    for (;;) {
      await this.#pause(READ_MS, () => this.#isSuspect(machine));
      if (this.#run.isOver) return;
      if (waiting >= MOST_WAITING) continue;
      const register = this.#random.pick(this.#registers);
      waiting++;
      const read = this.#read(machine, register, register.revoked !== undefined && this.#random.chance(REVOKED));
      void read.then(() => waiting--);
    }
  }

  async #read(machine: Machine, register: Register, isRevoked: boolean): Promise<void> {
    const { contact, messages, token, revoked } = register;
    if (messages.size === 0) return;
    const wasCalm = this.#run.faults.isCalm;
    const expected = [...messages].filter(([, message]) => !this.#isLost(message));
    const used = isRevoked ? revoked! : token;
    const path = `/v1/contacts/${encodeURIComponent(contact)}/messages`;
    const response = await this.#run.call({ method: 'GET', path, token: used.text }, machine);
    if (!response || response.status >= 500) {
      if (wasCalm && this.#run.faults.isCalm)
        this.#run.violated(
          `${machine.name} does not respond to a read although no fault lasts: ${response?.status} ${response?.body.errors?.[0]?.details}`,
        );
      return;
    }
    const isReplaced = !isRevoked && register.token !== token;
    if (this.#isLost(used) || (isReplaced && response.status === 401)) return;
    if (isRevoked) {
      if (response.status !== 401) this.#run.violated(`${machine.name} accepts a token that was revoked: ${response.status}`);
      return;
    }
    const text = JSON.stringify(response.body);
    const left = expected.filter(([, message]) => !this.#isLost(message));
    const missing = left.filter(([id]) => !text.includes(`"${id}"`));
    // The contact is lost with its first message.
    if (response.status === 404 && left.length === 0) return;
    if (response.status !== 200) this.#run.violated(`${machine.name} responds to a read with ${response.status}: ${text.slice(0, 300)}`);
    else if (missing.length > 0)
      this.#run.violated(`${machine.name} does not show the acknowledged messages ${missing.map(([id]) => id).join()}`);
  }

  #isSuspect({ name, process }: Machine): boolean {
    const { network, world } = this.#run;
    return (process?.pausedUntil ?? 0) > world.now || network.link(name, DATABASE).isCut;
  }

  /** Whether the database may have lost it since. */
  #isLost({ at }: Known): boolean {
    return this.#run.mayHaveLost(at);
  }
}
