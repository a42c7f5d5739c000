import {
  anyText,
  anyTextUpTo,
  anything,
  collection,
  dictionary,
  fields,
  flag,
  httpUrl,
  InvalidRequest,
  list,
  nullable,
  oneOf,
  type PluginContext,
  type Route,
  type TypeOf,
  text,
  textUpTo,
  whole,
} from '#core';
import { forgetRecordings, recordingSchema } from './ai-recordings.js';
import { assetRoutes } from './asset-routes.js';
import { type AssetRecord, type Assets, assetFields, assetIndexes, createAssets } from './assets.js';

const vendor = oneOf('openai-compatible', 'scripted', 'replay');

/** A shorter token would be found, and taken out, in texts that have nothing to do with it. */
const token = textUpTo(4096, 8);

const rule = fields(
  {},
  {
    when: fields({}, { last_user: text(), system: text(), turn: whole().min(1), tool_result: text() }),
    say: anyText(),
    call: dictionary(anything()),
    action: text(),
  },
);
const settings = {
  /** For `scripted`: whether what no rule answers is a failure, what is said otherwise, and the rules. */
  strict: flag(),
  fallback: anyText(),
  rules: list(rule).max(1000),
  /** For `replay`. */
  recordings: list(recordingSchema).max(1000),
  /** Whether what the model answers is recorded, for a connection that replays it. */
  record: flag(),
};

/** Exactly what is shown of a connection. The token is no part of the record: it is kept where secrets are. */
const shown = { ...assetFields, vendor, base_url: nullable(text()), model: anyText(), has_token: flag(), enabled: flag() };
const connectionSchema = fields(shown, settings);

export type ConnectionView = TypeOf<typeof connectionSchema>;
export type ConnectionRecord = ConnectionView & AssetRecord;

export const connections = collection<ConnectionRecord>({ ...assetIndexes });
export type Connections = Assets<ConnectionRecord>;

export const createConnections = (context: PluginContext): Connections => createAssets(context, connections, 'AI connection');

/** Under which name the token of a connection is kept. */
export const tokenName = (connection: string): string => `ai-connections/${connection}`;

const payload = fields(
  { number: text(), name: textUpTo(256), vendor },
  /** A token that is left out stays as it is; null takes it away. */
  { base_url: nullable(httpUrl()), model: anyTextUpTo(256), token: nullable(token), enabled: flag(), ...settings },
);

export const connectionRoutes = (context: PluginContext, assets: Connections): Route[] =>
  assetRoutes(context, {
    path: 'ai-connections',
    one: 'ai_connection',
    many: 'ai_connections',
    noun: 'AI connection',
    assets,
    payload,
    shown: connectionSchema,
    view: (connection) => connection,
    async put(tx, uuid, given) {
      const {
        number,
        name,
        vendor,
        base_url = null,
        model = '',
        enabled = true,
        token,
        strict,
        fallback,
        rules,
        recordings,
        record,
      } = given;
      if (vendor === 'openai-compatible' && base_url === null) {
        const message = '"base_url" is required for an endpoint';
        throw new InvalidRequest([{ path: ['base_url'], rule: 'any.required', message }]);
      }
      const known = await tx.in(connections).get(uuid);
      const has_token = token === undefined ? known?.has_token === true : token !== null;
      const made = await assets.put(tx, uuid, {
        ...{ number, name, vendor, base_url, model, enabled, has_token },
        ...(strict !== undefined && { strict }),
        ...(fallback !== undefined && { fallback }),
        ...(rules && { rules }),
        ...(recordings && { recordings }),
        ...(record !== undefined && { record }),
      });
      if (token) context.secrets.put(tx, tokenName(uuid), token);
      if (token === null) context.secrets.delete(tx, tokenName(uuid));
      return made;
    },
    async deleted(tx, uuid) {
      context.secrets.delete(tx, tokenName(uuid));
      await forgetRecordings(tx, uuid);
    },
  });
