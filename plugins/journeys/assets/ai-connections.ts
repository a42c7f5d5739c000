import { InvalidRequest, type PluginContext, type Route } from '#core';
import { type ConnectionRecord, connections } from '../records.js';
import { connectionPayload, connectionSchema } from '../schemas.js';
import { assetRoutes } from './admin-routes.js';
import { deleteRecordings } from './ai-recordings.js';
import { type Assets, createAssets } from './assets.js';

export type Connections = Assets<ConnectionRecord>;

export const createConnections = (context: PluginContext): Connections => createAssets(context, connections, 'AI connection');

/** The key of a connection's token in the secrets. */
export const tokenName = (connection: string): string => `ai-connections/${connection}`;

export const connectionRoutes = (context: PluginContext, assets: Connections): Route[] =>
  assetRoutes(context, {
    path: 'ai-connections',
    writePermission: 'journeys.secrets',
    one: 'ai_connection',
    many: 'ai_connections',
    noun: 'AI connection',
    assets,
    requestSchema: connectionPayload,
    responseSchema: connectionSchema,
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
        const message = '"base_url" is required for vendor "openai-compatible"';
        throw new InvalidRequest([{ path: ['base_url'], rule: 'any.required', message }]);
      }
      const known = await tx.in(connections).get(uuid);
      const has_token = token === undefined ? known?.has_token === true : token !== null;
      const made = await assets.put(tx, uuid, {
        number,
        name,
        vendor,
        base_url,
        model,
        enabled,
        has_token,
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
      await deleteRecordings(tx, uuid);
    },
  });
