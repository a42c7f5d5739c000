import { clientLibraries, recordedResults } from '../cloud-clients.js';
import { code, table } from './table.js';

/** The client libraries that were run against the stand-in of the Cloud API, by call. */
export function clientTable(): string {
  const recorded = recordedResults();
  const libraries = clientLibraries.map((library) => ({ ...library, results: recorded[library.name] }));
  const ran = libraries.flatMap(({ results, ...library }) => (typeof results === 'object' ? [{ ...library, results }] : []));
  const calls = [...new Set(ran.flatMap(({ results }) => Object.keys(results)))];
  const cell = (result: boolean | string | undefined): string => (result === undefined ? '' : result === true ? 'yes' : `no: ${result}`);
  const others = libraries.flatMap(({ name, version, language, results }) =>
    typeof results === 'string' ? [`${code(name)} ${version} (${language}) did not run: ${results.split(': ').at(-1)}.`] : [],
  );
  return [
    table(
      ['Call', ...ran.map(({ name, version }) => `${code(name)} ${version}`)],
      calls.map((call) => [call, ...ran.map(({ results }) => cell(results[call]))]),
    ),
    ...others,
  ].join('\n\n');
}
