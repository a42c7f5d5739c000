import type { JsonObject, PluginContext } from '#core';
import { type ConnectionRecord, ConnectionRefused, type ConnectionType, responseOf } from '#core/messaging';
import { africasTalking } from './gateways/africas-talking.js';
import type { Account, Gateway } from './gateways/gateway.js';
import { twilio } from './gateways/twilio.js';
import { type GatewayName, numberSchema, type SmsSettings } from './options.js';

/** The `type` of numbers that this plugin serves. */
export const SMS = 'sms';

const CHECK_MS = 15_000;
const CHECK_BYTES = 64 * 1024;
const SECRET_BYTES = 24;

export const gateways: Readonly<Record<GatewayName, Gateway>> = { twilio, africas_talking: africasTalking };

/** The settings of a connected number. */
export const settingsOf = ({ settings }: Pick<ConnectionRecord, 'settings'>): SmsSettings => settings as unknown as SmsSettings;

/** The path of a callback of a number. */
export const callbackPath = (number: string, what: 'messages' | 'statuses'): string => `/sms/${number}/${what}`;

/** The name of the secret in the addresses of the callbacks of a number whose gateway does not sign. */
export const callbackSecret = (number: string): string => `callbacks/${number}`;

/** A number with its gateway. */
export interface Connected {
  readonly gateway: Gateway;
  readonly account: Account;
}

/** Finds the accounts of numbers. */
export type Accounts = ReturnType<typeof createAccounts>;

export function createAccounts({ connections }: Pick<PluginContext, 'connections'>) {
  return {
    /** Undefined if the number is not connected. */
    async of(number: string): Promise<Connected | undefined> {
      const connection = await connections.of(number);
      if (!connection) return undefined;
      const settings = settingsOf(connection);
      return { gateway: gateways[settings.gateway], account: { ...settings, token: await connections.secret(number, 'token') } };
    },
  };
}

/** How a number is connected to a gateway: by an account, and the number that contacts see. */
export function smsConnection({ publicUrl, http, secrets, ids }: PluginContext): ConnectionType {
  return {
    schema: numberSchema,
    secrets: ['token'],

    async check(given) {
      const account = given as unknown as Account;
      const gateway = gateways[account.gateway];
      if (account.mms && !gateway.hasMms) throw new ConnectionRefused(`${gateway.title} sends no MMS: connect the number without mms`);
      if (account.messaging_service !== undefined && account.gateway !== 'twilio')
        throw new ConnectionRefused(`${gateway.title} has no messaging services: connect the number without messaging_service`);
      const outcome = await http.send({ ...gateway.check(account), deadlineMs: CHECK_MS, maxResponseBytes: CHECK_BYTES });
      const { status, body } = responseOf(outcome, gateway.title);
      // A compatible gateway may have only the route that sends.
      const isFine = (status >= 200 && status < 300) || (status === 404 && account.base_url !== undefined);
      if (!isFine && status >= 500) throw new ConnectionRefused(`${gateway.title} answers ${status}`, { isUnreachable: true });
      if (!isFine)
        throw new ConnectionRefused(`${gateway.title} refuses the account with ${status}: ${Buffer.from(body).toString().slice(0, 200)}`);
      return { address: account.sender, name: `SMS ${account.sender}`, settings: given };
    },

    async connected(tx, { number }) {
      if ((await secrets.get(callbackSecret(number))) === undefined) secrets.put(tx, callbackSecret(number), ids.secret(SECRET_BYTES));
    },

    disconnected: (tx, { number }) => secrets.delete(tx, callbackSecret(number)),

    async view(connection) {
      const { number } = connection;
      const gateway = gateways[settingsOf(connection).gateway];
      const secret = gateway.signs ? '' : `?secret=${await secrets.get(callbackSecret(number))}`;
      const url = (what: 'messages' | 'statuses'): string => `${publicUrl()}${callbackPath(number, what)}${secret}`;
      // Twilio gets the address for reports with each message.
      return { messages: url('messages'), ...(!gateway.signs && { statuses: url('statuses') }) } satisfies JsonObject;
    },
  };
}
