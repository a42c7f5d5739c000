import { createRequire } from 'node:module';

/** Of the package this runs from: `dist/sandbox` in an installed package, a folder with a package.json of its own in tests. */
export const version: string = packageVersion(['../package.json', '../../package.json']);

function packageVersion(places: readonly string[]): string {
  const require = createRequire(import.meta.url);
  for (const place of places) {
    try {
      return (require(place) as { version: string }).version;
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'MODULE_NOT_FOUND')) throw error;
    }
  }
  return '0.0.0';
}
