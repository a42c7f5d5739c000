import type Joi from 'joi';
import { PlatformError } from '../errors.js';
import type { JsonObject } from '../json.js';
import { event } from '../ports/events.js';
import type { Logger } from '../ports/logger.js';
import { collection } from '../ports/store.js';
import type { Transaction } from '../ports/transaction.js';
import type { Inlined } from './inlined.js';
import type { NumberRecord } from './number.js';

/** The connection of a number to a service. Its secrets are sealed, under names with the uuid of the number. */
export type ConnectionRecord = Inlined<{
  /** The uuid of the number. */
  readonly number: string;
  /** The type of the number, whose channel driver declares the connection. */
  readonly type: string;
  /** Without the secrets. */
  readonly settings: JsonObject;
  /** ISO 8601; replaced credentials do not change it. */
  readonly connected_at: string;
  /** Why nothing is sent or received until an operator acts, such as a revoked token. */
  readonly stopped?: { readonly at: string; readonly code: number; readonly title: string };
}>;

export const connections = collection<ConnectionRecord>({
  key: 'number',
  tenant: { number: 'number' },
  indexes: { connected: ['connected_at', 'number'] },
  audited: ['type', 'settings', 'stopped'],
});

/** The answer of a service to the settings and secrets of a connection. */
export type ConnectionAnswer = Inlined<{
  /** The address of the number, unique among numbers of the type, such as the id of an account of the service. */
  readonly address: string;
  /** The name of a new number. */
  readonly name: string;
  /** The settings to store; the given ones if not given. Secrets are left out. */
  readonly settings?: JsonObject;
}>;

/** How numbers of a type are connected to a service. A channel driver declares it, and the core keeps and shows the connections. */
export type ConnectionType = Inlined<{
  /** The settings and secrets that an operator gives, as a joi `object(...)`. Those in `secrets` are sealed and never shown. */
  readonly schema: Joi.ObjectSchema;
  /** The keys of the schema that are secrets; their values are text. */
  readonly secrets: readonly string[];
  /**
   * Asks the service with what was given, or with the stored settings and secrets. Runs outside of transactions.
   * @param about the number, if it exists already
   * @throws ConnectionRefused when the service refuses, ServiceUnreachable when it does not respond
   */
  check(given: JsonObject, about: { readonly number?: NumberRecord }): Promise<ConnectionAnswer>;
  /** Runs in the transaction that connects the number, or replaces its settings. */
  connected?(tx: Transaction, connection: ConnectionRecord, number: NumberRecord): Promise<void> | void;
  /** Runs in the transaction that disconnects the number, which still has its secrets. */
  disconnected?(tx: Transaction, connection: ConnectionRecord): Promise<void> | void;
  /** Returns further data that the admin API shows with the settings, such as the URL of a webhook. */
  view?(connection: ConnectionRecord): JsonObject | Promise<JsonObject>;
}>;

/** The service refuses the settings or secrets of a connection (400), or does not respond (502). Operators read the reason. */
export class ConnectionRefused extends PlatformError {
  constructor(reason: string, { isUnreachable = false }: { readonly isUnreachable?: boolean } = {}) {
    super(isUnreachable ? 502 : 400, isUnreachable ? 'service_unreachable' : 'connection_refused', reason);
  }
}

/** Receives for a number as long as it is connected and not stopped, such as a poll of a service. */
export type Loop = Inlined<{
  /** Unique on a platform; in logs and metrics. */
  readonly name: string;
  /** The type of the numbers. */
  readonly type: string;
  /**
   * Runs once for each number at a time, and again: immediately when it resolves, and 1, 2, 4 … 60 s after it failed. It must end when the
   * signal aborts: the platform stops, or the number was stopped, disconnected or connected again.
   */
  run(connection: ConnectionRecord, io: { readonly signal: AbortSignal; readonly log: Logger }): Promise<void>;
}>;

/** A loop with the plugin that contributes it. */
export type OwnedLoop = Loop & { readonly plugin: string };

/** Emitted when a number is connected, also again, stopped, resumed, or disconnected; `connection` is then null. */
export const connectionChanged = event<{ readonly number: string; readonly connection: ConnectionRecord | null }>(
  'connection.changed',
  'A number was connected to a service, stopped, resumed or disconnected.',
);
