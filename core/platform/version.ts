import { createRequire } from 'node:module';

/** The version of the package. Resolved by package name, which works from the sources and from the compiled copy. */
export const { version } = createRequire(import.meta.url)('posthorn/package.json') as { readonly version: string };
