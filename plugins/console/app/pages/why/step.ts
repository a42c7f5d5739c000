import type { ChainLink } from '#core';

/** The response of `GET /admin/v1/why`. */
export interface Chain {
  readonly about: { readonly message: string | null; readonly contact: string | null; readonly since: string | null };
  readonly first: number | null;
  readonly links: readonly Step[];
}

export type Fix = NonNullable<ChainLink['fix']> & { readonly body?: unknown };
export type Step = Omit<ChainLink, 'fix'> & { readonly first: boolean; readonly fix: Fix | null };
