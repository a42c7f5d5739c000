import { extname } from 'node:path';
import type { JsonObject, PluginContext } from '#core';
import { objectOf } from '#core/basics';
import { fileNotFetched, type NotificationError, ServiceUnreachable } from '#core/messaging';
import { type Bot, type BotApi, BotApiError } from '../bot-api.js';
import { remedyOf } from '../errors.js';
import { type RemoteFile, textOf } from './inbound.js';

/** The Bot API serves files up to this size. */
const MAX_BYTES = 20 * 1024 * 1024;
const HREF = 'https://core.telegram.org/bots/api#getfile';

/** A file of a message in the platform's store, or why there is none. */
export interface FetchedFile {
  readonly part: JsonObject;
  readonly error?: NotificationError;
}

/** Fetches the files of messages into the platform's store. */
export function createFiles({ media }: Pick<PluginContext, 'media'>, api: BotApi) {
  return {
    /** @throws BotApiError, ServiceUnreachable for a failure that may pass */
    async fetchFile(number: string, bot: Bot, { id, size, mimeType, filename }: RemoteFile): Promise<FetchedFile> {
      if (size > MAX_BYTES) return missing(`the file has ${size} bytes; Telegram gives bots at most ${MAX_BYTES}`);
      try {
        const path = textOf(objectOf(await api.call(bot, 'getFile', { file_id: id })).file_path);
        if (path === undefined) return missing('Telegram gave no path of the file');
        const bytes = await api.download(bot, path, MAX_BYTES);
        if (!bytes) return missing(`the file has more than ${MAX_BYTES} bytes`);
        const stored = await media.put(number, bytes, {
          mimeType: mimeType ?? 'application/octet-stream',
          ...nameOf(filename, path),
        });
        return { part: { ...media.partOf(stored), ...(filename !== undefined && { filename }) } };
      } catch (error) {
        if (error instanceof ServiceUnreachable && error.isPermanent) return missing(error.message);
        if (error instanceof BotApiError && remedyOf(error.status, error.description) === 'fail') return missing(error.message);
        throw error;
      }
    },

    /** The part of a message whose file could not be fetched in time. */
    missing,
  };
}

const missing = (details: string): FetchedFile => ({ part: {}, error: fileNotFetched(details, HREF) });

const nameOf = (filename: string | undefined, path: string): { filename?: string } => {
  if (filename !== undefined) return { filename };
  return extname(path) === '' ? {} : { filename: path.slice(path.lastIndexOf('/') + 1) };
};
