import { pathToFileURL } from 'node:url';

/** Plain JavaScript, as scripts that run before the compilation need it too; benchmarks run in the root of the project. */
interface OnDemand {
  packageFolder(name: string): string;
  required<T>(name: string): T;
}

/** Packages that the checkout does without: the first use installs them. */
export const { packageFolder, required } = (await import(pathToFileURL('scripts/on-demand.mjs').href)) as OnDemand;
