import { isMap, isScalar, isSeq, parseDocument } from 'yaml';

/** The text of a test file, for the journey of a file instead of one of a sandbox. `fileOf` finds the files of journeys that it calls. */
export function withJourney(tests: string, file: string, fileOf: (journey: string) => string | undefined): string {
  const document = parseDocument(tests);
  const all = document.get('tests');
  for (const test of isSeq(all) ? all.items : []) {
    const called = isMap(test) ? test.get('journeys') : undefined;
    for (const { value } of isMap(called) ? called.items : [])
      if (isScalar(value)) value.value = fileOf(String(value.value)) ?? value.value;
  }
  document.set('journey', file);
  document.delete('revision');
  return document.toString({ lineWidth: 0 });
}
