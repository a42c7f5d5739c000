import type { JsonObject, NumberRecord, PluginContext } from '#core';
import { NotFound } from '#core';
import { type ConnectionRecord, ConnectionRefused, type ConnectionType } from '#core/messaging';
import { numberSchema, type WebchatNumber, type WebchatSettings } from './options.js';

/** The `type` of numbers that this plugin serves. */
export const WEBCHAT = 'webchat';
const PREFIX = `${WEBCHAT}:`;
const KEY_BYTES = 12;

/** How a number is connected: no service is asked, because the platform itself is the service. */
export const webchatConnection = ({ ids, publicUrl }: Pick<PluginContext, 'ids' | 'publicUrl'>): ConnectionType => ({
  schema: numberSchema,
  secrets: ['identity_secret', 'previous_identity_secret'],

  async check(given, { number }) {
    const { identity_secret, previous_identity_secret: _, ...settings } = given as unknown as WebchatNumber;
    const key = settings.key ?? number?.address.slice(PREFIX.length) ?? ids.secret(KEY_BYTES);
    if (settings.require_identity && identity_secret === undefined)
      throw new ConnectionRefused('require_identity needs an identity_secret, which signs the ids of users');
    const stored = { ...settings, key, identify: identity_secret !== undefined };
    return { address: `${PREFIX}${key}`, name: settings.name ?? 'Chat', settings: stored as unknown as JsonObject };
  },

  view: ({ number }) => ({ script: `<script src="${publicUrl()}/webchat/${number}/widget.js" async></script>` }),
});

const settingsOf = ({ settings }: ConnectionRecord): WebchatSettings => settings as unknown as WebchatSettings;

/** Finds web chats by the uuids of their numbers. */
export type Webchats = ReturnType<typeof createWebchats>;

export function createWebchats({ numbers, connections }: Pick<PluginContext, 'numbers' | 'connections'>) {
  return {
    /** @throws NotFound */
    async require(uuid: string): Promise<{ number: NumberRecord; settings: WebchatSettings }> {
      const [number, connection] = [await numbers.get(uuid), await connections.of(uuid)];
      if (!number || connection?.type !== WEBCHAT) throw new NotFound('web chat', uuid, 'webchat_not_found');
      return { number, settings: settingsOf(connection) };
    },

    /** Whether a page of this origin may use a web chat. */
    async allows(uuid: string, origin: string): Promise<boolean> {
      const connection = await connections.of(uuid);
      return connection?.type === WEBCHAT && settingsOf(connection).origins.some((one) => isOrigin(one, origin));
    },

    /** The secrets that may have signed the id of a user; none if the number has none. */
    async secretsOf(uuid: string): Promise<string[]> {
      const none = (error: unknown): undefined => {
        if (!(error instanceof NotFound)) throw error;
      };
      const names = ['identity_secret', 'previous_identity_secret'];
      const found = await Promise.all(names.map((name) => connections.secret(uuid, name).catch(none)));
      return found.filter((one) => one !== undefined);
    },
  };
}

const WILDCARD = '*.';

/** Whether an origin is the allowed one, or a host below it. */
export function isOrigin(allowed: string, origin: string): boolean {
  if (!allowed.includes(WILDCARD)) return allowed === origin;
  const [scheme, host] = allowed.split(WILDCARD);
  return origin.startsWith(scheme!) && origin.endsWith(`.${host}`) && origin.length > scheme!.length + host!.length + 1;
}
