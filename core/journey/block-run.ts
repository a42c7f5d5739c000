import type { Turn } from '../messaging/turn.js';
import type { BlockEvent, BlockType, Run, Sending } from './blocks/block-type.js';
import type { Block, Flow } from './compile.js';
import { beginningOf } from './cut.js';
import { type Evaluated, evaluate, holds, render, resolve, type Scope } from './expression/expression.js';
import type { ContainerValue } from './floip.js';
import { JOURNEY_LIMITS } from './limits.js';
import type { Progress } from './progress.js';
import { chooseValues, evaluatedResource, languageFor, type Rendered, renderedValue } from './resources.js';
import type { JourneyEvent, Json, JsonObject, Place, StepDetails } from './session.js';

/** One block at work on the progress of a session. */
export class BlockRun implements Run {
  readonly block: Block;
  readonly flow: Flow;
  readonly config: JsonObject;
  readonly random: () => number;
  readonly now: string;
  readonly timeZone: string;
  readonly session: string;
  readonly place: Place;
  private readonly progress: Progress;
  private readonly type: BlockType | undefined;
  private readonly texts = new Map<ContainerValue, string>();

  constructor(progress: Progress, block: Block, type: BlockType | undefined) {
    const { journey, flow } = progress.frame;
    this.progress = progress;
    this.block = block;
    this.type = type;
    this.flow = progress.flow;
    this.config = block.config;
    this.random = progress.environment.random;
    this.now = progress.now;
    this.timeZone = progress.environment.timeZone;
    this.session = progress.uuid;
    this.place = { journey, flow, block: block.uuid, name: block.name, type: block.type, card: block.card };
  }

  text(template: string, limit?: number, local?: JsonObject): string {
    return this.cut(this.warned(render(template, this.scopeWith(local), this.progress.environment, this.progress.meter)), limit);
  }

  resolve(template: Json): Json {
    if (typeof template !== 'string') return template;
    return this.warned(resolve(template, this.progress.scope, this.progress.environment, this.progress.meter));
  }

  value(expression: string, local?: JsonObject): Json {
    return this.warned(evaluate(expression, this.scopeWith(local), this.progress.environment, this.progress.meter));
  }

  holds(expression: string, local?: JsonObject): boolean {
    return this.warned(holds(expression, this.scopeWith(local), this.progress.environment, this.progress.meter));
  }

  attempt(expression: string): Evaluated<Json> {
    return evaluate(expression, this.progress.scope, this.progress.environment, this.progress.meter);
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
    return value ? render(value.value, this.progress.scope, this.progress.environment, this.progress.meter).value : '';
  }

  send(turns: readonly Turn[], { waiting = false, options = [], details }: Sending = {}): void {
    const step = this.details(details);
    for (const [i, turn] of turns.entries()) {
      const last = i === turns.length - 1;
      this.progress.events.push({
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
    this.progress.events.push({ ...event, at: this.place } as JourneyEvent);
  }

  chooseExit(): string | undefined {
    const chosen = this.block.exits.find(({ isDefault, test }) => !isDefault && test !== undefined && this.holds(test));
    return (chosen ?? this.block.exits.find(({ isDefault }) => isDefault))?.uuid;
  }

  setVariable(name: string, value: Json): void {
    this.progress.setVariable(this.place, name, value);
  }

  setContactField(key: string, value: Json): void {
    const { contact } = this.progress;
    const next = typeof value === 'string' ? this.cut(value, JOURNEY_LIMITS.field) : value;
    const old = Object.hasOwn(contact, key) ? (contact[key] ?? null) : null;
    this.progress.setContact({ ...contact, [key]: next });
    this.emit({ type: 'contact_field_set', key, old, new: next });
  }

  writeResult(value: Json, label?: string): void {
    const { name } = this.block;
    const short = typeof value === 'string' ? this.cut(value, JOURNEY_LIMITS.result) : value;
    this.progress.frame.results[name] = { __value__: short, value: short, ...(label && { label }) };
    this.emit({ type: 'result_written', name, value: short, ...(label && { label }) });
  }

  get memory(): Json | undefined {
    return this.progress.frame.memory?.[this.block.uuid];
  }

  keep(memory: Json): void {
    this.progress.frame.memory = { ...this.progress.frame.memory, [this.block.uuid]: memory };
  }

  get remembered(): Json | undefined {
    return this.progress.memory[this.memoryKey];
  }

  remember(memory: Json): void {
    this.progress.memory = { ...this.progress.memory, [this.memoryKey]: memory };
  }

  private get memoryKey(): string {
    return `${this.progress.frame.journey}/${this.block.uuid}`;
  }

  hasFlow(uuid: string): boolean {
    return this.progress.definition.flows.has(uuid);
  }

  /** Cuts what is too long, and says so. */
  cut(text: string, limit: number = JOURNEY_LIMITS.text): string {
    if (text.length <= limit) return text;
    this.emit({ type: 'warning', expression: `${text.slice(0, 40)}…`, reason: `the text is longer than ${limit} characters and was cut` });
    return beginningOf(text, limit);
  }

  private scopeWith(local: JsonObject | undefined): Scope {
    return local ? [local, ...this.progress.scope] : this.progress.scope;
  }

  private warned<T>({ value, troubles }: Evaluated<T>): T {
    for (const { expression, reason } of troubles) this.emit({ type: 'warning', expression: expression.slice(0, 200), reason });
    return value;
  }

  private values(uuid: Json | undefined): readonly ContainerValue[] {
    const resource = typeof uuid === 'string' ? this.flow.resources.get(uuid) : undefined;
    return resource ? chooseValues(resource, this.flow, languageFor(this.flow, this.progress.contact.language)) : [];
  }

  private details(more: JsonObject | undefined): StepDetails {
    const uuids = resourcesOf(this.block, this.type);
    for (const uuid of uuids) this.resource(uuid);
    const resources = uuids.flatMap((uuid) => this.flow.resources.get(uuid) ?? []);
    return {
      block: more ? { ...this.block.source, config: { ...this.config, ...more } } : this.block.source,
      context: this.progress.context,
      resources: resources.map(({ source }) => source),
      evaluated_resources: resources.map((resource) => evaluatedResource(resource, this.texts)),
    };
  }
}

/** A compiled definition stays as it is, and every message of it asks again. */
const knownResources = new WeakMap<Block, readonly string[]>();

function resourcesOf(block: Block, type: BlockType | undefined): readonly string[] {
  const uuids = knownResources.get(block) ?? type?.resources?.(block.config) ?? [];
  knownResources.set(block, uuids);
  return uuids;
}
