import type { Request } from '@hapi/hapi';

/** The person or program, such as an agent, that makes a call of the admin API. */
export interface Operator {
  /**
   * Unique and stable, such as the subject of an identity provider: records of what operators did contain it. 1 to 200 characters. `key`, `host`,
   * `plugin` and ids that begin with `key:` are reserved.
   */
  readonly id: string;
  /** As people know the operator. */
  readonly name: string;
  /** Names of roles, which decide what the operator may do. A name that the platform does not know allows nothing. */
  readonly roles: readonly string[];
  /** The accounts whose data the operator may see and change; those of all accounts if not given. */
  readonly accounts?: readonly string[];
}

/**
 * Finds the operator of a call to the admin API by its session, token or headers. Returns undefined when the request has no credential that it
 * knows; throws a `PlatformError`, such as `Unauthorized`, to refuse the call. Any other error gets 503. Open event streams call it again with
 * the same request, to notice when a session has ended.
 */
export type Authenticate = (request: Request) => Promise<Operator | undefined> | Operator | undefined;

/** The option `operators` of the platform. */
export interface OperatorOptions {
  /** The first function of the list that returns an operator decides. The admin key and stored keys are accepted before. */
  readonly authenticate: Authenticate | readonly Authenticate[];
  /**
   * Roles of the host application, each with its permissions: `{ support: ['messages.read_bodies', 'deliveries.redeliver'] }`. One with the name of
   * a default role replaces it; `owner` cannot be replaced.
   */
  readonly roles?: Readonly<Record<string, readonly string[]>>;
  /** The URL at which the host application signs operators out, for the console. */
  readonly signOutUrl?: string;
  /** How long one of them may take, in milliseconds; 5,000 if not given. Longer gets 503. */
  readonly timeoutMs?: number;
}

/** An operator, and whether a key identified it rather than the session of a browser. */
export interface Identified {
  readonly operator: Operator;
  readonly byKey: boolean;
  /** Names the admin key that was used. Sessions that it opens end when it is replaced. */
  readonly keyId?: string;
}
