/** The roles that every platform has besides `owner`, which has all permissions. */
export const defaultRoles = ['viewer', 'operator', 'author'] as const;
export type DefaultRole = (typeof defaultRoles)[number];

/** What an operator may do. Admin routes declare the permission that they need by its name, such as `webhooks.pause`. */
export interface Permission {
  /** What it allows, as a sentence in the imperative. */
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

/** A permission that all default roles have. */
export const forEveryone = (meaning: string): Permission => ({ meaning, roles: defaultRoles });
/** A permission of operators, who keep the platform running. */
export const forOperators = (meaning: string): Permission => ({ meaning, roles: ['operator'] });
/** A permission of authors, who write journeys, flows and templates. */
export const forAuthors = (meaning: string): Permission => ({ meaning, roles: ['author'] });
/** A permission of operators and authors. */
export const forBoth = (meaning: string): Permission => ({ meaning, roles: ['operator', 'author'] });
/** A permission of owners alone. */
export const forOwners = (meaning: string): Permission => ({ meaning, roles: [] });
