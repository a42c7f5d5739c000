import { sections } from '../../test/spec/coverage/index.js';
import { table } from './table.js';

/** What the interface does not say, and what was chosen, from the rows of the coverage matrix. */
export function notShownTables(): string {
  return Object.entries(sections)
    .flatMap(([section, rows]) => {
      const chosen = rows.filter(({ id }) => id.split('.').includes('not-shown'));
      if (chosen.length === 0) return [];
      const cells = chosen.map(({ rule, status, note }) => [rule.replace(/^(Rule [\d.]+, )?[Nn]ot shown: /, '$1'), note ?? `(${status})`]);
      return [`#### ${section.replaceAll('-', ' ')}\n\n${table(['What is open', 'What Posthorn does'], cells)}`];
    })
    .join('\n\n');
}
