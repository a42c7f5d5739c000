/**
 * The schemas of a flow interoperability container, release candidates 1 to 4. They describe only the keys that the engine reads;
 * all other keys are stored unchanged.
 */

import Joi from 'joi';
import type { JsonObject } from '#core/basics';
import { anyOf, anyString, array, boolean, nullable, number, object, string, type TypeOf } from '#core/schemas';

/** The versions of the specification that the engine supports. */
export const SPECIFICATION_VERSION = /^1\.0\.0-rc[1-4]$/;

const anyObject = (): Joi.ObjectSchema<JsonObject> => Joi.object().unknown() as Joi.ObjectSchema<JsonObject>;
const items = (): Joi.ArraySchema<unknown[]> => Joi.array() as Joi.ArraySchema<unknown[]>;

/** The outermost object. Flows, blocks and resources are validated one by one, so that one bad item does not hide the others. */
export const containerSchema = object(
  { specification_version: string(), uuid: string(), name: anyString(), flows: items() },
  { resources: nullable(items()), vendor_metadata: nullable(anyObject()) },
).required();

export const languageSchema = object(
  { id: string() },
  { label: nullable(anyString()), iso_639_3: nullable(anyString()), bcp_47: nullable(anyString()) },
);

export const flowSchema = object(
  { uuid: string(), first_block_id: string(), languages: array(anyOf(string(), languageSchema)).min(1), blocks: items() },
  {
    name: nullable(anyString()),
    label: nullable(anyString()),
    last_modified: nullable(anyString()),
    interaction_timeout: nullable(number().min(0)),
    supported_modes: nullable(array(string())),
    exit_block_id: nullable(anyString()),
    resources: nullable(items()),
    vendor_metadata: nullable(anyObject()),
  },
);

export const exitSchema = object(
  { uuid: string() },
  {
    name: nullable(anyString()),
    tag: nullable(anyString()),
    label: nullable(anyString()),
    destination_block: nullable(anyString()),
    semantic_label: nullable(anyString()),
    test: nullable(anyString()),
    default: nullable(boolean()),
  },
);

export const blockSchema = object(
  { uuid: string(), name: anyString(), type: string(), exits: array(exitSchema).min(1) },
  {
    label: nullable(anyString()),
    semantic_label: nullable(anyString()),
    config: nullable(anyObject()),
    vendor_metadata: nullable(anyObject()),
  },
);

export const valueSchema = object(
  { language_id: string(), content_type: string(), value: anyString() },
  { mime_type: nullable(anyString()), modes: nullable(array(string())) },
);

export const resourceSchema = object({ uuid: string(), values: array(valueSchema) });

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
