/** A test in the format of JUnit. */
export interface JUnitCase {
  readonly classname: string;
  readonly name: string;
  readonly ms: number;
  readonly file?: string;
  readonly line?: number;
  readonly failure?: { readonly message: string; readonly text: string };
  /** Why it was skipped. */
  readonly skipped?: string;
  /** Its output. */
  readonly output?: string;
}

export interface JUnitSuite {
  readonly name: string;
  readonly cases: readonly JUnitCase[];
}

/** Suites of tests as the XML of JUnit, which CI servers read. */
export function junitXml(suites: readonly JUnitSuite[]): string {
  return ['<?xml version="1.0" encoding="UTF-8"?>', '<testsuites>', ...suites.flatMap(suiteLines), '</testsuites>', ''].join('\n');
}

function suiteLines({ name, cases }: JUnitSuite): string[] {
  const failures = cases.filter(({ failure }) => failure).length;
  const skipped = cases.filter(({ skipped }) => skipped !== undefined).length;
  const total = cases.reduce((sum, { ms }) => sum + ms, 0);
  return [
    `  <testsuite name="${xml(name)}" tests="${cases.length}" failures="${failures}" skipped="${skipped}" time="${seconds(total)}">`,
    ...cases.flatMap(caseLines),
    '  </testsuite>',
  ];
}

function caseLines({ classname, name, ms, file, line, failure, skipped, output }: JUnitCase): string[] {
  const place = `${file === undefined ? '' : ` file="${xml(file)}"`}${line === undefined ? '' : ` line="${line}"`}`;
  const open = `    <testcase classname="${xml(classname)}" name="${xml(name)}"${place} time="${seconds(ms)}"`;
  const inside = [
    ...(failure ? [`      <failure message="${xml(failure.message)}">${xml(failure.text)}</failure>`] : []),
    ...(skipped === undefined ? [] : [`      <skipped message="${xml(skipped)}"/>`]),
    ...(output === undefined ? [] : [`      <system-out>${xml(output)}</system-out>`]),
  ];
  return inside.length === 0 ? [`${open}/>`] : [`${open}>`, ...inside, '    </testcase>'];
}

const seconds = (ms: number): string => (ms / 1000).toFixed(3);

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', '\n': '&#10;' };
// Control characters are not allowed in XML, not even as entities. Lone surrogates are not characters.
const CONTROLS = /(?![\t\n\r])\p{Cc}|[\ufffe\uffff]|\p{Cs}/gu;
const xml = (text: string): string => text.replace(CONTROLS, '\ufffd').replace(/[&<>"\n]/g, (letter) => ENTITIES[letter]!);
