import { type AskedMessage, type ChainLink, chainLinkSchema, type Explanation, idsIn } from '../contract/explanation.js';
import { type Route, route } from '../contract/route.js';
import { answerFaults } from '../delivery/answer-faults.js';
import type { Deliveries } from '../delivery/deliveries.js';
import type { DeliveryRecord } from '../delivery/delivery.js';
import type { DeliveryDetails } from '../delivery/delivery-details.js';
import type { Webhooks } from '../delivery/webhooks.js';
import { type Dialect, subscriptionName } from '../dialect.js';
import { InvalidRequest, messageOf, NotFound } from '../errors.js';
import { CONFORMANCE_MARK } from '../events/conformance-mark.js';
import { visibleNumbers } from '../kernel/http/account-scope.js';
import { operatorOf } from '../kernel/http/operators.js';
import type { CallLog, CallSummary, RecordedCall } from '../kernel/observe/call-log.js';
import type { ChannelDriver } from '../messaging/channel-drivers.js';
import { connections as connectionRecords } from '../messaging/connection.js';
import type { ContactRecord } from '../messaging/contact.js';
import type { Contacts } from '../messaging/contacts.js';
import type { Conversations } from '../messaging/conversations.js';
import { findMessage } from '../messaging/find-message.js';
import { isNote, type MessageRecord } from '../messaging/message.js';
import type { Messages } from '../messaging/messages.js';
import type { NumberRecord } from '../messaging/number.js';
import type { Numbers } from '../messaging/numbers.js';
import { withOwnCommand } from '../own-command.js';
import type { Logger } from '../ports/logger.js';
import type { Database } from '../ports/transaction.js';
import { array, dateTime, integer, nullable, object, string } from '../shape.js';
import { type AdviceRecord, adviceRecords } from './advice.js';
import { blockLinks, connectionLinks, deliveryLinks, link, missingWebhook, refusedCall, repeatedCall, statusLink } from './why-links.js';

/** Recorded calls that are searched. */
const MAX_CALLS = 500;
/** Refused calls in one chain. */
const MAX_REFUSED = 5;
/** Messages of a conversation that are searched for replies. */
const MAX_MESSAGES = 100;
/** Conversations of a number that are searched for the newest message. */
const MAX_CONVERSATIONS = 20;
const MAX_DELIVERIES = 100;
const MAX_ADVICE = 500;
const FIRST_ERROR = 400;

interface WhyParts {
  readonly store: Database;
  readonly numbers: Numbers;
  readonly contacts: Contacts;
  readonly conversations: Conversations;
  readonly messages: Messages;
  readonly webhooks: Webhooks;
  readonly deliveries: Deliveries;
  readonly dialect: Dialect;
  readonly calls: CallLog | undefined;
  readonly deliveryDetails: DeliveryDetails | undefined;
  readonly drivers: () => ReadonlyMap<string, ChannelDriver>;
  readonly explanations: () => readonly Explanation[];
}

const query = object({}, { message: string(), contact: string(), since: dateTime() });

const answer = object({
  about: object({ message: nullable(string()), contact: nullable(string()), since: nullable(string()) }),
  first: nullable(integer()).description(
    'The index in `links` of the first broken link, or else of the first that waits; null if every step happened. Refused calls of other numbers are never the first.',
  ),
  links: array(chainLinkSchema),
});

/** The admin route that explains why nothing happened. */
export function whyRoutes({ store, numbers, contacts, conversations, messages, webhooks, deliveries, ...parts }: WhyParts): Route[] {
  const { dialect, calls, deliveryDetails, explanations } = parts;
  const answerFault = answerFaults({ numbers, drivers: parts.drivers });
  const keptAdvice = store.open(adviceRecords);
  const connections = store.open(connectionRecords);

  return [
    route({
      method: 'GET',
      path: '/why',
      permission: 'messages.read_bodies',
      accounts: 'filtered',
      summary:
        'Explains what happened to a message: the steps from the call to the outcome, in order, with evidence and fixes, and the first broken one marked. `message` is a uuid or the id of the network or connector; `contact` selects the newest message of a contact, by uuid, id or address; `since` the newest one since a date-time, with the calls refused since then.',
      request: { query },
      responses: { 200: answer },
      errors: [404, 409],
      async handler({ query: { message: id, contact: who, since: given }, log, request }) {
        if (id === undefined && who === undefined && given === undefined)
          throw invalid('message', 'any.required', 'message, contact or since is required');
        if (id !== undefined && (who !== undefined || given !== undefined))
          throw invalid('message', 'any.invalid', 'message must not be combined with contact or since');
        const since = given === undefined ? undefined : new Date(given).toISOString();
        const operator = operatorOf(request);
        const all = await visibleNumbers(numbers, operator);
        const isVisible = (number: string | undefined): boolean =>
          operator.accounts === undefined || all.some(({ uuid }) => uuid === number);
        if (id !== undefined) {
          const message = await findMessage({ numbers: { list: async () => all }, messages }, id);
          if (!message || !isVisible(message.number)) throw new NotFound('message', id);
          return answerOf([...(await postedBy(message)), ...(await chainOf(message, log))], { message });
        }
        const contact = who === undefined ? undefined : await contactOf(who, all, isVisible);
        const message = contact ? await newestOf(contact, since) : await newestSince(since!, all);
        const shown = (found: readonly RecordedCall[]): ChainLink[] =>
          found
            .slice(0, MAX_REFUSED)
            .reverse()
            .map((call) => refusedCall(call, all));
        const refused = refusedSince(since ?? message?.recorded_at, contact).filter(({ number }) => isVisible(number?.uuid));
        const blocks = contact ? blockLinks(contact) : [];
        if (!message)
          return answerOf(refused.length > 0 ? [...shown(refused), ...blocks] : [...blocks, nothingArrived(contact, since)], {
            contact,
            since,
          });
        const { later, earlier, ofOthers } = refusedAround(message, refused, all);
        const steps = [...shown(later), ...(await postedBy(message)), ...(await chainOf(message, log))];
        return answerOf(steps, { message, contact, since, earlier: shown(earlier), ofOthers: shown(ofOthers) });
      },
    }),
  ];

  /** The contact with this uuid, id or address; of several numbers, the one whose conversation is the most recent. @throws NotFound */
  async function contactOf(who: string, visible: readonly NumberRecord[], isVisible: (number: string) => boolean): Promise<ContactRecord> {
    const own = await contacts.get(who.toLowerCase());
    if (own && isVisible(own.number)) return own;
    // In an unencoded query a plus arrives as a space.
    const name = who.replace(/^ /, '+');
    const all = await Promise.all(visible.map((number) => contacts.find(number, name)));
    const found = all.filter((contact) => contact !== undefined);
    const times = await Promise.all(found.map(async (one) => (await conversations.ofContact(one.number, one.uuid))?.updated_at ?? ''));
    const newest = times.reduce((best, at, i) => (at > times[best]! ? i : best), 0);
    if (!found[newest]) throw new NotFound('contact', who);
    return found[newest];
  }

  async function newestOf({ number, uuid }: ContactRecord, since = ''): Promise<MessageRecord | undefined> {
    const conversation = await conversations.ofContact(number, uuid);
    return conversation && newestIn(conversation.uuid, since);
  }

  /** The newest message that a contact or a client sent; messages of journeys are outcomes of these. */
  async function newestIn(conversation: string, since: string): Promise<MessageRecord | undefined> {
    const newest = await conversations.newest(conversation, MAX_MESSAGES);
    return newest.find((message) => message.journey === undefined && !isNote(message) && message.recorded_at >= since);
  }

  async function newestSince(since: string, visible: readonly NumberRecord[]): Promise<MessageRecord | undefined> {
    const recent = await Promise.all(visible.map(({ uuid }) => conversations.list(uuid, MAX_CONVERSATIONS)));
    const active = recent.flat().filter(({ updated_at }) => updated_at >= since);
    const found = (await Promise.all(active.map(({ uuid }) => newestIn(uuid, since)))).filter((message) => message !== undefined);
    found.sort((a, b) => (a.recorded_at < b.recorded_at ? 1 : -1));
    return found.find((message) => !isOfConformance(message)) ?? found[0];
  }

  /** The calls that the condition selects, newest first. */
  function newestCalls(isWanted: (about: CallSummary) => boolean): RecordedCall[] {
    const wanted = (calls?.newestFirst() ?? []).filter(({ about }) => isWanted(about));
    return wanted.slice(0, MAX_CALLS).map(({ read }) => read());
  }

  /** Refused calls, newest first: all, or those that may be about the contact. */
  function refusedSince(since: string | undefined, contact: ContactRecord | undefined): RecordedCall[] {
    const mayBeAbout = ({ number, request, path }: RecordedCall): boolean => {
      if (!contact || number === null || request.body.text === null) return true;
      const digits = contact.id.replace(/^\+/, '');
      return number.uuid === contact.number && (request.body.text === '' || `${path} ${request.body.text}`.includes(digits));
    };
    return newestCalls(({ status }) => status >= FIRST_ERROR).filter(
      (call) => (since === undefined || call.at >= since) && mayBeAbout(call),
    );
  }

  /**
   * The call that posted the message, and the newest one that posted its id again, if calls are recorded. The network and journeys post
   * messages without a call.
   */
  async function postedBy({ uuid, external_id, number, journey, direction }: MessageRecord): Promise<ChainLink[]> {
    if (!calls || journey) return [];
    const ids = [uuid, ...(external_id === undefined ? [] : [external_id])].map((id) => JSON.stringify(id));
    const names = (text: string | null): boolean => text !== null && ids.some((id) => text.includes(id));
    // An inbound message is named by the request; an outbound one gets its id in the response.
    const accepted = newestCalls((call) => call.number?.uuid === number && call.method === 'POST' && call.status < FIRST_ERROR);
    const posting = accepted.findLast(({ request, response }) => names((direction === 'inbound' ? request : response).body.text));
    if (!posting) return [];
    const summary = `${posting.method} ${posting.path} was accepted with ${posting.status}.`;
    const posted = link({ name: 'call', state: 'ok', summary, at: posting.at, evidence: { call: posting.id, number, message: uuid } });
    const repeated =
      direction === 'inbound' && accepted.find((call) => call.id !== posting.id && postedId(call.request.body.text) === external_id);
    if (!repeated) return [posted];
    const [other] = (await keptAdvice.find('at', { order: 'descending', limit: MAX_ADVICE })).filter(
      ({ name, about }) => name === 'inbound_id_repeated' && about?.message === uuid,
    );
    return [posted, repeatedCall(repeated, { message: uuid, number, advice: other })];
  }

  /** The steps of a recorded message. */
  async function chainOf(message: MessageRecord, log: Logger): Promise<ChainLink[]> {
    const [number, contact, conversation] = await Promise.all([
      numbers.require(message.number),
      contacts.require(message.contact),
      conversations.require(message.conversation),
    ]);
    const ids = { message: message.uuid, conversation: conversation.uuid, contact: contact.uuid, number: number.uuid };
    const summary = `The message ${message.direction === 'inbound' ? 'from' : 'to'} ${contact.address} was recorded by number ${number.address}.`;
    const recorded = link({ name: 'message', state: 'ok', summary, at: message.recorded_at, evidence: ids });
    const about = { number, contact, conversation, log };
    if (message.direction === 'outbound') return [recorded, ...(await outcomeOf({ ...about, message }))];
    const explained = (
      await Promise.all(explanations().map(({ name, explain }) => explainedBy(name, explain, { ...about, message })))
    ).flat();
    const own = await deliveriesOf(message);
    const hooks = own.length > 0 ? [] : await webhooks.ofNumber(number.uuid);
    const isHandled = explained.some(({ state }) => state === 'ok' || state === 'waiting');
    const missing =
      own.length > 0 ? [] : missingWebhook(number, message, { hooks, nameOf: (kind) => subscriptionName(dialect, kind), isHandled });
    const replies = (await repliesTo(message)).map(async (reply) => [replyLink(reply), ...(await outcomeOf({ ...about, message: reply }))]);
    const blocks = replies.length === 0 ? blockLinks(contact) : [];
    return [recorded, ...explained, ...blocks, ...own, ...missing, ...(await Promise.all(replies)).flat()];
  }

  async function outcomeOf(asked: AskedMessage): Promise<ChainLink[]> {
    const explained = explanations().map(({ name, explainSent }) => (explainSent ? explainedBy(name, explainSent, asked) : []));
    const connection = asked.message.pending_for === undefined ? undefined : await connections.get(asked.number.uuid);
    return [
      ...connectionLinks(connection),
      ...(await Promise.all(explained)).flat(),
      ...(await deliveriesOf(asked.message)),
      statusLink(asked.message),
    ];
  }

  /** The deliveries of a message, oldest first, each with its webhook. */
  async function deliveriesOf(message: MessageRecord): Promise<ChainLink[]> {
    const [found, kept] = await Promise.all([
      deliveries.list({ message: message.uuid, limit: MAX_DELIVERIES }),
      keptAdvice.find('at', { order: 'descending', limit: MAX_ADVICE }),
    ]);
    const originals = found.filter(({ replay_of }) => replay_of === undefined).reverse();
    const links = originals.map(async (delivery) => {
      const [webhook, { attempts }] = await Promise.all([webhooks.get(delivery.webhook), deliveries.show(delivery.uuid)]);
      const last = attempts.at(-1);
      return deliveryLinks(delivery, {
        webhook,
        response: last?.response ?? null,
        answer: await answerFault(delivery, message, last),
        advice: adviceOn(delivery, kept),
        fault: deliveryDetails?.faultOf(delivery.uuid),
        isAcceptedLate: webhook?.connector === true && message.external_id !== undefined && message.pending_for === undefined,
      });
    });
    return (await Promise.all(links)).flat();
  }

  /** The messages to the contact that followed, until the contact's next message. */
  async function repliesTo({ conversation, position }: MessageRecord): Promise<MessageRecord[]> {
    const later = (await conversations.newest(conversation, MAX_MESSAGES)).filter((one) => one.position > position).reverse();
    const next = later.findIndex(({ direction }) => direction === 'inbound');
    return next < 0 ? later : later.slice(0, next);
  }

  function nothingArrived(contact: ContactRecord | undefined, since: string | undefined): ChainLink {
    const [who, when] = [contact ? ` from or to ${contact.address}` : '', since === undefined ? '' : ` since ${since}`];
    const isRecording = calls ? '' : ' Calls are not recorded, so refused ones are unknown.';
    return link({
      name: 'call',
      state: 'broken',
      summary: `No message${who} and no refused call arrived${when}.${isRecording}`,
      evidence: { ...(contact && { contact: contact.uuid, number: contact.number }), ...(since !== undefined && { since }) },
      fix: {
        action: 'Check that the client calls the address of this platform, and send a message',
        command: 'npx posthorn status',
      },
    });
  }
}

/** Whether a conformance run sent this message: its contacts have the mark in their names. */
const isOfConformance = ({ from, to }: MessageRecord): boolean => `${from} ${to}`.includes(CONFORMANCE_MARK);

/**
 * Refused calls by what they can tell about a message: those after it, those before it, and those of other numbers, which do not explain
 * it. Without those of a conformance run, which makes invalid calls on purpose, unless the message is one of the run.
 */
function refusedAround(message: MessageRecord, refused: readonly RecordedCall[], numbers: readonly NumberRecord[]) {
  const isMarked = ({ path, request }: RecordedCall): boolean => `${path} ${request.body.text ?? ''}`.includes(CONFORMANCE_MARK);
  const found = isOfConformance(message) ? refused : refused.filter((call) => !isMarked(call));
  const isOfOther = ({ path, number }: RecordedCall): boolean => {
    const named = numbers.find(({ uuid }) => path.includes(uuid))?.uuid;
    const about = [named, number?.uuid].filter((uuid) => uuid !== undefined);
    return about.length > 0 && !about.includes(message.number);
  };
  const own = found.filter((call) => !isOfOther(call));
  return {
    later: own.filter(({ at }) => at >= message.recorded_at),
    earlier: own.filter(({ at }) => at < message.recorded_at),
    ofOthers: found.filter(isOfOther),
  };
}

/** The id of the message in the body of a call; a reply names the ids of other messages too. */
function postedId(text: string | null): unknown {
  try {
    return (JSON.parse(text ?? '') as { message?: { id?: unknown } } | null)?.message?.id;
  } catch {
    return undefined;
  }
}

/** An explanation that fails has one link with the state `unknown`, and the response succeeds. */
async function explainedBy(name: string, explain: Explanation['explain'], asked: AskedMessage): Promise<readonly ChainLink[]> {
  try {
    return await explain(asked);
  } catch (error) {
    const reason = messageOf(error);
    asked.log.warn('an explanation failed', { explanation: name, message_id: asked.message.uuid, reason });
    return [
      link({ name, state: 'unknown', summary: `The explanation '${name}' failed: ${reason}.`, evidence: { message: asked.message.uuid } }),
    ];
  }
}

const replyLink = ({ uuid, recorded_at: at, journey, author }: MessageRecord): ChainLink =>
  link({
    name: 'reply',
    state: 'ok',
    at,
    summary: journey ? `The journey '${author.name}' sent a message to the contact.` : 'A message was sent to the contact.',
    evidence: { message: uuid, ...(journey && { journey: journey.uuid, session: journey.session }) },
  });

/** Open advice on a delivery, then on its webhook. */
const adviceOn = ({ uuid, webhook }: DeliveryRecord, kept: readonly AdviceRecord[]): AdviceRecord[] =>
  kept
    .filter(({ about }) => about?.delivery === uuid || about?.webhook === webhook)
    .sort((a, b) => Number(b.about?.delivery === uuid) - Number(a.about?.delivery === uuid));

interface Answered {
  readonly message?: MessageRecord | undefined;
  readonly contact?: ContactRecord | undefined;
  readonly since?: string | undefined;
  /** Calls that were refused before the message. */
  readonly earlier?: readonly ChainLink[];
  /** Refused calls of other numbers, which are never the cause. */
  readonly ofOthers?: readonly ChainLink[];
}

/** Marks the first broken link, or else the first that waits, or else the first earlier call. */
function answerOf(steps: readonly ChainLink[], { message, contact, since, earlier = [], ofOthers = [] }: Answered) {
  const broken = steps.findIndex(({ state }) => state === 'broken');
  const stopped = broken >= 0 ? broken : steps.findIndex(({ state }) => state === 'waiting');
  const first = stopped < 0 && earlier.length > 0 ? steps.length : stopped;
  return {
    about: { message: message?.uuid ?? null, contact: contact?.uuid ?? message?.contact ?? null, since: since ?? null },
    first: first < 0 ? null : first,
    links: [...steps, ...earlier, ...ofOthers].map((one, i) => ({
      ...one,
      fix: runnable(one.fix),
      ids: idsIn(one.evidence),
      first: i === first,
    })),
  };
}

/** Explanations name the command line as pages do; the reader's terminal may be in a folder in which npm does not find it. */
const runnable = (fix: ChainLink['fix']): ChainLink['fix'] =>
  fix && {
    ...fix,
    action: withOwnCommand(fix.action),
    ...(fix.command !== undefined && { command: withOwnCommand(fix.command) }),
  };

const invalid = (key: string, rule: string, message: string): InvalidRequest => new InvalidRequest([{ path: [key], rule, message }]);
