import { exactJson, type Json, type JsonObject } from '#core/basics';
import type {
  Container,
  ContainerBlock,
  ContainerExit,
  ContainerFlow,
  ContainerLanguage,
  ContainerResource,
  ContainerValue,
} from './floip.js';

/** A compiled container: flows, blocks and resources are indexed by uuid. */
export interface Definition {
  readonly uuid: string;
  readonly name: string;
  /** The flow that a run starts with: the first of the container. */
  readonly entry: Flow;
  readonly flows: ReadonlyMap<string, Flow>;
  /** Whether the answer of a contact that is a number is none of the texts of `isstring`. */
  readonly readsAnswers: boolean;
  /** Names that the journey itself defines for expressions: `config`, from the tables of its notebook. */
  readonly parameters: JsonObject;
}

export interface Flow {
  readonly uuid: string;
  readonly name: string;
  readonly first: string;
  /** The block where a run continues after a failure; null ends the run. */
  readonly exit: string | null;
  /** Seconds without an answer after which a waiting session expires. */
  readonly timeout: number;
  readonly languages: readonly Language[];
  readonly blocks: ReadonlyMap<string, Block>;
  readonly resources: ReadonlyMap<string, Resource>;
}

export interface Language {
  readonly id: string;
  /** The codes that match a contact's language, in lower case: id, ISO 639-3 and BCP 47. */
  readonly codes: readonly string[];
}

export interface Block {
  readonly uuid: string;
  readonly name: string;
  readonly type: string;
  /** The author's name for this part of the journey; several blocks may share a card. */
  readonly card: string;
  readonly config: JsonObject;
  readonly exits: readonly Exit[];
  /** Vendor metadata: `own` is the platform's (`svc`); `notebook` is that of the notebook from which the journey was exported. */
  readonly hints: { readonly own: JsonObject; readonly notebook: JsonObject };
  readonly source: JsonObject;
}

export interface Exit {
  readonly uuid: string;
  readonly name: string;
  readonly semanticLabel: string | undefined;
  readonly isDefault: boolean;
  readonly to: string | null;
  readonly test: string | undefined;
}

export interface Resource {
  readonly uuid: string;
  readonly values: readonly ContainerValue[];
  readonly source: JsonObject;
}

const SILENCE_SECONDS = 300;

/** Compiles a container. The caller has checked it (`checkContainer`); this does not check again. */
export function compile(container: Container): Definition {
  const shared = (container.resources ?? []).map(resourceOf);
  const isEarly = /rc[12]$/.test(container.specification_version);
  const flows = container.flows.map((flow) => flowOf(flow, shared, isEarly));
  const [entry] = flows;
  if (!entry) throw new Error(`container ${container.uuid} has no flow`);
  const { config, answers } = objectAt(container.vendor_metadata, 'svc');
  const parameters = isObject(config) ? { config } : {};
  return { uuid: container.uuid, name: container.name, entry, flows: byUuid(flows), readsAnswers: answers !== 'texts', parameters };
}

const byUuid = <T extends { readonly uuid: string }>(things: readonly T[]): ReadonlyMap<string, T> =>
  new Map(things.map((thing) => [thing.uuid, thing]));

function flowOf(flow: ContainerFlow, shared: readonly Resource[], isEarly: boolean): Flow {
  return {
    uuid: flow.uuid,
    name: flow.name ?? '',
    first: flow.first_block_id,
    exit: flow.exit_block_id || null,
    timeout: flow.interaction_timeout ?? SILENCE_SECONDS,
    languages: flow.languages.map(languageOf),
    blocks: byUuid(flow.blocks.map((block) => blockOf(block, isEarly))),
    resources: byUuid([...shared, ...(flow.resources ?? []).map(resourceOf)]),
  };
}

function languageOf(language: ContainerLanguage): Language {
  const { id, iso_639_3, bcp_47 } = typeof language === 'string' ? { id: language } : language;
  return { id, codes: [id, iso_639_3, bcp_47].flatMap((code) => (code ? code.toLowerCase() : [])) };
}

const resourceOf = (resource: ContainerResource): Resource => ({
  uuid: resource.uuid,
  values: resource.values,
  source: resource as unknown as JsonObject,
});

function blockOf(block: ContainerBlock, isEarly: boolean): Block {
  const own = objectAt(block.vendor_metadata, 'svc');
  const notebook = objectAt(block.vendor_metadata, 'io', 'turn', 'stacks_dsl', '0.1.0');
  return {
    uuid: block.uuid,
    name: block.name,
    type: block.type,
    card: textAt(own, 'card') || textAt(objectAt(notebook, 'card'), 'name') || block.label || block.name,
    config: block.config ?? {},
    exits: isEarly ? withDefault(block.exits.map(exitOf)) : block.exits.map(exitOf),
    hints: { own, notebook },
    source: block as unknown as JsonObject,
  };
}

const exitOf = (exit: ContainerExit): Exit => ({
  uuid: exit.uuid,
  name: exit.name ?? exit.tag ?? exit.label ?? '',
  semanticLabel: exit.semantic_label || undefined,
  isDefault: exit.default === true,
  to: exit.destination_block || null,
  test: exit.test || undefined,
});

/** Before release candidate 3 the default exit is not marked: the last exit is the default if it has no test. */
const withDefault = (exits: readonly Exit[]): readonly Exit[] =>
  exits.some(({ isDefault }) => isDefault)
    ? exits
    : exits.map((exit, i) => (i === exits.length - 1 && exit.test === undefined ? { ...exit, isDefault: true } : exit));

export function objectAt(from: Json | undefined, ...path: readonly string[]): JsonObject {
  let value: Json | undefined = from;
  for (const key of path) value = isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  return isObject(value) ? value : {};
}

export const textAt = (from: JsonObject, key: string): string => {
  const value = from[key];
  return typeof value === 'string' ? value : '';
};

export const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const listAt = (from: JsonObject, key: string): readonly Json[] => {
  const value = from[key];
  return Array.isArray(value) ? value : [];
};

/** The plain value of `{__value__, …details}`; any other value unchanged. */
export const plainValue = (value: Json): Json => (isObject(value) && Object.hasOwn(value, '__value__') ? (value.__value__ ?? null) : value);

/** A value as text: empty for nil, JSON for lists and objects. */
export const asText = (value: Json | undefined): string => {
  const plain = plainValue(value ?? null);
  return plain === null ? '' : typeof plain === 'object' ? exactJson(plain) : String(plain);
};
