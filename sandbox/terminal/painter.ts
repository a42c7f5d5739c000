export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan';
export type Paint = (style: Style, text: string) => string;

const codes: Readonly<Record<Style, number>> = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 };

/** Makes a function that colours text, or returns it unchanged. */
export const painter =
  (isColoured: boolean): Paint =>
  (style, text) =>
    isColoured ? `\u001b[${codes[style]}m${text}\u001b[0m` : text;

/** Whether to colour output: if the stream is a terminal. NO_COLOR and FORCE_COLOR override that. */
export function wantsColour(stream: { readonly isTTY?: boolean }, env: Readonly<Record<string, string | undefined>>): boolean {
  if (env.NO_COLOR !== undefined && env.NO_COLOR !== '') return false;
  if (env.FORCE_COLOR !== undefined) return env.FORCE_COLOR !== '0';
  return stream.isTTY === true && env.TERM !== 'dumb';
}
