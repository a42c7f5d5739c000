import type { Config } from './types.js';

/** Sets the accent colour of the number, which rules of the page for `posthorn-chat` override. */
export function applyTheme(sheet: CSSStyleSheet, { accent }: Config['theme']): void {
  if (accent === undefined) return;
  const { style } = sheet.cssRules[0] as CSSStyleRule;
  style.setProperty('--accent', `var(--posthorn-accent, ${accent})`);
  // Black or white, whichever has the higher contrast: at least 4.58.
  style.setProperty('--on-accent', `var(--posthorn-on-accent, ${luminanceOf(accent) > 0.179 ? '#000' : '#fff'})`);
}

/** The relative luminance of a colour, which the settings have as `#rgb` or `#rrggbb`, as in WCAG. */
function luminanceOf(colour: string): number {
  const digits = colour.length === 4 ? colour.replace(/[\da-f]/gi, '$&$&') : colour;
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const value = Number.parseInt(digits.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!;
}
