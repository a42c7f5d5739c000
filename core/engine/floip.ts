import Joi from 'joi';
import type { JsonObject } from '../json.js';
import { anyOf, anyText, fields, flag, list, nullable, number, type TypeOf, text } from '../shape.js';

/**
 * The flow interoperability container as it is stored and exchanged, release candidates 1 to 4. Only what is read here is
 * described; everything else in it is kept as it is.
 */
export const SPECIFICATION_VERSION = /^1\.0\.0-rc[1-4]$/;

const anyObject = (): Joi.ObjectSchema<JsonObject> => Joi.object().unknown() as Joi.ObjectSchema<JsonObject>;
const items = (): Joi.ArraySchema<unknown[]> => Joi.array() as Joi.ArraySchema<unknown[]>;

/** The outermost shape; flows, blocks and resources are looked at one by one. */
export const containerSchema = fields(
  { specification_version: text(), uuid: text(), name: anyText(), flows: items() },
  { resources: nullable(items()), vendor_metadata: nullable(anyObject()) },
).required();

export const languageSchema = fields(
  { id: text() },
  { label: nullable(anyText()), iso_639_3: nullable(anyText()), bcp_47: nullable(anyText()) },
);

export const flowSchema = fields(
  { uuid: text(), first_block_id: text(), languages: list(anyOf(text(), languageSchema)).min(1), blocks: items() },
  {
    name: nullable(anyText()),
    label: nullable(anyText()),
    last_modified: nullable(anyText()),
    interaction_timeout: nullable(number().min(0)),
    supported_modes: nullable(list(text())),
    exit_block_id: nullable(anyText()),
    resources: nullable(items()),
    vendor_metadata: nullable(anyObject()),
  },
);

export const exitSchema = fields(
  { uuid: text() },
  {
    name: nullable(anyText()),
    tag: nullable(anyText()),
    label: nullable(anyText()),
    destination_block: nullable(anyText()),
    semantic_label: nullable(anyText()),
    test: nullable(anyText()),
    default: nullable(flag()),
  },
);

export const blockSchema = fields(
  { uuid: text(), name: anyText(), type: text(), exits: list(exitSchema).min(1) },
  {
    label: nullable(anyText()),
    semantic_label: nullable(anyText()),
    config: nullable(anyObject()),
    vendor_metadata: nullable(anyObject()),
  },
);

export const valueSchema = fields(
  { language_id: text(), content_type: text(), value: anyText() },
  { mime_type: nullable(anyText()), modes: nullable(list(text())) },
);

export const resourceSchema = fields({ uuid: text(), values: list(valueSchema) });

export type ContainerLanguage = string | TypeOf<typeof languageSchema>;
export type ContainerExit = TypeOf<typeof exitSchema>;
export type ContainerBlock = TypeOf<typeof blockSchema>;
export type ContainerValue = TypeOf<typeof valueSchema>;
export type ContainerResource = TypeOf<typeof resourceSchema>;
export type ContainerFlow = Omit<TypeOf<typeof flowSchema>, 'blocks' | 'resources'> & {
  readonly blocks: readonly ContainerBlock[];
  readonly resources?: readonly ContainerResource[] | null;
};
export type Container = Omit<TypeOf<typeof containerSchema>, 'flows' | 'resources'> & {
  readonly flows: readonly ContainerFlow[];
  readonly resources?: readonly ContainerResource[] | null;
};
