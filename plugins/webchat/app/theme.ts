import type { Config } from './types.js';

/** Sets the accent colour of the number, which rules of the page for `posthorn-chat` override. */
export function applyTheme(sheet: CSSStyleSheet, { accent }: Config['theme']): void {
  if (accent === undefined || !CSS.supports('color', accent)) return;
  const [rule] = sheet.cssRules;
  const { style } = rule as CSSStyleRule;
  style.setProperty('--accent', `var(--posthorn-accent, ${accent})`);
  const luminance = luminanceOf(accent);
  if (luminance === undefined) return;
  // Black or white, whichever has the higher contrast: at least 4.58.
  style.setProperty('--on-accent', `var(--posthorn-on-accent, ${luminance > 0.179 ? '#000' : '#fff'})`);
}

/** The relative luminance of a colour such as `#0a58bf`, as in WCAG; undefined for other notations. */
function luminanceOf(colour: string): number | undefined {
  const digits = /^#(?:([\da-f])([\da-f])([\da-f])|([\da-f]{2})([\da-f]{2})([\da-f]{2}))$/i.exec(colour)?.slice(1).filter(Boolean);
  if (!digits) return undefined;
  const [red, green, blue] = digits.map((digit) => {
    const value = Number.parseInt(digit.length === 1 ? digit + digit : digit, 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!;
}
