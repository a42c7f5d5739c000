import { beginningOf, type Json, type JsonObject, type StepDetails, type Turn } from '#core/basics';
import type { AnswerLocale } from './answers/locale.js';
import type { BlockEvent, BlockType, Run, SendOptions } from './blocks/block-type.js';
import { type Block, type Flow, objectAt } from './compile.js';
import type { Mark, TemplatePart } from './contact-text.js';
import { withoutNoise } from './expression/arithmetic.js';
import { type Evaluated, evaluate, holds, render, renderParts, resolve, type Scope } from './expression/expression.js';
import type { ContainerValue } from './floip.js';
import { JOURNEY_LIMITS } from './limits.js';
import { canBeMarked, marksIn, storedMarks } from './marked-values.js';
import { NO_DETAILS } from './report-text.js';
import { chooseValues, evaluatedResource, languageFor, type Rendered, renderedValue } from './resources.js';
import type { JourneyEvent, JourneyPosition } from './session.js';
import type { SessionDraft } from './session-draft.js';

/** Where a block begins in its notebook; empty for journeys written as JSON. */
function sourceOf({ hints: { own } }: Block): Pick<JourneyPosition, 'line' | 'column'> {
  const { line, column } = objectAt(own, 'source');
  return typeof line === 'number' && typeof column === 'number' ? { line, column } : {};
}

/** The `Run` of one block. Every change goes to the session's draft. */
export class BlockRun implements Run {
  readonly block: Block;
  readonly flow: Flow;
  readonly config: JsonObject;
  readonly random: () => number;
  readonly now: string;
  readonly timeZone: string;
  readonly locale: AnswerLocale;
  readonly session: string;
  readonly place: JourneyPosition;
  private readonly draft: SessionDraft;
  private readonly type: BlockType | undefined;
  private readonly texts = new Map<ContainerValue, string>();
  /** The value of the last expression, if it is a text of the contact. */
  private answerText: string | undefined;
  /** The value of the last expression with text of the contact, and its marks. */
  private marked: { readonly value: Json; readonly marks: Json } | undefined;

  constructor(draft: SessionDraft, block: Block, type: BlockType | undefined) {
    const { journey, flow } = draft.frame;
    this.draft = draft;
    this.block = block;
    this.type = type;
    this.flow = draft.flow;
    this.config = block.config;
    this.random = draft.environment.random;
    this.now = draft.now;
    this.timeZone = draft.environment.timeZone;
    this.locale = draft.environment;
    this.session = draft.uuid;
    this.place = { journey, flow, block: block.uuid, name: block.name, type: block.type, card: block.card, ...sourceOf(block) };
  }

  text(template: string, limit?: number, local?: JsonObject): string {
    this.draft.observe?.(this.place, template);
    return this.cut(this.emitWarnings(render(template, this.scopeWith(local), this.draft.environment, this.draft.meter)), limit);
  }

  resolve(template: Json): Json {
    if (typeof template !== 'string') return template;
    this.draft.observe?.(this.place, template);
    return withoutNoiseIn(this.emitWarnings(resolve(template, this.draft.scope, this.draft.environment, this.draft.meter)));
  }

  value(expression: string, local?: JsonObject): Json {
    this.draft.observe?.(this.place, expression);
    const evaluation = (): Evaluated<Json> => evaluate(expression, this.scopeWith(local), this.draft.environment, this.draft.meter);
    const evaluated = evaluation();
    this.answerText = evaluated.isAnswer ? (evaluated.value as string) : undefined;
    const value = withoutNoiseIn(this.emitWarnings(evaluated));
    this.marked = undefined;
    if (canBeMarked(value) && this.draft.canBeTyped(expression, false)) {
      const marked = marksIn(value, (mark) => this.draft.marking(mark, evaluation).value);
      this.marked = { value, marks: storedMarks(value, marked) };
    }
    return value;
  }

  parts(template: string, local?: JsonObject): readonly TemplatePart[] {
    this.draft.observe?.(this.place, template);
    const evaluation = (): Evaluated<readonly TemplatePart[]> =>
      renderParts(template, this.scopeWith(local), this.draft.environment, this.draft.meter);
    const parts = this.emitWarnings(evaluation());
    if (!this.draft.canBeTyped(template, true)) return parts;
    const known = new Map<Mark, readonly TemplatePart[]>();
    const marked = (mark: Mark): readonly TemplatePart[] => {
      const all = known.get(mark) ?? this.draft.marking(mark, evaluation).value;
      known.set(mark, all);
      return all;
    };
    return parts.map(({ text, isPrinted }, i) => ({
      text: isPrinted ? (marksIn(text, (mark) => marked(mark)[i]?.text ?? '') as string) : text,
      isPrinted,
    }));
  }

  hasTypedLabel(uuid: Json | undefined): boolean {
    return this.values(uuid).some(({ value }) => this.draft.canBeTyped(value, true));
  }

  isTyped(expression: string): boolean {
    return this.draft.canBeTyped(expression, false);
  }

  /** The marks of the text of the contact in a value that an expression had. */
  marksOf(value: Json): Json | undefined {
    return this.marked && this.marked.value === value ? this.marked.marks : undefined;
  }

  holds(expression: string, local?: JsonObject): boolean {
    this.draft.observe?.(this.place, expression);
    return this.emitWarnings(holds(expression, this.scopeWith(local), this.draft.environment, this.draft.meter));
  }

  tryValue(expression: string): Evaluated<Json> {
    this.draft.observe?.(this.place, expression);
    return evaluate(expression, this.draft.scope, this.draft.environment, this.draft.meter);
  }

  resource(uuid: Json | undefined): readonly Rendered[] {
    return this.values(uuid).map((value) => {
      const known = this.texts.get(value);
      const text = known ?? this.text(value.value);
      this.texts.set(value, text);
      return renderedValue(value, text);
    });
  }

  label(uuid: Json | undefined): string {
    const value = this.values(uuid).find(({ content_type }) => content_type === 'TEXT');
    return value ? render(value.value, this.draft.scope, this.draft.environment, this.draft.meter).value : '';
  }

  send(turns: readonly Turn[], { waiting = false, options = [], details }: SendOptions = {}): void {
    const step = this.details(details);
    for (const [i, turn] of turns.entries()) {
      const last = i === turns.length - 1;
      this.draft.events.push({
        type: 'message_out',
        at: this.place,
        turn,
        waiting: waiting && last,
        step,
        options: last ? options : [],
      });
    }
  }

  emit(event: BlockEvent): void {
    this.draft.events.push({ ...event, at: this.place } as JourneyEvent);
  }

  chooseExit(): string | undefined {
    const chosen = this.block.exits.find(({ isDefault, test }) => !isDefault && test !== undefined && this.holds(test));
    return (chosen ?? this.block.exits.find(({ isDefault }) => isDefault))?.uuid;
  }

  setVariable(name: string, value: Json): void {
    this.draft.setVariable(this.place, name, value, this.isAnswer(value), this.marksOf(value));
  }

  /** Whether a value is a text of the contact: of the answer to this block, or of an expression that copies an answer. */
  isAnswer(value: Json): boolean {
    return typeof value === 'string' && (value === this.answerText || value === this.draft.response);
  }

  setContactField(key: string, value: Json): void {
    const { contact } = this.draft;
    const next = typeof value === 'string' ? this.cut(value, JOURNEY_LIMITS.field) : value;
    const old = Object.hasOwn(contact, key) ? (contact[key] ?? null) : null;
    this.draft.setContact({ ...contact, [key]: next });
    this.emit({ type: 'contact_field_set', key, old, new: next });
  }

  writeResult(value: Json, label?: string): void {
    const { name } = this.block;
    const short = typeof value === 'string' ? this.cut(value, JOURNEY_LIMITS.result) : value;
    this.draft.frame.results[name] = { __value__: short, value: short, ...(label && { label }) };
    this.emit({ type: 'result_written', name, value: short, ...(label && { label }) });
  }

  get memory(): Json | undefined {
    return this.draft.frame.memory?.[this.block.uuid];
  }

  setMemory(memory: Json): void {
    this.draft.frame.memory = { ...this.draft.frame.memory, [this.block.uuid]: memory };
  }

  get sessionMemory(): Json | undefined {
    return this.draft.memory[this.memoryKey];
  }

  setSessionMemory(memory: Json): void {
    this.draft.memory = { ...this.draft.memory, [this.memoryKey]: memory };
  }

  private get memoryKey(): string {
    return `${this.draft.frame.journey}/${this.block.uuid}`;
  }

  hasFlow(uuid: string): boolean {
    return this.draft.definition.flows.has(uuid);
  }

  /** Cuts a text to the limit and emits a warning when it does. */
  cut(text: string, limit: number = JOURNEY_LIMITS.text): string {
    if (text.length <= limit) return text;
    this.emit({
      type: 'warning',
      expression: `${text.slice(0, 40)}…`,
      reason: `the text is longer than ${limit} characters and was cut; shorten it`,
    });
    return beginningOf(text, limit);
  }

  private scopeWith(local: JsonObject | undefined): Scope {
    return local ? [local, ...this.draft.scope] : this.draft.scope;
  }

  private emitWarnings<T>({ value, warnings }: Evaluated<T>): T {
    for (const { expression, reason } of warnings) this.emit({ type: 'warning', expression: expression.slice(0, 200), reason });
    return value;
  }

  private values(uuid: Json | undefined): readonly ContainerValue[] {
    const resource = typeof uuid === 'string' ? this.flow.resources.get(uuid) : undefined;
    return resource ? chooseValues(resource, this.flow, languageFor(this.flow, this.draft.contact.language)) : [];
  }

  private details(more: JsonObject | undefined): StepDetails {
    const uuids = resourcesOf(this.block, this.type);
    for (const uuid of uuids) this.resource(uuid);
    if (this.draft.meter.isShort) return NO_DETAILS;
    const resources = uuids.flatMap((uuid) => this.flow.resources.get(uuid) ?? []);
    return {
      block: more ? { ...this.block.source, config: { ...this.config, ...more } } : this.block.source,
      context: this.draft.context,
      resources: resources.map(({ source }) => source),
      evaluated_resources: resources.map((resource) => evaluatedResource(resource, this.texts)),
    };
  }
}

const withoutNoiseIn = (value: Json): Json => (typeof value === 'number' ? withoutNoise(value) : value);

/** Cached because every message of a block needs its resources, and a compiled definition never changes. */
const resourcesByBlock = new WeakMap<Block, readonly string[]>();

function resourcesOf(block: Block, type: BlockType | undefined): readonly string[] {
  const uuids = resourcesByBlock.get(block) ?? type?.resources?.(block.config) ?? [];
  resourcesByBlock.set(block, uuids);
  return uuids;
}
