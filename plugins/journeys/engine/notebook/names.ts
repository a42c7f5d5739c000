/** Card name in snake case: `OrderHelp2Go` is `order_help2_go`, `FAQMenu` is `faq_menu`. */
export const snake = (name: string): string =>
  (/^[a-z0-9_]*$/.test(name)
    ? name
    : name
        .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
        .replace(/([A-Z])([A-Z][a-z])/g, '$1_$2')
        .replaceAll('-', '_')
  ).toLowerCase();

/** Choice name for a label: runs of other characters than letters and digits become one `_`. */
export const nameOfLabel = (label: string): string =>
  snake(label)
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_|_$/g, '') || 'choice';

/** Prefix of the block names of a card. Cards named by a text are treated like labels. */
export const baseOf = (card: string): string => (/^[A-Za-z_]\w*$/.test(card) ? snake(card) : nameOfLabel(card));

/** Makes names unique with `_2`, `_3`, … */
export function distinct(names: readonly string[]): string[] {
  const taken = new Set<string>();
  return names.map((name) => {
    let free = name;
    for (let n = 2; taken.has(free); n++) free = `${name}_${n}`;
    taken.add(free);
    return free;
  });
}
