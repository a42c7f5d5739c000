import { pathToFileURL } from 'node:url';

/** Plain JavaScript, as scripts that run before the compilation need it too; benchmarks and tests run in the root of the project. */
interface OnDemand {
  packageFolder(name: string): string;
  required<T>(name: string): T;
  installed(specifier: string): string;
  pythonPath(...specifiers: string[]): { readonly PYTHONPATH: string };
  prepared(name: string, registry: string, install: (folder: string, run: Run) => void): string;
}

type Run = (command: string, args: readonly string[], env?: Readonly<Record<string, string>>) => void;

/** Packages that the checkout does without: the first use installs them. */
export const { packageFolder, required, installed, pythonPath, prepared } = (await import(
  pathToFileURL('scripts/on-demand.mjs').href
)) as OnDemand;
