import type { ChainLink, ContactRecord, Explanation, MessageRecord } from '#core';
import { isInput } from '#core/messaging';
import type { StoredJob } from '#core/ports';
import { candidatesOf, isFirstFor, isLateReply } from '../answering/choose.js';
import { answers } from '../answering/queues.js';
import { isAvailable, type JourneyRecord } from '../definitions/journey.js';
import { sessions } from '../records.js';
import type { JourneysContext } from '../service.js';
import type { Outcome, Outcomes } from './outcomes.js';
import { inOrderOfTrial, type Trial, whyNotStarted } from './triggers.js';

type Asked = Parameters<Explanation['explain']>[0];
type Step = Pick<ChainLink, 'state' | 'summary'> & Partial<ChainLink>;

/** Explains which journey answered a message, or why none did. */
export const journeyExplanation = (context: JourneysContext, outcomes: Outcomes): Explanation => ({
  name: 'journeys',
  async explain(asked) {
    const { message, number } = asked;
    if (message.quiet !== undefined) return [step(message, { state: 'skipped', summary: `No journey answers it: ${message.quiet}.` })];
    const all = await context.journeys.ofNumber(number.uuid);
    const outcome = outcomes.of(message.uuid) ?? (await outcomeInRecords(context, message));
    if (outcome?.kind === 'turn') return takenBy(context, asked, all, outcome);
    if (outcome?.kind === 'failed') {
      const fix = { action: outcome.fix, command: 'npx posthorn advice' };
      return [step(message, { state: 'broken', summary: outcome.reason, fix })];
    }
    if (!isInput(message)) return [step(message, { state: 'skipped', summary: `Messages of type ${message.type} never start a journey.` })];
    const claim = await context.webhookClaims()?.over(message);
    if (claim) {
      const summary = 'A webhook had claimed the contact, so it answers the message and no journey started.';
      return [step(message, { state: 'ok', summary, evidence: { claim: claim.uuid, webhook: claim.webhook } })];
    }
    if (all.length === 0) {
      // A webhook that was deleted since has deliveries.
      const hasWebhook =
        (await context.webhooks.ofNumber(number.uuid)).some(({ connector }) => !connector) ||
        (await context.deliveries.list({ message: message.uuid, limit: 1 })).length > 0;
      const summary = `The number ${number.address} has no journey.`;
      if (hasWebhook) return [step(message, { state: 'skipped', summary })];
      const fix = { action: 'Push and publish a journey', command: 'npx posthorn journey push FILE --publish' };
      return [step(message, { state: 'broken', summary, fix })];
    }
    const trial = await trialOf(context, message, all);
    if (outcome?.kind === 'none_fits') return [...(await lateReply(context, asked)), ...noneFitting(trial, all)];
    const job = await context.findJob(answers, message.uuid);
    if (job) return [pending(message, job)];
    // After a restart the outcome is not in memory. Without a trigger that matches, and without a session, there was only one.
    if (trial.candidates.length === 0 && !(await hadSession(context, message))) return noneFitting(trial, all);
    return undecided(trial, all);
  },
});

const step = ({ uuid }: MessageRecord, { evidence, ...part }: Step): ChainLink => ({
  name: 'journey',
  at: null,
  fix: null,
  ...part,
  evidence: { message: uuid, ...evidence },
});

/** After a restart, the messages of the journey show which session answered. */
async function outcomeInRecords({ store, conversations }: JourneysContext, message: MessageRecord): Promise<Outcome | undefined> {
  const later = (await conversations.newest(message.conversation, MAX_MESSAGES)).filter(({ position }) => position > message.position);
  const next =
    later.findLast(({ direction, quiet }) => direction === 'inbound' && quiet === undefined)?.position ?? Number.POSITIVE_INFINITY;
  const reply = later.findLast(({ journey, position }) => journey !== undefined && position < next);
  const session = reply?.journey && (await store.open(sessions).get(reply.journey.session));
  return session && { kind: 'turn', session, failure: null };
}

const MAX_MESSAGES = 100;

/** The session that took the message: whether it was parked, and which other journeys the message would have started. */
async function takenBy(
  context: JourneysContext,
  { message, contact }: Asked,
  all: readonly JourneyRecord[],
  { session, failure }: Extract<Outcome, { kind: 'turn' }>,
): Promise<ChainLink[]> {
  const journey = await context.journeys.require(session.journey);
  const evidence = { session: session.uuid, journey: journey.uuid, session_state: session.state };
  const at = session.updated_at;
  if (failure !== null) {
    const fix = { action: `Correct the journey '${journey.name}'`, route: `GET /admin/v1/journeys/${journey.uuid}/problems` };
    return [step(message, { state: 'broken', summary: `The journey '${journey.name}' failed: ${failure}.`, at, evidence, fix })];
  }
  const taker = { journey, wasParked: session.created_at < message.recorded_at };
  const trial = { ...(await trialOf(context, message, all)), taker };
  return whyNot(trial, all, takerStep(trial, contact, { at, evidence }));
}

/** The step of the journey that took the message. It is broken if it kept the message from journeys that would answer it otherwise. */
function takerStep(trial: TakenTrial, contact: ContactRecord, { at, evidence }: Pick<ChainLink, 'at' | 'evidence'>): ChainLink {
  const { message, taker } = trial;
  const { journey, wasParked } = taker;
  const others = shadowedBy(trial);
  const [other] = others;
  const names = others.map(({ name }) => `'${name}'`).join(', ');
  const name = wasParked ? 'session' : 'journey';
  const taken = wasParked
    ? `A parked session of the journey '${journey.name}' waited for this contact, so it took the message`
    : `The journey '${journey.name}' took the message`;
  if (!other) return step(message, { name, state: 'ok', summary: `${taken}.`, at, evidence });
  const shadowed = { name, at, evidence: { ...evidence, other_journey: other.uuid } };
  if (wasParked) {
    return step(message, {
      ...shadowed,
      state: 'broken',
      summary: `${taken}; the message would otherwise start ${names}.`,
      fix: {
        action: `Finish the conversation of '${journey.name}', or end its wait with a call that has a token of the number, and write again`,
        route: `DELETE /v1/contacts/${encodeURIComponent(contact.id)}/claim`,
      },
    });
  }
  // An earlier journey with specific triggers is a choice of the author.
  if (!takesEverything(trial)) return step(message, { ...shadowed, state: 'ok', summary: `${taken}, before ${names}.` });
  return step(message, {
    ...shadowed,
    state: 'broken',
    summary: `${taken}: it is older and has a trigger for every message, so ${names} did not start.`,
    fix: {
      action: `Limit the trigger of '${journey.name}' to words or a condition, make it a catch_all, or disable the journey`,
      route: `POST /admin/v1/journeys/${journey.uuid}/disable`,
    },
  });
}

type TakenTrial = Trial & { readonly taker: NonNullable<Trial['taker']> };

async function trialOf(context: JourneysContext, message: MessageRecord, all: readonly JourneyRecord[]): Promise<Trial> {
  return { message, candidates: candidatesOf(all, message, await isFirstFor(context, all, message)) };
}

/** The other journeys that the message would start without the taker. Not those with a `catch_all` trigger, which gives way to every other. */
function shadowedBy({ candidates, taker }: TakenTrial): JourneyRecord[] {
  const own = taker.wasParked ? -1 : candidates.findIndex(({ journey }) => journey.uuid === taker.journey.uuid);
  const later = candidates.filter(
    ({ journey, trigger }, i) => i > own && journey.uuid !== taker.journey.uuid && trigger.on !== 'catch_all',
  );
  return [...new Map(later.map(({ journey }) => [journey.uuid, journey])).values()];
}

/** Whether the trigger that took the message takes every other one too. */
function takesEverything({ candidates, taker }: TakenTrial): boolean {
  const accepted = candidates.find(({ journey }) => journey.uuid === taker.journey.uuid)?.trigger;
  return accepted !== undefined && accepted.on !== 'catch_all' && !accepted.words && accepted.when === undefined;
}

/** A step for each journey that did not start, in the order in which triggers are tried; `taken` is the step of the one that did. */
function whyNot(trial: Trial, all: readonly JourneyRecord[], taken?: ChainLink): ChainLink[] {
  const { message, taker } = trial;
  const ordered = inOrderOfTrial(all);
  const steps = ordered.slice(0, MAX_JOURNEYS).flatMap((journey) => {
    if (journey.uuid === taker?.journey.uuid) return [];
    const summary = `The journey '${journey.name}' did not start: ${whyNotStarted(journey, trial)}.`;
    return [step(message, { state: 'skipped', summary, evidence: { journey: journey.uuid } })];
  });
  if (ordered.length > MAX_JOURNEYS)
    steps.push(
      step(message, { state: 'skipped', summary: `${ordered.length - MAX_JOURNEYS} more journeys of the number are not listed.` }),
    );
  if (!taken) return steps;
  // A waiting session takes its message before any trigger is tried.
  const place = taker?.wasParked ? 0 : ordered.findIndex(({ uuid }) => uuid === taker?.journey.uuid);
  return steps.toSpliced(Math.max(place, 0), 0, taken);
}

const MAX_JOURNEYS = 50;

/** A reply to a question whose wait had expired. */
async function lateReply(context: JourneysContext, { message }: Asked): Promise<ChainLink[]> {
  if (!(await isLateReply(context, message, undefined))) return [];
  const [expired] = await context.store.open(sessions).find('contact', { equals: [message.contact], order: 'descending', limit: 1 });
  return [
    step(message, {
      name: 'session',
      state: 'broken',
      summary: 'The wait of the parked session expired before the contact replied.',
      at: expired!.updated_at,
      evidence: { session: expired!.uuid, journey: expired!.journey, session_state: expired!.state },
      fix: { action: 'Set context.id of the reply to the id of the message that asked, so that the session resumes' },
    }),
  ];
}

function noneFitting(trial: Trial, all: readonly JourneyRecord[]): ChainLink[] {
  const { message } = trial;
  const available = all.filter(isAvailable);
  const list = (journeys: readonly JourneyRecord[]): string => journeys.map(({ name }) => `'${name}'`).join(', ');
  const [first] = all;
  if (available.length === 0) {
    const isPublished = first!.revisions.production !== null;
    const summary = `No journey of the number is published and enabled: ${list(all)}.`;
    const fix = isPublished
      ? { action: `Enable '${first!.name}'`, route: `POST /admin/v1/journeys/${first!.uuid}/enable` }
      : {
          action: `Publish '${first!.name}'`,
          command: `npx posthorn journey publish ${first!.uuid}`,
          route: `POST /admin/v1/journeys/${first!.uuid}/publish`,
          body: { revision: 'production' },
        };
    return [...whyNot(trial, all), step(message, { state: 'broken', summary, evidence: { journey: first!.uuid }, fix })];
  }
  return [
    ...whyNot(trial, all),
    step(message, {
      state: 'broken',
      evidence: { journey: available[0]!.uuid },
      summary: `No session waited for the contact, and no trigger matches the message. The number has ${list(available)}.`,
      fix: { action: 'Add a trigger that matches the message, or a catch_all trigger', command: 'npx posthorn journey list' },
    }),
  ];
}

/** The turn is queued, running, or waits for its next attempt; or all its attempts failed, before a restart. */
function pending(message: MessageRecord, { at, attempts, error, hasFailed }: StoredJob): ChainLink {
  const failures = attempts > 0 ? ` ${attempts} attempts failed, the last with: ${error}.` : '';
  const evidence = { attempts: String(attempts), ...(error !== undefined && { error }) };
  if (hasFailed) {
    const fix = { action: 'Resolve the error, and let the contact write again', command: 'npx posthorn advice' };
    return step(message, { state: 'broken', summary: `The turn that answers the message failed permanently.${failures}`, evidence, fix });
  }
  const due = at.toISOString();
  const summary =
    attempts > 0 ? `The turn that answers the message is retried at ${due}.` : 'The turn that answers the message is queued or running.';
  return step(message, { state: 'waiting', summary: `${summary}${failures}`, at: due, evidence });
}

/** Whether a session with the contact existed when the message arrived, or began then. */
async function hadSession({ store }: JourneysContext, { contact, recorded_at: at }: MessageRecord): Promise<boolean> {
  const found = await store.open(sessions).find('contact', { equals: [contact], order: 'descending', limit: MAX_SESSIONS });
  return found.length === MAX_SESSIONS || found.some((session) => session.updated_at >= at);
}

const MAX_SESSIONS = 100;

/** After a restart: the journeys that cannot have started, and those that may have. */
function undecided(trial: Trial, all: readonly JourneyRecord[]): ChainLink[] {
  const mayHave = all.filter(({ uuid }) => trial.candidates.some(({ journey }) => journey.uuid === uuid));
  const matched = mayHave.length > 0 ? ` The message matches triggers of ${mayHave.map(({ name }) => `'${name}'`).join(', ')}.` : '';
  return [
    ...whyNot(
      trial,
      all.filter((journey) => !mayHave.includes(journey)),
    ),
    step(trial.message, {
      state: 'unknown',
      summary: `The platform was restarted after the message, and no message of a journey followed: the outcome of the turn is not known.${matched}`,
      fix: { action: 'Let the contact write again' },
    }),
  ];
}
