import { createRequire } from 'node:module';

/** The version of the package. Both the sources' copy and the compiled one have the package's description above them. */
export const { version } = createRequire(import.meta.url)('posthorn/package.json') as { readonly version: string };
