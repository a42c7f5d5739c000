import { CommandFailed } from '../terminal/command-failed.js';

/** Not a dependency, because few draw graphs as PNG, and it is 4 MB of machine code for each system. It draws with the fonts of the system. */
const PACKAGE = '@resvg/resvg-js';

interface Resvg {
  readonly Resvg: new (
    svg: string,
    options: { readonly background: string; readonly fitTo: { readonly mode: 'zoom'; readonly value: number }; readonly font: object },
  ) => { render(): { asPng(): Uint8Array } };
}

/** Draws an SVG at twice its size. @throws CommandFailed if the package is not installed */
export async function pngOf(svg: string, load: (name: string) => Promise<unknown> = (name) => import(name)): Promise<Uint8Array> {
  const { Resvg } = await loaded(load);
  // The library knows no ui-monospace; where this font is missing, it takes one of the system.
  const font = { loadSystemFonts: true, defaultFontFamily: 'DejaVu Sans Mono' };
  return new Resvg(svg, { background: 'white', fitTo: { mode: 'zoom', value: 2 }, font }).render().asPng();
}

async function loaded(load: (name: string) => Promise<unknown>): Promise<Resvg> {
  try {
    return (await load(PACKAGE)) as Resvg;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== 'ERR_MODULE_NOT_FOUND' || !message.includes(PACKAGE)) throw error;
    const next = `npm install -D ${PACKAGE}`;
    throw new CommandFailed(
      `PNG needs the package ${PACKAGE}: ${next}. Without it, write .svg, or export PNG from the graph in the console`,
      { next },
    );
  }
}
