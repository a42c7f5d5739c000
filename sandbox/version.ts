import { createRequire } from 'node:module';

/** The version, and whether the registry of npm has a release: `scripts/publish.mjs` sets `published` in `package.json`. */
export const { version, published } = createRequire(import.meta.url)('posthorn/package.json') as {
  readonly version: string;
  readonly published: boolean;
};
