import type { Exchange, Received } from '../network.js';
import type { Random } from '../random.js';
import { Receiver } from '../receiver.js';
import { type Feature, HOUR_MS, type Run, type Work } from '../run.js';
import { createChannel, subscribe, type UsedNumber } from '../set-up.js';

const CONTACTS = 24;
const JOURNEY = '5c1e7a52-4a0e-4c55-9a43-1d0f52a7f00a';
const OPEN = 'MobilePrimitives.OpenResponse';
const MESSAGE = 'MobilePrimitives.Message';
/** How long the second question waits for its answer. */
const TIMEOUT_S = 120;
/** How long a session waits: five minutes. */
const EXPIRES_S = 300;
/** Requests and jobs of a busy platform take a while. */
const TOLERANCE_S = 35;
/** The share of questions that the contact does not answer in time. */
const LATE = 0.12;

const text = (uuid: string, value: string) => ({
  uuid,
  values: [{ language_id: 'eng', content_type: 'TEXT', modes: ['RICH_MESSAGING'], value }],
});

/** Each message names the kind of the step and the message of the contact that led to it. */
export const journey = {
  specification_version: '1.0.0-rc4',
  uuid: 'container',
  name: 'Two questions',
  flows: [
    {
      uuid: 'main',
      name: 'main',
      last_modified: '2026-01-05T08:00:00Z',
      interaction_timeout: EXPIRES_S,
      supported_modes: ['RICH_MESSAGING'],
      languages: [{ id: 'eng', iso_639_3: 'eng' }],
      first_block_id: 'one',
      blocks: [
        {
          uuid: 'one',
          name: 'one',
          type: OPEN,
          config: { prompt: 'first' },
          exits: [{ uuid: 'one-1', name: 'next', default: true, destination_block: 'two' }],
        },
        {
          uuid: 'two',
          name: 'two',
          type: OPEN,
          config: { prompt: 'second', timeout: { seconds: TIMEOUT_S } },
          exits: [
            { uuid: 'two-1', name: 'too late', semantic_label: 'timeout', destination_block: 'late' },
            { uuid: 'two-2', name: 'next', default: true, destination_block: 'bye' },
          ],
        },
        {
          uuid: 'bye',
          name: 'bye',
          type: MESSAGE,
          config: { prompt: 'bye' },
          exits: [{ uuid: 'bye-1', name: 'end', default: true, destination_block: null }],
        },
        {
          uuid: 'late',
          name: 'late',
          type: MESSAGE,
          config: { prompt: 'late' },
          exits: [{ uuid: 'late-1', name: 'end', default: true, destination_block: null }],
        },
      ],
      resources: [
        text('first', 'first @event.message.text.body'),
        text('second', 'second @one'),
        text('bye', 'bye @two'),
        text('late', 'late @one'),
      ],
    },
  ],
};

/** The journey's answers to a message of the contact. */
type Kind = 'first' | 'second' | 'bye';

interface Question {
  readonly kind: 'first' | 'second';
  /** The message that led to it. */
  readonly subject: string;
  readonly delivery: string;
  readonly at: number;
}

interface Contact {
  readonly id: string;
  /** The question that it was asked last, if no answer has come. */
  question: Question | undefined;
  /** The message that the journey has not answered yet. */
  pending: { readonly text: string; readonly sentAt: number; readonly quotes: boolean } | undefined;
  /** Called when something for the contact was sent. */
  wake: () => void;
}

/**
 * Contacts talk with a journey: each message gets exactly one answer, questions expire, and late answers continue only if they name their question. A
 * webhook gets each message of the journey that the connector has taken.
 */
export const journeys: Feature = {
  name: 'journeys',
  weight: 2,
  async setUp(run, { random, operations }) {
    const work = new Journeys(run, random, (CONTACTS * HOUR_MS) / operations);
    const connector = new Receiver(run, 'connector.forms.test', (request) => work.deliver(request));
    work.number = await createChannel(run, 'web:forms', connector);
    run.deliveries.onFirst(connector.host, (first) => work.noteFirst(first));
    const { receiver } = await subscribe(run, work.number.uuid, 'journey.hook.test', ['journey_outbound']);
    run.deliveries.onFirst(receiver.host, (first) => work.noteSent(first));
    await run.admin('PUT', `/journeys/${JOURNEY}`, {
      number: work.number.uuid,
      name: 'Two',
      definition: journey,
      triggers: [{ on: 'message' }],
    });
    await run.admin('POST', `/journeys/${JOURNEY}/publish`, { revision: 'production' });
    return work;
  },
};

class Journeys implements Work {
  number!: UsedNumber;
  readonly #run: Run;
  readonly #random: Random;
  readonly #pauseMs: number;
  readonly #contacts = new Map<string, Contact>();
  /** Messages of the journey by contact and text: the delivery to the connector, and how many events of the webhook are about it. */
  readonly #messages = new Map<string, { readonly delivery: string; events: number }>();

  constructor(run: Run, random: Random, pauseMs: number) {
    this.#run = run;
    this.#random = random;
    this.#pauseMs = pauseMs;
    for (let i = 0; i < CONTACTS; i++) {
      const id = `+27840000${String(i).padStart(3, '0')}`;
      this.#contacts.set(id, { id, question: undefined, pending: undefined, wake: () => undefined });
    }
  }

  begin(): void {
    for (const contact of this.#contacts.values()) this.#run.actor(() => this.#talk(contact));
    this.#run.actor(async () => {
      while (!this.#run.isOver) {
        await this.#run.world.sleep(60_000);
        await this.#checkSessions();
      }
    });
  }

  async check(): Promise<void> {
    for (const { id, pending } of this.#contacts.values())
      if (pending) this.#run.violated(`the journey did not answer message '${pending.text}' of ${id}`);
    for (const [message, { delivery, events }] of this.#messages)
      if (events !== 1 && (events > 1 || this.#run.deliveries.isDelivered(delivery)))
        this.#run.violated(`message ${message} of the journey has ${events} deliveries to the webhook`);
    const waiting = await this.#checkSessions();
    for (const { uuid, contact } of waiting) this.#run.violated(`session ${uuid} of contact ${contact} still waits`);
  }

  /** The connector's id of a message is that of its delivery. */
  deliver({ headers }: Received): object {
    return { messages: [{ id: headers['x-svc-hook-delivery'] }] };
  }

  noteFirst({ headers, body }: Exchange): void {
    const { to, turn } = JSON.parse(body);
    const contact = this.#contacts.get(to);
    const [kind, subject] = turn.text.body.split(' ') as [Kind | 'late', string];
    if (!contact) {
      this.#run.violated(`the journey wrote to ${to}`);
      return;
    }
    this.#messages.set(`${to} '${turn.text.body}'`, { delivery: headers['x-svc-hook-delivery']!, events: 0 });
    if (kind === 'late') this.#noteLate(contact, subject);
    else this.#noteAnswer(contact, kind, subject, headers['x-svc-hook-delivery']!);
    contact.wake();
  }

  /** An event of the webhook: the connector has taken a message of the journey. */
  noteSent({ body }: Exchange): void {
    const { to, text } = JSON.parse(body);
    const message = this.#messages.get(`${to} '${text.body}'`);
    if (message) message.events++;
    else this.#run.violated(`the webhook got '${text.body}' for ${to}, which the connector has not got`);
  }

  #noteAnswer(contact: Contact, kind: Kind, subject: string, delivery: string): void {
    const { now } = this.#run.world;
    const { pending } = contact;
    if (pending?.text !== subject) {
      this.#run.violated(`the journey answered '${kind} ${subject}' while '${pending?.text}' was pending`);
      return;
    }
    const allowed = this.#allowed(contact);
    if (!allowed.includes(kind))
      this.#run.violated(`the journey answered '${kind}' to '${subject}', not ${allowed.join(' or ')}: ${JSON.stringify(contact)}`);
    contact.pending = undefined;
    contact.question = kind === 'bye' ? undefined : { kind, subject, delivery, at: now };
  }

  #noteLate({ id, question }: Contact, subject: string): void {
    const { now } = this.#run.world;
    if (question?.kind !== 'second' || question.subject !== subject) {
      this.#run.violated(`the time of question '${subject}' to ${id} ran out, but ${JSON.stringify(question)} is the last one`);
      return;
    }
    const waited = (now - question.at) / 1_000;
    const isAtTime = waited > TIMEOUT_S - TOLERANCE_S && waited < TIMEOUT_S + TOLERANCE_S;
    if (!isAtTime && !this.#run.wasDisturbed(question.at, now))
      this.#run.violated(`question '${subject}' to ${id} timed out after ${waited} s`);
    this.#contacts.get(id)!.question = undefined;
  }

  /** The journey may answer with these to the pending message. */
  #allowed({ question, pending }: Contact): readonly Kind[] {
    const { now } = this.#run.world;
    if (!question) return ['first'];
    const next: Kind = question.kind === 'first' ? 'second' : 'bye';
    if (pending!.quotes) return [next];
    const isUncertain = this.#run.wasDisturbed(question.at, now);
    const limit = question.kind === 'first' ? EXPIRES_S : TIMEOUT_S;
    if (isUncertain) return [next, 'first'];
    if ((now - question.at) / 1_000 < limit - TOLERANCE_S) return [next];
    return (pending!.sentAt - question.at) / 1_000 > limit + TOLERANCE_S ? ['first'] : [next, 'first'];
  }

  async #talk(contact: Contact): Promise<void> {
    const { world } = this.#run;
    for (let n = 0; ; n++) {
      const isLate = contact.question !== undefined && this.#random.chance(LATE);
      const limit = contact.question?.kind === 'second' ? TIMEOUT_S : EXPIRES_S;
      const pauseMs = this.#random.exponential(this.#pauseMs);
      const latest = 1_000 * (limit - 2 * TOLERANCE_S);
      await world.sleep(isLate ? 1_000 * (limit + 2 * TOLERANCE_S) : contact.question ? Math.min(pauseMs, latest) : pauseMs);
      if (this.#run.isOver) return;
      // A reply that names its question needs the id that the platform has of it.
      const asked = contact.question?.kind === 'first' ? contact.question : undefined;
      const quotes = asked !== undefined && this.#random.chance(0.4) && this.#run.deliveries.isDelivered(asked.delivery);
      const sent = `${contact.id.slice(-3)}-${n}`;
      contact.pending = { text: sent, sentAt: world.now, quotes };
      const answered = new Promise<void>((resolve) => {
        contact.wake = () => {
          if (!contact.pending) resolve();
        };
      });
      const response = await this.#post(contact.id, sent, quotes ? asked.delivery : undefined);
      if (response?.status !== 200) {
        if (response) this.#run.violated(`message ${sent} got ${response.status}: ${JSON.stringify(response.body)}`);
        return;
      }
      await answered;
    }
  }

  #post(from: string, sent: string, quoted: string | undefined) {
    const timestamp = String(1_767_600_000 + Math.floor(this.#run.world.now / 1_000));
    const message = {
      type: 'text',
      from,
      id: sent,
      timestamp,
      text: { body: sent },
      ...(quoted !== undefined && { context: { id: quoted } }),
    };
    const { uuid, token } = this.number;
    const body = { contact: { id: from, profile: { name: from } }, message };
    return this.#run.decided({ method: 'POST', path: `/v1/numbers/${uuid}/messages`, token, body });
  }

  /** Checks that no contact has two waiting sessions, and returns them. */
  async #checkSessions(): Promise<readonly { readonly uuid: string; readonly contact: string }[]> {
    const { sessions } = await this.#run.admin('GET', `/journeys/${JOURNEY}/sessions?waiting=true&limit=500`);
    const contacts = sessions.map(({ contact }: { contact: string }) => contact);
    if (new Set(contacts).size < contacts.length) this.#run.violated('a contact has two waiting sessions');
    return sessions;
  }
}
