import { beginningOf, type Input, type Json, type JsonObject, messageOf } from '#core/basics';
import { argumentName } from './answer-names.js';
import { BlockRun } from './block-run.js';
import type { BlockType, Outcome } from './blocks/block-type.js';
import { blockTypes } from './blocks/index.js';
import { type Block, type Definition, type Exit, isObject, objectAt, plainValue } from './compile.js';
import { applyContactProperties } from './contact-properties.js';
import { childOf, withoutIgnored } from './context.js';
import type { EffectResult } from './effect.js';
import type { Meter } from './expression/budget.js';
import { IGNORED_NAMES, JOURNEY_LIMITS } from './limits.js';
import { messageTurns } from './message-turns.js';
import { type Failure, fail, type Move, stop } from './moves.js';
import { newSession } from './new-session.js';
import type { Environment, JourneyEvent, Next, Session, Signal } from './session.js';
import { newFrame, type Observe, SessionDraft } from './session-draft.js';
import { sizeOf } from './size.js';

/** The input of `step`. `definitions` must return every revision that the session is pinned to or that a `journey` effect named. */
export interface Step {
  readonly definitions: (revision: string) => Definition;
  /** Null with a `start` signal. */
  readonly session: Session | null;
  readonly signal: Signal;
  readonly environment: Environment;
  /** The evaluation cost of all expressions; that of `JOURNEY_LIMITS` if not given. */
  readonly meter?: Meter;
  /** Called with each expression or template that the step evaluates, and its place: the coverage of tests counts them. */
  readonly observe?: Observe;
}

export interface StepResult {
  readonly session: Session;
  readonly events: readonly JourneyEvent[];
  readonly next: Next;
  /** The block where the step stopped: the waiting block, or the last block that ran. */
  readonly stop: Pick<Block, 'uuid' | 'card'>;
}

/** Stands in for a block type of another release, so that a session that waits at such a block can continue. */
const UNKNOWN_TYPE: BlockType = { settings: {}, enter: () => ({ kind: 'continue' }) };

const sizes = new WeakMap<Block, number>();

/** The cost of a block in a short step: it may compare each choice with the answer. At least 16, so that a short step has few blocks. */
function costOf(block: Block, response = ''): number {
  const size = sizes.get(block) ?? sizeOf(block.source, JOURNEY_LIMITS.text);
  sizes.set(block, size);
  return 16 + (size >> 6) * (1 + (response.length >> 6));
}

/** One step in progress: the draft of the session, and the block that is running. */
class StepRun {
  private readonly draft: SessionDraft;
  private readonly previousStatus: Session['status'];
  private run: BlockRun;
  private type: BlockType | undefined;

  constructor(draft: SessionDraft, before: Session['status']) {
    this.draft = draft;
    this.previousStatus = before;
    this.run = this.open(draft.frame.block);
  }

  start(input: Input | undefined): StepResult {
    const { journey, flow, block } = this.draft.frame;
    this.beginTurn(input);
    this.emit({ type: 'journey_entered', at: this.run.place, journey, flow });
    return this.follow({ kind: 'enter', block });
  }

  answer(given: Input, contact: JsonObject | undefined): StepResult {
    if (this.previousStatus !== 'waiting') {
      this.emit({
        type: 'input_ignored',
        text: given.text,
        reason: `the session is not waiting for input; its status is '${this.previousStatus}'`,
      });
      return this.result(this.previousStatus, { kind: 'end' });
    }
    const input = { ...given, text: beginningOf(given.text, JOURNEY_LIMITS.input) };
    if (contact) this.draft.setContact(contact);
    this.beginTurn(input);
    this.emit({ type: 'input_received', at: this.run.place, text: input.text, kind: input.type });
    this.draft.response = input.text;
    return this.follow(this.guarded(({ answer }) => answer?.(this.run, input) ?? { kind: 'wait' }));
  }

  elapse(): StepResult {
    if (this.previousStatus !== 'waiting') return this.result(this.previousStatus, { kind: 'end' });
    this.beginTurn(undefined);
    const exit = this.exitFor('timeout');
    if (exit) {
      this.draft.setAnswer({ value: null, error: 'timeout' });
      return this.follow({ kind: 'take', exit });
    }
    if (this.type?.elapsed) return this.follow(this.guarded(({ elapsed }) => elapsed?.(this.run) ?? { kind: 'end' }));
    this.emit({ type: 'expired', at: this.run.place });
    return this.result('ended', { kind: 'end' });
  }

  perform(result: EffectResult): StepResult {
    if (this.previousStatus !== 'active') return this.result(this.previousStatus, { kind: 'end' });
    this.draft.steps++;
    const defaultOutcome: Outcome = result.kind === 'failed' ? fail(result.code, result.reason) : { kind: 'continue' };
    return this.follow(this.guarded(({ performed }) => performed?.(this.run, result) ?? defaultOutcome));
  }

  private beginTurn(input: Input | undefined): void {
    this.draft.turns++;
    this.draft.steps = 0;
    if (input?.message) this.draft.setEvent(input.message);
  }

  /** Follows moves until the step ends: the journey waits, ends or needs an effect. */
  private follow(first: Move): StepResult {
    const { draft } = this;
    let move =
      draft.turns > JOURNEY_LIMITS.turns
        ? stop('turn_limit', `the session has more than ${JOURNEY_LIMITS.turns} turns; let the journey end`)
        : first;
    for (;;) {
      if (draft.meter.remaining < 0 && move.kind !== 'failed')
        move = stop('expression_limit', 'the expressions of this step are too complex together; split the work over several turns');
      switch (move.kind) {
        case 'enter':
          move = this.enter(move.block);
          break;
        case 'continue':
          move = this.leave(move);
          break;
        case 'take':
          move = this.take(move.exit);
          break;
        case 'jump':
          move = this.jump(move);
          break;
        case 'invalid':
          move = this.repeatQuestion(move.reason);
          break;
        case 'call':
          move = this.call(move);
          break;
        case 'return':
          if (draft.stack.length === 1) return this.result('ended', { kind: 'end' });
          move = this.returnToCaller();
          break;
        case 'fail':
          this.emitFailure(move);
          move = this.rescue(move);
          break;
        case 'wait':
          return this.waiting(move.timeoutIn);
        case 'effect':
          return this.result('active', { kind: 'effect', effect: move.effect });
        case 'end':
          return this.result('ended', { kind: 'end' });
        case 'stop':
          this.emitFailure(move);
          return this.failed(move);
        case 'failed':
          return this.failed(move);
        default:
          // A block of a plugin in JavaScript may return anything.
          throw new TypeError(`a block returned an unknown outcome: ${JSON.stringify(move)}`);
      }
    }
  }

  private enter(uuid: string): Move {
    if (++this.draft.steps > JOURNEY_LIMITS.steps) {
      return stop('step_limit', `the turn has more than ${JOURNEY_LIMITS.steps} steps; check for a cycle without a block that waits`);
    }
    this.draft.frame.block = uuid;
    this.draft.attempts = 0;
    this.draft.response = undefined;
    this.run = this.open(uuid);
    return this.ask();
  }

  private ask(): Move {
    const { block } = this.run;
    return this.type
      ? this.guarded(({ enter }) => enter(this.run))
      : fail('unknown_block_type', `unknown block type ${block.type}; replace the block`);
  }

  private open(uuid: string): BlockRun {
    const block = this.draft.flow.blocks.get(uuid);
    if (!block) throw new Error(`flow ${this.draft.flow.uuid} has no block ${uuid}`);
    this.type = blockTypes.get(block.type);
    return new BlockRun(this.draft, block, this.type);
  }

  /** Turns an exception of a block, which is a bug, into a failure of this session only. */
  private guarded(call: (type: BlockType) => Outcome): Outcome {
    const { meter, response } = this.draft;
    if (meter.isShort) {
      meter.remaining -= costOf(this.run.block, response);
      if (meter.remaining < 0) return fail('too_costly', 'a worker takes this step');
    }
    try {
      return call(this.type ?? UNKNOWN_TYPE);
    } catch (error) {
      return fail('block_failed', messageOf(error));
    }
  }

  private leave({ value, details, exit, isTyped }: Extract<Outcome, { kind: 'continue' }>): Move {
    if (value !== undefined) this.applySettings(value, details, isTyped);
    applyContactProperties(this.run);
    const uuid = exit ?? this.run.chooseExit();
    const chosen = this.run.block.exits.find((candidate) => candidate.uuid === uuid);
    return chosen ? { kind: 'take', exit: chosen } : fail('no_exit', 'no test is true; add a default exit');
  }

  private jump({ value, exit, to, isTyped }: Extract<Outcome, { kind: 'jump' }>): Move {
    this.applySettings(value, {}, isTyped);
    applyContactProperties(this.run);
    if (!this.draft.flow.blocks.has(to)) return fail('unknown_block', `block ${to} is not in this flow; correct destination_block`);
    this.emit({ type: 'exit_taken', at: this.run.place, exit, to });
    return { kind: 'enter', block: to };
  }

  private take({ uuid, name, to, test }: Exit): Move {
    this.emit({ type: 'exit_taken', at: this.run.place, exit: name, uuid, to, ...(test !== undefined && { test }) });
    return to === null ? { kind: 'return' } : { kind: 'enter', block: to };
  }

  /** Stores the value of a block: as a variable with the block's name, and as `block` until the next block has a value. */
  private applySettings(value: Json, details: JsonObject = {}, isTyped?: boolean): void {
    const { name } = this.run.block;
    const { response } = this.draft;
    const answer = { value, ...(response !== undefined && { response }), ...details };
    const isAnswer = response !== undefined || this.run.isAnswer(value);
    const isWhole = isTyped ?? (response !== undefined && isObject(value) && this.type?.picks === undefined);
    const marks = isWhole ? true : this.run.marksOf(value);
    this.draft.setAnswer(answer, response !== undefined, marks);
    this.draft.setVariable(this.run.place, name, value, isAnswer, marks);
    if (response !== undefined) this.draft.frame.results[name] = { __value__: plainValue(value), ...answer };
  }

  private repeatQuestion(reason: string): Move {
    const { place, config } = this.run;
    const text = this.draft.response ?? '';
    const attempt = ++this.draft.attempts;
    this.emit({ type: 'input_invalid', at: place, text, reason, attempt });
    const again = objectAt(config, 'on_invalid');
    if (attempt <= (typeof again.max_attempts === 'number' ? again.max_attempts : 0)) {
      this.run.send(messageTurns(this.run.resource(again.message)));
      return this.ask();
    }
    this.applySettings(text, { error: reason });
    const exit = this.run.block.exits.find(({ isDefault }) => isDefault);
    applyContactProperties(this.run);
    return exit ? { kind: 'take', exit } : fail('no_exit', 'the answer is invalid and no attempts remain; add a default exit');
  }

  private call({ target, args, answers, marked }: Extract<Outcome, { kind: 'call' }>): Move {
    const { draft } = this;
    if (draft.stack.length >= JOURNEY_LIMITS.depth)
      return fail('depth_limit', `more than ${JOURNEY_LIMITS.depth} nested calls; check for flows that call each other`);
    if (++draft.runs > JOURNEY_LIMITS.runs)
      return fail('run_limit', `the session has called more than ${JOURNEY_LIMITS.runs} flows; check for a loop of calls`);
    const { place } = this.run;
    const { journey, revision } = 'journey' in target ? target : draft.frame;
    const flow = draft.flowOf(revision, 'flow' in target ? target.flow : undefined);
    if (!flow) return fail('unknown_flow', 'the called flow does not exist in its revision; correct flow_id');
    draft.push({
      ...newFrame(journey, revision, flow),
      args,
      ...(answers.length > 0 && { answers: answers.map(argumentName) }),
      ...(marked.length > 0 && {
        marked: Object.fromEntries(marked.map(([name, marks]) => [argumentName(name), marks])),
      }),
    });
    this.emit({ type: 'journey_entered', at: place, journey, flow: flow.uuid });
    return { kind: 'enter', block: flow.first };
  }

  private returnToCaller(): Move {
    const ended = this.draft.pop();
    const child = childOf(ended);
    this.draft.setChild(child, ended);
    this.draft.response = undefined;
    this.run = this.open(this.draft.frame.block);
    this.emit({ type: 'journey_returned', at: this.run.place, journey: ended.journey, flow: ended.flow });
    return this.guarded(({ returned }) => returned?.(this.run, child) ?? { kind: 'continue' });
  }

  /** Finds a handler for a failure: the error exit of the block, then the exit block of its flow, then the same for each caller. */
  private rescue({ code, reason }: Failure): Move {
    for (;;) {
      const { draft } = this;
      const exit = this.exitFor('error');
      const block = draft.flow.exit;
      if (exit || (block !== null && block !== draft.frame.block)) {
        this.draft.setAnswer({ value: null, error: code });
        return exit ? { kind: 'take', exit } : { kind: 'enter', block: block ?? '' };
      }
      if (draft.stack.length === 1) return { kind: 'failed', code, reason };
      const ended = draft.pop();
      draft.setChild(childOf(ended), ended);
      this.run = this.open(draft.frame.block);
    }
  }

  private exitFor(label: string): Exit | undefined {
    return this.run.block.exits.find(({ semanticLabel }) => semanticLabel === label);
  }

  private emit(event: JourneyEvent): void {
    this.draft.events.push(event);
  }

  private emitFailure({ code, reason }: Failure): void {
    this.emit({ type: 'failure', at: this.run.place, code, reason });
  }

  private waiting(requested: number | undefined): StepResult {
    this.emit({ type: 'wait', at: this.run.place });
    const { seconds } = objectAt(this.run.config, 'timeout');
    const timeoutIn = requested ?? (typeof seconds === 'number' && this.exitFor('timeout') ? seconds : undefined);
    // A time-out longer than the flow's own limit must still fire, so the session expires no earlier.
    const expiresIn = Math.max(this.draft.flow.timeout, timeoutIn ?? 0);
    return this.result('waiting', { kind: 'wait', expiresIn, ...(timeoutIn !== undefined && { timeoutIn }) });
  }

  private failed({ code, reason }: Failure): StepResult {
    return this.result('failed', { kind: 'end', failure: { code, reason } });
  }

  private result(status: Session['status'], next: Next): StepResult {
    const { uuid, card } = this.run.block;
    return { session: this.draft.session(status), events: this.draft.events, next, stop: { uuid, card } };
  }
}

/** Runs blocks until the journey waits, ends or needs an effect. The same arguments always give the same result. */
export function step({ definitions, session, signal, environment, meter, observe }: Step): StepResult {
  const before = signal.kind === 'start' ? startedSession(signal, definitions(signal.revision)) : session;
  if (!before) throw new Error(`a signal of kind '${signal.kind}' needs a session; pass the one that the previous step returned`);
  const stepping = new StepRun(new SessionDraft(before, definitions, environment, meter, observe), before.status);
  switch (signal.kind) {
    case 'start':
      return stepping.start(signal.input);
    case 'input':
      return stepping.answer(signal.input, signal.contact);
    case 'timeout':
      return stepping.elapse();
    case 'result':
      return stepping.perform(signal.value);
  }
}

function startedSession(signal: Extract<Signal, { kind: 'start' }>, { entry }: Definition): Session {
  const parent = withoutIgnored(signal.parent, IGNORED_NAMES);
  const child = withoutIgnored(signal.child, IGNORED_NAMES);
  const frame = {
    ...newFrame(signal.journey, signal.revision, entry),
    ...(parent && { parent }),
    ...(child && { child }),
  };
  return { ...newSession(signal), stack: [frame] };
}
