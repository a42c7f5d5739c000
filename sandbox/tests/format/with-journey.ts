import { parseDocument } from 'yaml';

/** The text of a test file, for the journey of a file instead of one of a sandbox. */
export function withJourney(tests: string, file: string): string {
  const document = parseDocument(tests);
  document.set('journey', file);
  document.delete('revision');
  return document.toString({ lineWidth: 0 });
}
