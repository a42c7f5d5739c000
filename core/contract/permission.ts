/** The roles that every platform has besides `owner`, which has all permissions. */
export const defaultRoles = ['viewer', 'operator', 'author'] as const;
export type DefaultRole = (typeof defaultRoles)[number];

/** Lets operators make calls. Admin routes declare the permission that they need by its name, such as `webhooks.pause`. */
export interface Permission {
  /** A sentence in the imperative that says what operators with it can do. */
  readonly meaning: string;
  /** The default roles that have it. The role `owner` has every permission. */
  readonly roles: readonly DefaultRole[];
}

/** Permissions by their names: the area and a verb, in lower-case words joined with `_`, such as `messages.read_bodies`. */
export type Permissions = Readonly<Record<string, Permission>>;

/** The form of a permission's name. */
export const PERMISSION_NAME = /^[a-z][a-z0-9_]*\.[a-z][a-z0-9_]*$/;

/** Instead of a permission: every operator may make the call, because it concerns only the operator. */
export const ANY_OPERATOR = 'any';

const givenTo =
  (...roles: readonly DefaultRole[]) =>
  (meaning: string): Permission => ({ meaning, roles });

/** Makes permissions, each from its meaning, for the default roles: `permit.operators('Pause and resume webhooks.')`. Owners have all of them. */
export const permit = {
  everyone: givenTo(...defaultRoles),
  /** Operators keep the platform running. */
  operators: givenTo('operator'),
  /** Authors write journeys, flows and templates. */
  authors: givenTo('author'),
  both: givenTo('operator', 'author'),
  /** Owners alone. */
  owners: givenTo(),
};
