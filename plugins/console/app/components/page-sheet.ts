const added = new Set<string>();

/** Adds the style sheet of a page when its script is loaded, so that the first page does not load the sheets of the others. */
export function addSheet(text: string): void {
  if (added.has(text)) return;
  added.add(text);
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(text);
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
}
