/** Plain JavaScript, as scripts that run before the compilation need it too. It is not compiled, so this file has to name it from the folder of compiled files. */
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
  new URL('../../../../scripts/on-demand.mjs', import.meta.url).href
)) as OnDemand;
